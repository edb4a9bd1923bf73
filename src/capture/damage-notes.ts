/** Says on a sink that rows of a table held bytes that are no UTF-8: once for as long as a stream lasts. */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { CopiedRow } from '../messages/repair.ts';

const NOTE = statement('capture/note-damaged');

export function openDamageNotes(messages: Database): (rows: readonly CopiedRow[]) => Promise<void> {
  const noted = new Set<string>();
  return async (rows) => {
    const fresh = new Map(rows.map((row) => [`${row.sinkNo} ${row.sourceTable}`, row]));
    for (const known of noted) fresh.delete(known);
    if (fresh.size === 0) return;
    const found = [...fresh.values()];
    await messages.query(NOTE, [found.map(({ sinkNo }) => sinkNo), found.map(({ sourceTable }) => sourceTable)]);
    for (const key of fresh.keys()) noted.add(key);
  };
}
