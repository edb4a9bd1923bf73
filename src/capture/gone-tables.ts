/** What is said of a table's columns goes when the table is dropped: no change of it comes any more with which it would be looked at anew. */
import { type KnownTables, nameOf } from '../checks/wanted-tables.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { forgetTables, toldTables } from '../notices/forget.ts';
import type { Publication } from '../source/publication.ts';

const GONE = statement('capture/gone-tables');

/** `known`: by whose oids it is seen that a table was not merely renamed. */
export async function forgetGone(
  { source, messages }: { source: Database; messages: Database },
  databaseNo: number,
  { publication, known }: { publication: Publication; known: KnownTables },
): Promise<void> {
  const there = new Set(publication.tables.map(nameOf));
  const unseen = (await toldTables(messages, databaseNo)).filter((name) => !there.has(name));
  const places = unseen.flatMap((name) => [...(known.get(name) ?? [])].map((oid) => ({ name, oid })));
  if (places.length === 0) return;
  const columns = [places.map(({ name }) => name), places.map(({ oid }) => oid)];
  const { rows } = await source.query<{ name: string }>(GONE, columns);
  const gone = rows.map(({ name }) => name);
  if (gone.length > 0) await forgetTables(messages, databaseNo, gone);
}
