/**
 * Updates with values that Postgres did not send, because they lie unchanged in TOAST, and that the old row does not carry
 * either: they are read again by primary key, and the updates are finished with them, in parts that fit into memory. What
 * is read may be newer than the change; the change that made it so follows. It is never older: a row that was moved would not
 * be there yet, or another one in its place. Values of a row that is gone are left out.
 * https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html (TupleData, 'u')
 */

import { JsonBytes } from '../../codec/json-bytes.ts';
import type { Reread } from '../../codec/row.ts';
import type { Database } from '../../db/pool.ts';
import type { Rows } from '../../messages/append.ts';
import { quoteIdentifier } from '../../model/quote.ts';
import { type Deferred, emptyPending, finishRows, markOf, type Pending, rewind } from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import type { UntilSeen } from '../../source/snapshot.ts';
import type { TextForm } from '../../source/text-form.ts';
import { lookUp } from './read-again.ts';

export interface ReadAgainDeps {
  source: Database;
  renewTypes(relation: LoadedRelation): Promise<LoadedRelation>;
  untilSeen: UntilSeen;
  /** Tables, by oid, that gave no answer the last time: they are not waited for again. */
  unread: Set<number>;
  /** Values are there, and could not be read: their messages lack them. */
  onUnread(relation: LoadedRelation): Promise<void>;
}

/** Milliseconds that a table's lock may keep the stream waiting. */
const PATIENCE_MS = 10_000;

/** Keys of one question. */
const KEYS = 500;
/** Bytes of values of one answer, about. */
const PART_BYTES = 2 * 1024 * 1024;
/** A value that Postgres compressed may be this much longer. */
const COMPRESSION = 4;
/** bytea, whose text has two digits for each byte; text, bpchar, varchar. */
const BYTEA = 17;
const TEXTS = new Set([25, 1042, 1043]);

/**
 * The finished updates, as rows to be persisted before the next are asked for; the sinks that get any are added to the batch's. Throws only when the source
 * cannot be asked, or keeps its commits unseen.
 */
export async function* readAgain(
  deps: ReadAgainDeps,
  batch: Pick<Pending, 'deferred' | 'sinks'>,
): AsyncGenerator<Rows> {
  await deps.untilSeen(new Set(batch.deferred.map(({ xid }) => xid)));
  const out = new JsonBytes();
  for (const [relation, entries] of Map.groupBy(batch.deferred, (entry) => entry.relation)) {
    const patienceMs = deps.unread.delete(relation.oid) ? 0 : PATIENCE_MS;
    let unread = 0;
    for (let from = 0; from < entries.length; from += KEYS) {
      const wanted = entries.slice(from, from + KEYS);
      const asked = {
        relation,
        indexes: [...new Set(wanted.flatMap((entry) => entry.missing))].filter((index) => nameOf(relation, index)),
        patienceMs,
      };
      // A table that gave no answer is not asked again.
      const sizes = unread > 0 ? undefined : await sizesOf(deps.source, asked, wanted);
      for (const part of partsOf(wanted, sizes ?? new Map())) {
        const values = sizes && (await valuesOf(deps.source, asked, { entries: part, sizes }));
        if (values === undefined) unread += part.length;
        yield await finished(deps, { relation, out, part, values: values ?? new Map() }, batch.sinks);
      }
    }
    if (unread === 0) continue;
    deps.unread.add(relation.oid);
    await deps.onUnread(relation);
  }
}

interface Asked {
  relation: LoadedRelation;
  /** Columns by index. */
  indexes: readonly number[];
  patienceMs: number;
}

/** Bytes of each row with its values, about. Undefined: the table gave no answer. */
async function sizesOf(
  source: Database,
  { relation, indexes, patienceMs }: Asked,
  entries: readonly Deferred[],
): Promise<Map<Deferred, number> | undefined> {
  const sizes = indexes.map((index) => {
    const { typeOid } = relation.message.columns[index]!;
    const name = nameOf(relation, index) ?? '';
    if (TEXTS.has(typeOid)) return `coalesce(octet_length(t.${quoteIdentifier(name)}), 0)`;
    if (typeOid === BYTEA) return `coalesce(octet_length(t.${quoteIdentifier(name)}), 0) * 2`;
    return `coalesce(pg_column_size(t.${quoteIdentifier(name)}), 0) * ${COMPRESSION}`;
  });
  const found = await lookUp(source, { relation, patienceMs, list: () => `(${sizes.join(' + ')})::bigint` }, entries);
  return found && new Map([...found].map(([entry, [size]]) => [entry, entry.bytes + Number(size)]));
}

/** Values by column index, of rows that are there; null of one that is too large. Undefined: the table gave no answer. */
async function valuesOf(
  source: Database,
  { relation, indexes, patienceMs }: Asked,
  part: { entries: readonly Deferred[]; sizes: ReadonlyMap<Deferred, number> },
): Promise<Map<Deferred, Reread | null> | undefined> {
  const values = new Map<Deferred, Reread | null>();
  const isLarge = (entry: Deferred): boolean => (part.sizes.get(entry) ?? 0) > entry.maxRowBytes;
  for (const entry of part.entries) if (isLarge(entry)) values.set(entry, null);
  const wanted = part.entries.filter((entry) => part.sizes.has(entry) && !isLarge(entry));
  if (wanted.length === 0) return values;
  const list = (form: TextForm): string => form.list(indexes.map((index) => ({ name: nameOf(relation, index) ?? '' })));
  const found = await lookUp(source, { relation, patienceMs, list }, wanted);
  if (found === undefined) return undefined;
  for (const [entry, texts] of found) {
    const known = indexes.map((index, n) => [index, texts[n] ?? null] as const);
    values.set(entry, new Map(known.filter(([index]) => entry.missing.includes(index))));
  }
  return values;
}

/** Runs of entries whose values are not too many bytes; one alone may be more. */
function* partsOf(entries: readonly Deferred[], sizes: ReadonlyMap<Deferred, number>): Generator<Deferred[]> {
  let part: Deferred[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = sizes.get(entry) ?? entry.bytes;
    if (part.length > 0 && bytes + size > PART_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

async function finished(
  deps: ReadAgainDeps,
  given: {
    relation: LoadedRelation;
    out: JsonBytes;
    part: readonly Deferred[];
    values: ReadonlyMap<Deferred, Reread | null>;
  },
  sinks: Set<number>,
): Promise<Rows> {
  const { relation } = given;
  const out = emptyPending(0, given.out);
  let fresh: LoadedRelation | undefined;
  for (const entry of given.part) {
    const mark = markOf(out);
    const { misfits } = relation.codec;
    const reread = given.values.get(entry);
    entry.render(out, reread, relation);
    if (relation.types.size === 0 || relation.codec.misfits === misfits) continue;
    // A type of the user's own has changed: the row is taken back, and encoded anew.
    fresh ??= await deps.renewTypes(relation);
    rewind(out, mark);
    entry.render(out, reread, fresh);
  }
  for (const sink of out.sinks) sinks.add(sink);
  return { rows: finishRows(out), parked: out.parked };
}

/** What the column is called now. */
const nameOf = (relation: LoadedRelation, index: number): string | undefined =>
  relation.namesNow.get(relation.codec.columns[index]!.name);
