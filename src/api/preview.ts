/** The routes of a preview: messages of a sink on their way, step by step, while somebody looks. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import { type Preview as Looked, lookAtPreview, type RecentMessage, startPreview } from '../admin/preview.ts';
import { RawJson } from './raw-json.ts';
import { REF, type Route, route, writing } from './route.ts';

const PATH = '/api/sinks/:sink/preview';
const MOST_SECONDS = 600;
const SECONDS = `must be a whole number from 1 to ${MOST_SECONDS}`;

const Steps = z.looseObject({
  captured: z.looseObject({ at: z.string(), size: z.number(), message: z.unknown() }),
  shaped: z.looseObject({ took_ms: z.number(), kept: z.boolean() }).nullable(),
  sent: z.looseObject({ at: z.string(), took_ms: z.number(), deliveries: z.unknown() }).nullable(),
  settled: z.looseObject({ took_ms: z.number() }).nullable(),
  answer: z.looseObject({
    outcome: z.string(),
    stage: z.string().nullable(),
    status: z.number().nullable(),
    type: z.string().nullable(),
    text: z.string().nullable(),
  }),
});

const Recent = z
  .looseObject({
    id: z.number(),
    message_id: z.number(),
    at: z.string(),
    action: z.string(),
    table_schema: z.string(),
    table_name: z.string(),
    record_pk: z.string().nullable(),
    steps: Steps,
  })
  .meta({ id: 'RecentMessage' });

const Answer = z.looseObject({ until: z.string().nullable(), data: z.array(Recent), next_cursor: z.null() });

function shownMessage({ id, message_id, at, action, ...row }: RecentMessage): z.input<typeof Recent> {
  const { table_schema, table_name, record_pk, shape_ms, kept, sent_at, send_ms, settle_ms } = row;
  const { outcome, stage, status, type, text } = row;
  return {
    ...{ id, message_id, at: at.toISOString(), action, table_schema, table_name, record_pk },
    steps: {
      captured: { at: row.committed_at, size: row.size, message: new RawJson(row.message ?? 'null') },
      shaped: shape_ms === null ? null : { took_ms: shape_ms, kept: kept === true },
      sent:
        sent_at === null
          ? null
          : { at: sent_at.toISOString(), took_ms: send_ms ?? 0, deliveries: new RawJson(row.sent ?? 'null') },
      settled: settle_ms === null ? null : { took_ms: settle_ms },
      answer: { outcome, stage, status, type, text },
    },
  };
}

const shown = ({ until, messages }: Looked): z.input<typeof Answer> => ({
  until: until?.toISOString() ?? null,
  data: messages.map(shownMessage),
  next_cursor: null,
});

const startRoute = writing({
  method: 'POST',
  path: PATH,
  scope: 'read:data',
  summary: 'Records messages of a sink as they pass through, one a second, while somebody is watching',
  input: z.strictObject({ sink: REF }),
  body: z.strictObject({ seconds: z.int(SECONDS).min(1, SECONDS).max(MOST_SECONDS, SECONDS).default(MOST_SECONDS) }),
  answer: Answer,
  sql: null,
  run: async ({ db }, { sink, body }) => shown(await startPreview(db, await findSink(db, sink, 'sinks'), body.seconds)),
});

const lookRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'read:data',
  summary: 'Recorded messages of a sink, newest first, each with its steps',
  input: z.strictObject({
    sink: REF,
    after: z
      .string()
      .regex(/^\d{1,15}$/, 'must be the `id` of one that was seen')
      .transform(Number)
      .default(0),
  }),
  answer: Answer,
  sql: null,
  run: async ({ db }, { sink, after }) => shown(await lookAtPreview(db, (await findSink(db, sink, 'sinks')).no, after)),
});

export const PREVIEW_ROUTES: readonly Route[] = [startRoute, lookRoute];
