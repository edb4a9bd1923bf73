/** A source as capture is told of it, with the sinks that the message database holds now. */

import type { CapturedDatabase } from '../../src/capture/method.ts';
import type { Database } from '../../src/db/pool.ts';
import type { DatabaseAddress, DatabaseSettings } from '../../src/model/declared.ts';
import type { SinkEntry } from '../../src/routing/match.ts';

export interface DeclaredSource {
  no: number;
  settings: DatabaseSettings;
  address: DatabaseAddress;
}

export async function catalogued(messages: Database, declared: DeclaredSource): Promise<CapturedDatabase> {
  const { rows } = await messages.query<{ generation: number; sinks: SinkEntry[] }>(
    `select c.generation, coalesce((select jsonb_agg(jsonb_build_object('no', s.no, 'name', s.name, 'kind', s.kind,
              'lanes', s.lanes, 'settings', s.settings) order by s.no) from millrace_private.sinks s), '[]'::jsonb) as sinks
       from millrace_private.catalog_state c`,
  );
  const { generation, sinks } = rows[0]!;
  return { ...declared, sinks, changeTables: new Set<string>(), catalogGeneration: generation };
}
