/**
 * Values that Postgres did not send with an update, because they lie unchanged in TOAST, and that the old row does not carry
 * either: they are read again by primary key. What is read may be newer than the change; the change that made it so follows.
 * It is never older: a row that was moved would not be there yet, or another one in its place. Values of a row that is gone
 * are left out.
 * https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html (TupleData, 'u')
 */
import type { Reread } from '../../codec/row.ts';
import type { Database } from '../../db/pool.ts';
import { quoteIdentifier } from '../../model/quote.ts';
import type { Deferred } from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import type { TextForm } from '../../source/text-form.ts';
import { type AgainQuery, lookUp } from './read-again.ts';

/** A value that Postgres compressed may be this much longer. */
const COMPRESSION = 4;
/** bytea, whose text has two digits for each byte; text, bpchar, varchar. */
const BYTEA = 17;
const TEXTS = new Set([25, 1042, 1043]);

export interface Asked extends Omit<AgainQuery, 'list'> {
  /** Columns by index. */
  indexes: readonly number[];
}

/** What these entries lack, as far as the table still has it. */
export const askedOf = (query: Omit<AgainQuery, 'list'>, entries: readonly Deferred[]): Asked => ({
  ...query,
  indexes: [...new Set(entries.flatMap((entry) => entry.missing))].filter((index) => nameOf(query.relation, index)),
});

/** Bytes of each row with its values, about. Undefined: the table gave no answer. */
export async function sizesOf(
  source: Database,
  { indexes, ...query }: Asked,
  entries: readonly Deferred[],
): Promise<Map<Deferred, number> | undefined> {
  const { relation } = query;
  const sizes = indexes.map((index) => {
    const { typeOid } = relation.message.columns[index]!;
    const name = nameOf(relation, index) ?? '';
    if (TEXTS.has(typeOid)) return `coalesce(octet_length(t.${quoteIdentifier(name)}), 0)`;
    if (typeOid === BYTEA) return `coalesce(octet_length(t.${quoteIdentifier(name)}), 0) * 2`;
    return `coalesce(pg_column_size(t.${quoteIdentifier(name)}), 0) * ${COMPRESSION}`;
  });
  const found = await lookUp(source, { ...query, list: () => `(${sizes.join(' + ')})::bigint` }, entries);
  return found && new Map([...found].map(([entry, [size]]) => [entry, entry.bytes + Number(size)]));
}

/** Values by column index, of rows that are there; null of one that is too large. Undefined: the table gave no answer. */
export async function valuesOf(
  source: Database,
  { indexes, ...query }: Asked,
  part: { entries: readonly Deferred[]; sizes: ReadonlyMap<Deferred, number> },
): Promise<Map<Deferred, Reread | null> | undefined> {
  const { relation } = query;
  const values = new Map<Deferred, Reread | null>();
  const isLarge = (entry: Deferred): boolean => (part.sizes.get(entry) ?? 0) > entry.maxRowBytes;
  for (const entry of part.entries) if (isLarge(entry)) values.set(entry, null);
  const wanted = part.entries.filter((entry) => part.sizes.has(entry) && !isLarge(entry));
  if (wanted.length === 0) return values;
  const list = (form: TextForm): string => form.list(indexes.map((index) => ({ name: nameOf(relation, index) ?? '' })));
  const found = await lookUp(source, { ...query, list }, wanted);
  if (found === undefined) return undefined;
  for (const [entry, texts] of found) {
    const known = indexes.map((index, n) => [index, texts[n] ?? null] as const);
    values.set(entry, new Map(known.filter(([index]) => entry.missing.includes(index))));
  }
  return values;
}

/** What the column is called now. */
const nameOf = (relation: LoadedRelation, index: number): string | undefined =>
  relation.namesNow.get(relation.codec.columns[index]!.name);
