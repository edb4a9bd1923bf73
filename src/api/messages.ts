/** The routes of messages that are not settled, of sinks and change retentions: what waits, and what failed. */
import { z } from 'zod';
import { findSink, type SinkList } from '../admin/find-sink.ts';
import {
  countMessages,
  type ListedMessage,
  listMessages,
  MESSAGE_ORDERS,
  MESSAGE_STATES,
  showMessage,
} from '../admin/list-messages.ts';
import { MillraceError } from '../model/errors.ts';
import { CONDITIONS, refuseLooking, stateOf } from './message-filter.ts';
import { cursors, LONG_PAGE } from './page.ts';
import { RawJson } from './raw-json.ts';
import { type Permitted, REF, type Route, shared } from './route.ts';
import { ShapedMessage, shapedMessage } from './shaped-message.ts';

const Message = z
  .looseObject({
    id: z.number(),
    state: z.enum(MESSAGE_STATES),
    stage: z.string().nullable(),
    action: z.string(),
    table_schema: z.string(),
    table_name: z.string(),
    record_pk: z.string().nullable().optional(),
    attempts: z.number(),
    error: z
      .looseObject({ status: z.number().nullable(), type: z.string().nullable(), text: z.string() })
      .nullable()
      .optional(),
    size: z.number(),
    committed_at: z.string(),
    visible_at: z.string().nullable(),
    parked_at: z.string().nullable(),
    message: z.unknown().optional(),
    shaped: ShapedMessage.optional(),
  })
  .meta({ id: 'Message' });

/** Without `read:data` there is no key, no error and no message. */
function shown(message: ListedMessage, asking: Permitted): z.input<typeof Message> {
  const { id, state, stage, action, table_schema, table_name, attempts, size, committed_at, text } = message;
  const data = {
    record_pk: message.record_pk,
    error:
      message.error === null ? null : { status: message.error_status, type: message.error_type, text: message.error },
    ...(text === undefined ? {} : { message: new RawJson(text) }),
  };
  return {
    ...{ id, state, stage, action, table_schema, table_name, attempts, size, committed_at },
    visible_at: message.visible_at?.toISOString() ?? null,
    parked_at: message.parked_at?.toISOString() ?? null,
    ...(asking.may('read:data') ? data : {}),
  };
}

const INCLUDE = { include: z.literal('message', 'must be message').optional() };

/** Who knows the list up to there asks for what is new. */
const AFTER = z
  .string()
  .regex(/^\d{1,16}$/, 'must be the id of a message')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be the id of a message')
  .optional();

const ORDER = z.enum(MESSAGE_ORDERS, `must be ${MESSAGE_ORDERS.join(' or ')}`).optional();

/** What is new is at the other end then. @throws MillraceError bad_request */
function refuseAfter({ order, after }: { order?: string | undefined; after?: number | undefined }): void {
  if (order !== 'newest' || after === undefined) return;
  const message = 'goes with the oldest first alone';
  const remedy = 'Leave `order` or `after` out; `next_cursor` of an answer goes on in its order.';
  throw new MillraceError('bad_request', 'Not valid: after', { faults: [{ field: 'after', message, remedy }] });
}

/** Parts of one message, with commas between them. */
const PARTS = z
  .string()
  .regex(/^(message|shaped)(,(message|shaped))?$/, 'must be message, shaped, or both with a comma')
  .transform((text) => text.split(','))
  .optional();

/** @throws MillraceError forbidden. */
function refuseTexts({ include }: { include?: unknown }, asking: Permitted): void {
  if (include === undefined || asking.may('read:data')) return;
  throw new MillraceError('forbidden', 'The token does not have the scope `read:data`, which `include` needs', {
    remedy: 'Give it that scope in `api_tokens`, and apply the file; or leave that out.',
    facts: { needs: 'read:data' },
  });
}

export interface MessagesOf {
  /** Of the sinks: `/api/sinks`. */
  path: string;
  list: SinkList;
  /** For people: `a sink`. */
  what: string;
}

const FILTER = { state: stateOf(MESSAGE_STATES), ...CONDITIONS };

export function readMessagesOf({ path, list, what }: MessagesOf): Route[] {
  const listRoute = shared({
    method: 'GET',
    path: `${path}/:sink/messages`,
    scope: 'read',
    summary: `Messages of ${what} that are not settled, by id`,
    input: z.strictObject({ sink: REF, ...FILTER, ...INCLUDE, order: ORDER, after: AFTER, ...LONG_PAGE }),
    answer: z.looseObject({
      data: z.array(Message),
      next_cursor: z.string().nullable(),
      scanned: z.number(),
      last_id: z.number(),
    }),
    sql: 'millrace.pending_messages',
    async run({ db }, { sink: ref, limit, cursor, include, order, after: behind, ...filter }, asking) {
      refuseLooking(filter, asking);
      refuseAfter({ order, after: behind });
      refuseTexts({ include }, asking);
      const texts = include !== undefined;
      const sink = await findSink(db, ref, list);
      const places = cursors(z.int().min(0), { ...filter, order, sink: sink.id });
      const after = places.read(cursor) ?? behind;
      const page = await listMessages(db, sink.no, { filter, order, after, limit, texts });
      return {
        data: page.messages.map((message) => shown(message, asking)),
        next_cursor: places.write(page.next),
        scanned: page.scanned,
        last_id: page.last,
      };
    },
  });
  const countRoute = shared({
    method: 'GET',
    path: `${path}/:sink/messages/count`,
    scope: 'read',
    summary: `How many of the first 100,000 messages of ${what} match a filter`,
    input: z.strictObject({ sink: REF, ...FILTER }),
    answer: z.looseObject({ count: z.number(), is_estimate: z.boolean() }),
    sql: 'millrace.pending_messages',
    async run({ db }, { sink: ref, ...filter }, asking) {
      refuseLooking(filter, asking);
      return await countMessages(db, (await findSink(db, ref, list)).no, filter);
    },
  });
  const showRoute = shared({
    method: 'GET',
    path: `${path}/:sink/messages/:id`,
    scope: 'read',
    summary: `One message of ${what}`,
    input: z.strictObject({ sink: REF, id: MESSAGE_ID, include: PARTS }),
    answer: Message,
    sql: 'millrace.pending_messages',
    async run(deps, { sink: ref, id, include }, asking) {
      refuseTexts({ include }, asking);
      const { db } = deps;
      const sink = await findSink(db, ref, list);
      const message = await showMessage(db, sink.no, { id, texts: include?.includes('message') ?? false });
      const answer = shown(message, asking);
      return include?.includes('shaped') ? { ...answer, shaped: await shapedMessage(deps, sink, id) } : answer;
    },
  });
  return [listRoute, countRoute, showRoute];
}

/** In a path. */
export const MESSAGE_ID = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be the id of a message')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be the id of a message');
