/**
 * Finishes changes that do not carry all of their values: those that lie unchanged in TOAST are read again (toast.ts),
 * generated columns that the source does not send are computed (compute-part.ts), in parts that fit into memory.
 */
import { JsonBytes } from '../../codec/json-bytes.ts';
import type { Reread } from '../../codec/row.ts';
import type { Database } from '../../db/pool.ts';
import type { Rows } from '../../messages/append.ts';
import {
  type Deferred,
  emptyPending,
  finishRows,
  gather,
  markOf,
  type Pending,
  rewind,
} from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import type { UntilSeen } from '../../source/visibility.ts';
import { type CompletedEntry, computed, partsOf, type Trouble } from './compute-part.ts';
import { askedOf, sizesOf, valuesOf } from './toast.ts';

export interface CompleteDeps {
  source: Database;
  renewTypes(relation: LoadedRelation): Promise<LoadedRelation>;
  untilSeen: UntilSeen;
  /** Tables, by oid, that gave no answer the last time: they are not waited for again. */
  unread: Set<number>;
  /** Messages lack values that are there. */
  onUnread(relation: LoadedRelation, trouble: Trouble): Promise<void>;
}

/** Milliseconds that a table's lock may keep the stream waiting. */
const PATIENCE_MS = 10_000;
/** Rows of one question. */
const ROWS = 500;

/**
 * The finished changes, as rows to be persisted before the next are asked for; the sinks that get any are added to the
 * batch's, and so are tables whose old values are left out. Throws only when the source cannot be asked, or keeps its commits unseen.
 */
export async function* complete(
  deps: CompleteDeps,
  batch: Pick<Pending, 'deferred' | 'sinks' | 'withoutOld'>,
): AsyncGenerator<Rows> {
  const lacking = batch.deferred.filter(({ missing }) => missing.length > 0);
  if (lacking.length > 0) await deps.untilSeen(new Set(lacking.map(({ xid }) => xid)));
  const out = new JsonBytes();
  for (const [relation, entries] of Map.groupBy(batch.deferred, (entry) => entry.relation)) {
    const patienceMs = deps.unread.delete(relation.oid) ? 0 : PATIENCE_MS;
    const trouble: Trouble = { isSilent: false };
    for (let from = 0; from < entries.length; from += ROWS) {
      const chunk = { relation, entries: entries.slice(from, from + ROWS), patienceMs };
      for await (const run of completed(deps.source, chunk, trouble))
        yield await finished(deps, { relation, out, run }, batch);
    }
    if (trouble.isSilent) deps.unread.add(relation.oid);
    if (trouble.isSilent || trouble.unreadable || trouble.code) await deps.onUnread(relation, trouble);
  }
}

interface Chunk {
  relation: LoadedRelation;
  entries: readonly Deferred[];
  patienceMs: number;
}

/** Runs of entries with all that is found of them. A table that gave no answer is not asked again. */
async function* completed(source: Database, chunk: Chunk, trouble: Trouble): AsyncGenerator<CompletedEntry[]> {
  const { relation, entries, patienceMs } = chunk;
  const lacking = entries.filter(({ missing }) => missing.length > 0);
  const onUnreadable = (why: string): void => {
    trouble.unreadable = why;
  };
  const asked = askedOf({ relation, patienceMs, onUnreadable }, lacking);
  const sizes = lacking.length > 0 && !trouble.isSilent ? await sizesOf(source, asked, lacking) : undefined;
  if (lacking.length > 0) trouble.isSilent ||= sizes === undefined;
  for (const part of partsOf(entries, sizes ?? new Map())) {
    let values: ReadonlyMap<Deferred, Reread | null> | undefined = new Map();
    if (sizes) values = await valuesOf(source, asked, { entries: part, sizes });
    trouble.isSilent ||= values === undefined;
    yield* computed(source, { part, values: values ?? new Map(), sizes: sizes ?? new Map(), patienceMs }, trouble);
  }
}

async function finished(
  deps: CompleteDeps,
  given: {
    relation: LoadedRelation;
    out: JsonBytes;
    run: readonly CompletedEntry[];
  },
  { sinks, withoutOld }: Pick<Pending, 'sinks' | 'withoutOld'>,
): Promise<Rows> {
  const { relation } = given;
  const out = emptyPending(0, given.out);
  let fresh: LoadedRelation | undefined;
  for (const { entry, found } of given.run) {
    const mark = markOf(out);
    const { misfits } = relation.codec;
    entry.render(out, found, relation);
    if (relation.types.size === 0 || relation.codec.misfits === misfits) continue;
    // A type of the user's own has changed: the row is taken back, and encoded anew.
    fresh ??= await deps.renewTypes(relation);
    rewind(out, mark);
    entry.render(out, found, fresh);
  }
  gather(sinks, out);
  for (const table of out.withoutOld) withoutOld.add(table);
  return { rows: finishRows(out), parked: out.parked };
}
