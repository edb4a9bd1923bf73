/** Messages that failed, put back or given up: by id or by filter, some thousand at a time, each thousand in a transaction. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { NamedSink } from './find-sink.ts';
import { conditionsOf, type MESSAGE_STATES, type MessageFilter } from './list-messages.ts';

const FAILED = statement('admin/failed-messages');
const VERBS = { retry: statement('admin/retry-messages'), discard: statement('admin/discard-messages') };

const LOOKED = 50_000;
const AT_ONCE = 1_000;

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

/** The first ones that fit, by id. */
export async function settleFound(
  db: Queryable,
  verb: MessageVerb,
  { sink, filter, limit, dryRun }: Wanted,
): Promise<Settled> {
  const states = filter.state === undefined ? STATES_FOR[verb] : [filter.state];
  const found: number[] = [];
  let after: number | null = 0;
  while (after !== null && found.length <= limit) {
    const values: unknown[] = [sink.no, states, after, LOOKED, ...conditionsOf(filter)];
    const { rows }: { rows: { ids: number[]; last_id: number | null }[] } = await db.query(FAILED, values);
    found.push(...rows[0]!.ids);
    after = rows[0]!.last_id;
  }
  const ids = found.slice(0, limit);
  const more = found.length > limit;
  if (dryRun) return { count: ids.length, more };
  return { ...(await settleMessages(db, verb, { sink, ids })), more };
}
