/** Messages that failed are tried again, or given up: by id, or all that fit a filter. */
import { z } from 'zod';
import { findSink, type NamedSink } from '../admin/find-sink.ts';
import { type MessageVerb, STATES_FOR, settleFound, settleMessages } from '../admin/settle-messages.ts';
import type { Queryable } from '../db/pool.ts';
import { CONDITIONS, refuseLooking, stateOf } from './message-filter.ts';
import { MESSAGE_ID, type MessagesOf } from './messages.ts';
import { type Asking, NO_BODY, REF, type Route, writing } from './route.ts';

const MOST = 10_000;

const Settled = z.looseObject({ count: z.number(), more: z.boolean() }).meta({ id: 'Settled' });

const ID = z.int('must be the id of a message').min(1, 'must be the id of a message');
const LIMIT = `must be a whole number from 1 to ${MOST}`;

/** `ids`, or a filter. */
const bodyOf = (verb: MessageVerb) =>
  z
    .strictObject({
      ids: z.array(ID).min(1, 'is empty').max(MOST, `has more than ${MOST} ids`).optional(),
      filter: z.strictObject({ state: stateOf(STATES_FOR[verb]), ...CONDITIONS }).optional(),
      limit: z.int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).optional(),
      dry_run: z.boolean('must be true or false').optional(),
    })
    .superRefine(({ ids, filter, limit, dry_run }, { addIssue }) => {
      const refuse = (field: string, message: string): void => addIssue({ code: 'custom', path: [field], message });
      if (ids === undefined && filter === undefined) {
        refuse('filter', 'is missing: give the ids of messages, or a filter ({} for all)');
      }
      if (ids === undefined) return;
      for (const [field, value] of Object.entries({ filter, limit, dry_run })) {
        if (value !== undefined) refuse(field, 'does not go with `ids`');
      }
    });

type Body = z.output<ReturnType<typeof bodyOf>>;

/** `sink` and what is asked of its messages. */
async function settle(
  db: Queryable,
  verb: MessageVerb,
  { sink, body, asking }: { sink: NamedSink; body: Body; asking: Asking },
): Promise<z.input<typeof Settled>> {
  const { ids, filter = {}, limit = MOST, dry_run: dryRun = false } = body;
  if (ids !== undefined) return { ...(await settleMessages(db, verb, { sink, ids })) };
  refuseLooking(filter, asking);
  return { ...(await settleFound(db, verb, { sink, filter, limit, dryRun })) };
}

const WORDS = {
  retry: { all: 'Tries parked messages again', one: 'Tries a parked message again' },
  discard: { all: 'Gives up messages that failed', one: 'Gives up a message that failed' },
};

export function settleMessagesOf({ path, list, what }: MessagesOf): Route[] {
  return (['retry', 'discard'] as const).flatMap((verb) => [
    writing({
      method: 'POST',
      path: `${path}/:sink/messages/${verb}`,
      scope: 'operate',
      summary: `${WORDS[verb].all} of ${what}, by ids or by a filter`,
      input: z.strictObject({ sink: REF }),
      body: bodyOf(verb),
      answer: Settled,
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
