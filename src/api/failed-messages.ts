/** Messages that failed are tried again, or given up: by id, or all that fit a filter; where they are many, by a worker. */
import { z } from 'zod';
import { findSink, type NamedSink } from '../admin/find-sink.ts';
import { startSettling } from '../admin/operation/start.ts';
import { showOperation } from '../admin/operations.ts';
import {
  countFailed,
  type MessageVerb,
  type Settled as SettledCount,
  STATES_FOR,
  settleFound,
  settleMessages,
} from '../admin/settle-messages.ts';
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import { count as shownCount } from '../model/quantity.ts';
import { Begun } from './begun.ts';
import { CONDITIONS, refuseLooking, stateOf } from './message-filter.ts';
import { MESSAGE_ID, type MessagesOf } from './messages.ts';
import { OperationShape, shownOperation } from './operations.ts';
import { type Asking, NO_BODY, REF, type Route, writing } from './route.ts';

/** In one request; more are an operation. */
const MOST = 10_000;
/** By how much the count of those that fit may have moved since somebody saw it. */
const MOVED = 0.1;

const Settled = z.looseObject({ count: z.number(), more: z.boolean() }).meta({ id: 'Settled' });

const ID = z.int('must be the id of a message').min(1, 'must be the id of a message');
const COUNT = 'must be a whole number';
const LIMIT = `must be a whole number from 1 to ${MOST}`;

/** `ids`, or a filter. */
const bodyOf = (verb: MessageVerb) =>
  z
    .strictObject({
      ids: z.array(ID).min(1, 'is empty').max(MOST, `has more than ${MOST} ids`).optional(),
      filter: z.strictObject({ state: stateOf(STATES_FOR[verb]), ...CONDITIONS }).optional(),
      limit: z.int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).optional(),
      dry_run: z.boolean('must be true or false').optional(),
      expected_count: z.int(COUNT).min(0, COUNT).optional(),
    })
    .superRefine(({ ids, filter, limit, dry_run, expected_count }, { addIssue }) => {
      const refuse = (field: string, message: string): void => addIssue({ code: 'custom', path: [field], message });
      if (ids === undefined && filter === undefined) {
        refuse('filter', 'is missing: give the ids of messages, or a filter ({} for all)');
      }
      if (expected_count !== undefined && limit !== undefined) refuse('expected_count', 'does not go with `limit`');
      if (ids === undefined) return;
      for (const [field, value] of Object.entries({ filter, limit, dry_run, expected_count })) {
        if (value !== undefined) refuse(field, 'does not go with `ids`');
      }
    });

type Body = z.output<ReturnType<typeof bodyOf>>;

type Answered = z.input<typeof Settled> | Begun<z.input<typeof OperationShape>>;

/** `sink` and what is asked of its messages. */
async function settle(
  db: Queryable,
  verb: MessageVerb,
  { sink, body, asking }: { sink: NamedSink; body: Body; asking: Asking },
): Promise<Answered> {
  const { ids, filter = {}, limit, dry_run: dryRun = false, expected_count } = body;
  if (ids !== undefined) return { ...(await settleMessages(db, verb, { sink, ids })) };
  refuseLooking(filter, asking);
  if (limit !== undefined) return { ...(await settleFound(db, verb, { sink, filter, limit, dryRun })) };
  const counted = await countFailed(db, verb, { sink, filter });
  if (dryRun) return { ...counted };
  if (expected_count !== undefined) refuseMoved(counted, expected_count);
  if (counted.count <= MOST) return { ...(await settleFound(db, verb, { sink, filter, limit: MOST, dryRun })) };
  const id = await startSettling(db, verb, { sink: sink.name, filter, expectedCount: counted.count });
  return new Begun(`/api/operations/${id}`, shownOperation(await showOperation(db, id), asking));
}

/** Whoever agreed to so many did not agree to others. @throws MillraceError count_moved */
function refuseMoved({ count, more }: SettledCount, expected: number): void {
  if (count <= expected * (1 + MOVED) && (more || count >= expected * (1 - MOVED))) return;
  const many = `${shownCount(count)}${more ? ' or more' : ''}`;
  throw new MillraceError('count_moved', `${many} messages fit now, and ${shownCount(expected)} were expected`, {
    remedy: 'Look at them again, and ask with `expected_count` as it is then.',
    facts: { count },
  });
}

const WORDS = {
  retry: { all: 'Retries parked messages', one: 'Retries a parked message' },
  discard: { all: 'Discards failed messages', one: 'Discards a failed message' },
};

export function settleMessagesOf({ path, list, what }: MessagesOf): Route[] {
  return (['retry', 'discard'] as const).flatMap((verb) => [
    writing({
      method: 'POST',
      path: `${path}/:sink/messages/${verb}`,
      scope: 'operate',
      summary: `${WORDS[verb].all} of ${what}, by ids or by a filter`,
      begins: true,
      input: z.strictObject({ sink: REF }),
      body: bodyOf(verb),
      answer: z.union([Settled, OperationShape]),
      sql: `millrace.${verb}`,
      async run({ db }, { sink: ref, body }, asking) {
        const sink = await findSink(db, ref, list);
        return await settle(db, verb, { sink, body, asking });
      },
    }),
    writing({
      method: 'POST',
      path: `${path}/:sink/messages/:id/${verb}`,
      scope: 'operate',
      summary: `${WORDS[verb].one} of ${what}`,
      input: z.strictObject({ sink: REF, id: MESSAGE_ID }),
      body: NO_BODY,
      answer: Settled,
      sql: `millrace.${verb}`,
      async run({ db }, { sink: ref, id }) {
        const sink = await findSink(db, ref, list);
        return { ...(await settleMessages(db, verb, { sink, ids: [id] })) };
      },
    }),
  ]);
}
