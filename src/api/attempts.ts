/** The routes of attempts: deliveries that failed, of a message or of a sink. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import { type Attempt as Listed, messageAttempts, sinkAttempts } from '../admin/list-attempts.ts';
import { MESSAGE_ID, type MessagesOf } from './messages.ts';
import { cursors, LONG_PAGE } from './page.ts';
import { type Permitted, REF, type Route, shared } from './route.ts';

const Attempt = z
  .looseObject({
    id: z.number(),
    message_id: z.number(),
    attempt: z.number(),
    at: z.string(),
    stage: z.string(),
    took_ms: z.number().nullable(),
    status: z.number().nullable(),
    type: z.string().nullable(),
    text: z.string().optional(),
  })
  .meta({ id: 'Attempt' });

/** A destination's words may quote a row. */
const shown = ({ text, at, ...attempt }: Listed, asking: Permitted): z.input<typeof Attempt> => ({
  ...attempt,
  at: at.toISOString(),
  ...(asking.may('read:data') ? { text } : {}),
});

const AFTER = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an attempt')
  .transform(Number)
  .optional();

export function attemptsOf({ path, list, what }: MessagesOf): Route[] {
  const ofMessage = shared({
    method: 'GET',
    path: `${path}/:sink/messages/:id/attempts`,
    scope: 'read',
    summary: `Failed deliveries of one message of ${what}: the first and the last nine`,
    input: z.strictObject({ sink: REF, id: MESSAGE_ID }),
    answer: z.looseObject({ data: z.array(Attempt), next_cursor: z.null() }),
    sql: null,
    async run({ db }, { sink, id }, asking) {
      const { no } = await findSink(db, sink, list);
      return { data: (await messageAttempts(db, no, id)).map((one) => shown(one, asking)), next_cursor: null };
    },
  });
  const ofSink = shared({
    method: 'GET',
    path: `${path}/:sink/attempts`,
    scope: 'read',
    summary: `Failed deliveries of ${what}, newest first`,
    input: z.strictObject({ sink: REF, after: AFTER, ...LONG_PAGE }),
    answer: z.looseObject({ data: z.array(Attempt), next_cursor: z.string().nullable() }),
    sql: null,
    async run({ db }, { sink: ref, after, limit, cursor }, asking) {
      const sink = await findSink(db, ref, list);
      const places = cursors(z.int().min(0), { after, sink: sink.id });
      const { attempts, next } = await sinkAttempts(db, sink.no, { before: places.read(cursor), after, limit });
      return { data: attempts.map((one) => shown(one, asking)), next_cursor: places.write(next) };
    },
  });
  return [ofMessage, ofSink];
}
