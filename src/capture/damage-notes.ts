/** Says on a sink that rows of a table held bytes that are not valid UTF-8: once for as long as a stream lasts. */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { CopiedRow } from '../messages/repair.ts';
import { addNotices } from '../notices/add.ts';

const NAMES = statement('capture/table-names');

export function openDamageNotes(messages: Database): (rows: readonly CopiedRow[]) => Promise<void> {
  const noted = new Set<string>();
  return async (rows) => {
    const fresh = new Map(rows.map((row) => [`${row.sinkNo} ${row.sourceTable}`, row]));
    for (const known of noted) fresh.delete(known);
    if (fresh.size === 0) return;
    const found = [...fresh.values()];
    const tables = found.map(({ sourceTable }) => sourceTable);
    const names = await messages.query<{ no: number; name: string }>(NAMES, [tables]);
    const nameOf = new Map(names.rows.map(({ no, name }) => [no, name]));
    const notices = found.flatMap(({ sinkNo, sourceTable }) => {
      const table = nameOf.get(sourceTable);
      if (table === undefined) return [];
      const message = `${table} holds bytes that are not valid UTF-8: in messages they are U+FFFD`;
      return [{ sinkNo, code: 'invalid_utf8', table, message, remedy: null, catchUp: true }];
    });
    await addNotices(messages, notices, { again: false });
    for (const key of fresh.keys()) noted.add(key);
  };
}
