/**
 * Was the catalog changed while a slot was made? Postgres waits for all transactions that are open when it begins, and keeps no record of
 * those that begin and are committed meanwhile (snapbuild.c, 14 to 18). What they did to the catalog is then unknown to the slot, until
 * some other transaction changes it: of a table that got a column the stream leaves that column out, and a row of one that was truncated
 * or rewritten ends it ("could not map filenumber").
 */
import type { Queryable } from '../db/pool.ts';

/** What decoding looks at, besides tables and their columns. */
const OTHERS = ['pg_enum', 'pg_namespace', 'pg_publication', 'pg_publication_rel'];

/** The first transaction id that nobody has yet, without its epoch. */
export async function nextXid(source: Queryable): Promise<string> {
  const { rows } = await source.query<{ xid: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::xid::text as xid',
  );
  return rows[0]!.xid;
}

/** By a transaction with this id or a later one, which is committed. Temporary tables are in no stream. */
export async function hasCatalogChanged(source: Queryable, since: string, version: number): Promise<boolean> {
  // Ids begin again: one of a row that was frozen long ago may look as if it were still to come.
  const isNew = (row: string): string => `age(${row}.xmin) between 0 and age($1::xid)`;
  const others = [...OTHERS, ...(version >= 150000 ? ['pg_publication_namespace'] : [])];
  const { rows } = await source.query<{ changed: boolean }>(
    `select exists (select from pg_class c where c.relpersistence <> 't' and ${isNew('c')})
         or exists (select from pg_attribute a join pg_class c on c.oid = a.attrelid
                     where c.relpersistence <> 't' and ${isNew('a')})
         ${others.map((name) => `or exists (select from ${name} o where ${isNew('o')})`).join('\n         ')} as changed`,
    [since],
  );
  return rows[0]!.changed;
}
