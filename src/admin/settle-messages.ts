/** Messages that failed, put back or given up: by id or by filter, some thousand at a time, each thousand in a transaction. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { NamedSink } from './find-sink.ts';
import { conditionsOf, type MESSAGE_STATES, type MessageFilter } from './list-messages.ts';

const FAILED = statement('admin/failed-messages');
const COUNT = statement('admin/count-failed');
const VERBS = { retry: statement('admin/retry-messages'), discard: statement('admin/discard-messages') };

const LOOKED = 50_000;
/** Messages that are looked at to count them. */
const COUNTED = 1_000_000;
/** In a transaction. */
export const AT_ONCE = 1_000;

export type MessageVerb = keyof typeof VERBS;
type State = (typeof MESSAGE_STATES)[number];

/** In which states a message may be for it. */
export const STATES_FOR = {
  retry: ['parked'],
  discard: ['parked', 'retrying', 'held'],
} as const satisfies Record<MessageVerb, readonly State[]>;

export interface Settled {
  /** Messages that it applied to, or would. */
  count: number;
  /** There were more than were asked for. */
  more: boolean;
}

/** Those among `ids` that are in such a state. */
export async function settleMessages(
  db: Queryable,
  verb: MessageVerb,
  { sink, ids }: { sink: Pick<NamedSink, 'name'>; ids: readonly number[] },
): Promise<Settled> {
  let count = 0;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const { rows } = await db.query<{ count: number }>(VERBS[verb], [sink.name, ids.slice(at, at + AT_ONCE)]);
    count += rows[0]!.count;
  }
  return { count, more: false };
}

export interface Wanted {
  sink: Pick<NamedSink, 'no' | 'name'>;
  filter: MessageFilter;
  limit: number;
  /** Only counts. */
  dryRun: boolean;
}

/** In which states those are that are meant. */
const statesOf = (verb: MessageVerb, { state }: MessageFilter): readonly State[] =>
  state === undefined ? STATES_FOR[verb] : [state];

interface Place {
  sinkNo: number;
  verb: MessageVerb;
  filter: MessageFilter;
  /** An id; 0 for the beginning. */
  after: number;
}

/** Of the next 50,000 in states for the verb those that it applies to, by id; `last`: behind which to go on, null: there are no more. */
export async function findFailed(
  db: Queryable,
  { sinkNo, verb, filter, after }: Place,
): Promise<{ ids: number[]; last: number | null }> {
  const states = statesOf(verb, filter);
  const values: unknown[] = [sinkNo, states, after, LOOKED, ...conditionsOf(filter), verb === 'retry'];
  const { rows } = await db.query<{ ids: number[]; last_id: number | null }>(FAILED, values);
  return { ids: rows[0]!.ids, last: rows[0]!.last_id };
}

/** The first ones that fit, by id. */
export async function settleFound(
  db: Queryable,
  verb: MessageVerb,
  { sink, filter, limit, dryRun }: Wanted,
): Promise<Settled> {
  const found: number[] = [];
  let after: number | null = 0;
  while (after !== null && found.length <= limit) {
    const next = await findFailed(db, { sinkNo: sink.no, verb, filter, after });
    found.push(...next.ids);
    after = next.last;
  }
  const ids = found.slice(0, limit);
  const more = found.length > limit;
  if (dryRun) return { count: ids.length, more };
  return { ...(await settleMessages(db, verb, { sink, ids })), more };
}

/** How many there are; `more`: a million were looked at, and there are others. */
export async function countFailed(
  db: Queryable,
  verb: MessageVerb,
  { sink, filter }: Pick<Wanted, 'sink' | 'filter'>,
): Promise<Settled> {
  if (conditionsOf(filter).every((value) => value === null)) {
    const values = [sink.no, statesOf(verb, filter), COUNTED + 1, verb === 'retry'];
    const { count } = (await db.query<{ count: number }>(COUNT, values)).rows[0]!;
    return { count: Math.min(count, COUNTED), more: count > COUNTED };
  }
  let count = 0;
  let after: number | null = 0;
  for (let looked = 0; after !== null && looked < COUNTED; looked += LOOKED) {
    const next = await findFailed(db, { sinkNo: sink.no, verb, filter, after });
    count += next.ids.length;
    after = next.last;
  }
  return { count, more: after !== null };
}
