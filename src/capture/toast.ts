/**
 * Values that Postgres did not send because an update left them unchanged in TOAST, and that the old row does not carry
 * either: read again from the source by primary key, all of a batch and table in one query. What is read may be newer than
 * the change; the change that made it so follows. It is never older: a row that was moved would not be there yet, or another
 * one in its place. A row that is gone stays out of the answer.
 * https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html (TupleData, 'u')
 */
import type { Database } from '../db/pool.ts';
import { type Deferred, markOf, type Pending, rewind } from './pending.ts';
import type { LoadedRelation } from './relation.ts';
import type { UntilSeen } from './snapshot.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export interface ReadAgainDeps {
  source: Database;
  renewTypes(relation: LoadedRelation): Promise<LoadedRelation>;
  untilSeen: UntilSeen;
}

/** Adds the rows of every deferred change. Throws only when the source cannot be asked, or keeps its commits unseen. */
export async function readAgain(deps: ReadAgainDeps, pending: Pending): Promise<void> {
  await deps.untilSeen(new Set(pending.deferred.map(({ xid }) => xid)));
  const byRelation = Map.groupBy(pending.deferred, (entry) => entry.relation);
  for (const [relation, entries] of byRelation) {
    const found = await readRows(deps.source, relation, entries);
    let fresh: LoadedRelation | undefined;
    for (const [place, entry] of entries.entries()) {
      const texts = found?.get(place);
      const known = new Map<number, string | null>();
      for (const index of entry.missing) {
        const text = texts?.get(index);
        if (text !== undefined) known.set(index, text);
      }
      const mark = markOf(pending);
      const { misfits } = relation.codec;
      entry.render(known, relation);
      if (relation.types.size === 0 || relation.codec.misfits === misfits) continue;
      // A type of the user's own has changed: the row is taken back, and encoded anew.
      fresh ??= await deps.renewTypes(relation);
      rewind(pending, mark);
      entry.render(known, fresh);
    }
  }
}

/** By the entry's place: text by column index. Undefined when the table is not there any more as it was. */
async function readRows(
  source: Database,
  relation: LoadedRelation,
  entries: readonly Deferred[],
): Promise<Map<number, Map<number, string | null>> | undefined> {
  const columns = [...new Set(entries.flatMap((entry) => entry.missing))];
  // format('%s') prints by the type's output function, as pgoutput does; a cast to text may print otherwise.
  const shown = columns.map((index, n) => {
    const column = `t.${quoted(relation.codec.columns[index]!.name)}`;
    return `case when ${column} is not null then format('%s', ${column}) end as c${n}`;
  });
  const keys = relation.keyTypes;
  const sql = `select w.place::int4 as place, ${shown.join(', ')}
    from unnest(${keys.map((_, n) => `$${n + 1}::text[]`).join(', ')}) with ordinality
         as w (${keys.map((_, n) => `k${n}`).join(', ')}, place)
    join ${quoted(relation.schema)}.${quoted(relation.name)} t
      on ${keys.map((key, n) => `t.${quoted(key.name)} = w.k${n}::${key.type}`).join(' and ')}`;
  const values = keys.map((_, n) => entries.map((entry) => entry.key[n]));
  let rows: Record<string, unknown>[];
  try {
    ({ rows } = await source.query(sql, values));
  } catch (error) {
    // 42P01 undefined table, 42703 undefined column, 42501 no right to read: the columns stay out, by name.
    if (error instanceof Error && 'code' in error && ['42P01', '42703', '42501'].includes(String(error.code))) return;
    throw error;
  }
  return new Map(
    rows.map((row) => [
      Number(row.place) - 1,
      new Map(columns.map((index, n) => [index, row[`c${n}`] as string | null])),
    ]),
  );
}
