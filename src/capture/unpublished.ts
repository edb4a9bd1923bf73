/**
 * Tables that a sink wants and whose changes do not come: not there, or not published. Said on the sink, with the
 * statement that mends it, for as long as it is so; otherwise a sink would wait for ever and look well.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type SinkEntry, takesIn } from './match.ts';
import { type Publication, whyNotPublished } from './publication.ts';

const NOTICES = statement('capture/note-unpublished');

interface Unpublished {
  sink_no: number;
  table_name: string;
  code: 'table_missing' | 'not_published';
  message: string;
  remedy: string | null;
}

/** Replaces these notices of every sink of the database. */
export async function noteUnpublished(
  messages: Database,
  database: { no: number; sinks: readonly SinkEntry[] },
  publication: Publication,
): Promise<void> {
  await messages.query(NOTICES, [database.no, JSON.stringify(unpublished(database.sinks, publication))]);
}

export function unpublished(sinks: readonly SinkEntry[], publication: Publication): Unpublished[] {
  const found: Unpublished[] = [];
  const known = new Set(publication.tables.map((table) => `${table.schema}.${table.name}`));
  for (const { no, settings } of sinks) {
    if (settings.status === 'disabled') continue;
    for (const name of settings.source.include_tables ?? []) {
      const table = name.includes('.') ? name : `public.${name}`;
      if (known.has(table)) continue;
      found.push({
        sink_no: no,
        table_name: table,
        code: 'table_missing',
        message: `there is no table ${table}`,
        remedy: null,
      });
    }
    for (const table of publication.tables) {
      const why = takesIn(settings.source, table) ? whyNotPublished(publication, table) : undefined;
      if (!why) continue;
      const name = `${table.schema}.${table.name}`;
      found.push({
        sink_no: no,
        table_name: name,
        code: 'not_published',
        message: `${name}: ${why.reason}`,
        remedy: why.remedy,
      });
    }
  }
  return found;
}
