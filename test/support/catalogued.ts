/** A source as capture is told of it, with the sinks that the message database holds now. */
import type { SinkEntry } from '../../src/capture/match.ts';
import type { CapturedDatabase } from '../../src/capture/streaming.ts';
import type { Database } from '../../src/db/pool.ts';
import type { DatabaseAddress, DatabaseSettings } from '../../src/model/declared.ts';

export interface DeclaredSource {
  no: number;
  settings: DatabaseSettings;
  address: DatabaseAddress;
}

export async function catalogued(messages: Database, declared: DeclaredSource): Promise<CapturedDatabase> {
  const sinks = await messages.query<SinkEntry>(
    'select no, name, kind, lanes, settings from millrace_private.sinks order by no',
  );
  const generation = await messages.query<{ generation: number }>(
    'select generation from millrace_private.catalog_state',
  );
  return {
    ...declared,
    sinks: sinks.rows,
    changeTables: new Set<string>(),
    catalogGeneration: generation.rows[0]!.generation,
  };
}
