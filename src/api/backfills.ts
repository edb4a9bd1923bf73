/** Backfills of a sink, with the paths, words and counters of Sequin: its clients poll for `completed`. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import { changeOperation, type Operation, type OperationVerb, showOperation } from '../admin/operations.ts';
import { startBackfill } from '../admin/start-backfill.ts';
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import { isLong, Long, TOO_LONG } from '../model/scalars.ts';
import { operationPage, tableOf } from './operations.ts';
import { LONG_PAGE } from './page.ts';
import { REF, type Route, shared, writing } from './route.ts';

const PATH = '/api/sinks/:sink/backfills';

const Backfill = z
  .looseObject({
    id: z.uuid(),
    sink_consumer: z.string(),
    table: z.string().nullable(),
    state: z.enum(['active', 'paused', 'completed', 'failed', 'cancelled']),
    rows_initial_count: z.number().nullable(),
    rows_processed_count: z.number(),
    rows_ingested_count: z.number(),
    sort_column: z.string().nullable(),
    reason: z.string().nullable(),
    remedy: z.string().nullable(),
    inserted_at: z.string(),
    updated_at: z.string(),
    completed_at: z.string().nullable(),
    canceled_at: z.string().nullable(),
  })
  .meta({ id: 'Backfill' });

const STATES: Record<Operation['state'], z.infer<typeof Backfill>['state']> = {
  waiting: 'active',
  running: 'active',
  paused: 'paused',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

function shown(operation: Operation): z.input<typeof Backfill> {
  const { id, sink_name, state, reason, remedy, rows_done, rows_sent, rows_total, sort_column } = operation;
  const endedAt = operation.ended_at?.toISOString() ?? null;
  return {
    ...{
      id,
      sink_consumer: sink_name ?? '',
      table: tableOf(operation),
      state: STATES[state],
      reason,
      remedy,
      sort_column,
    },
    ...{ rows_initial_count: rows_total, rows_processed_count: rows_done, rows_ingested_count: rows_sent },
    inserted_at: operation.created_at.toISOString(),
    updated_at: (operation.ended_at ?? operation.updated_at).toISOString(),
    completed_at: state === 'done' ? endedAt : null,
    canceled_at: state === 'cancelled' ? endedAt : null,
  };
}

/** A backfill of this sink. @throws MillraceError not_found. */
async function find(db: Queryable, { sink, id }: { sink: string; id: string }): Promise<Operation> {
  const { name } = await findSink(db, sink, 'sinks');
  const operation = await showOperation(db, id);
  if (operation.sink_name === name && operation.kind === 'backfill') return operation;
  throw new MillraceError('not_found', `there is no backfill ${id} of sink ${name}`);
}

const Wanted = z
  .strictObject({
    table: z.string().nullish(),
    sort_column: z.string().nullish(),
    start_position: z.union([z.string(), z.number(), Long], 'must be a text or a number').nullish(),
  })
  .superRefine(({ table, sort_column: column, start_position: value }, { addIssue }) => {
    const refuse = (field: string, message: string): void => addIssue({ code: 'custom', path: [field], message });
    if (isLong(value)) refuse('start_position', `${TOO_LONG.message}. ${TOO_LONG.remedy}`);
    if (column == null && value != null) refuse('sort_column', 'is missing: the column whose value start_position is');
    if (column != null && value == null) refuse('start_position', 'is missing: the value of sort_column to begin with');
    if (column != null && table == null) refuse('table', 'is missing: the table that sort_column is of');
  })
  .transform(({ table, sort_column: column, start_position: value }) => ({
    table: table ?? undefined,
    from: column == null || value == null ? undefined : { column, value: String(value) },
  }));

const createRoute = writing({
  method: 'POST',
  path: PATH,
  scope: 'operate',
  summary: 'Sends existing rows: of all tables of a sink, of one table, or from a value on',
  input: z.strictObject({ sink: REF }),
  body: Wanted,
  answer: Backfill,
  sql: 'millrace.backfill',
  async run({ db }, { sink, body }) {
    const { name } = await findSink(db, sink, 'sinks');
    return shown(await showOperation(db, await startBackfill(db, { sink: name, ...body })));
  },
});

const listRoute = shared({
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'Backfills of a sink, newest first',
  input: z.strictObject({ sink: REF, ...LONG_PAGE }),
  answer: z.looseObject({ data: z.array(Backfill), next_cursor: z.string().nullable() }),
  sql: 'millrace.operation_status',
  async run({ db }, { sink, limit, cursor }) {
    const { name } = await findSink(db, sink, 'sinks');
    const { operations, next_cursor } = await operationPage(db, { limit, cursor }, { kind: 'backfill', sink: name });
    return { data: operations.map(shown), next_cursor };
  },
});

const INPUT = z.strictObject({ sink: REF, id: z.uuid('must be the id of a backfill') });

const showRoute = shared({
  method: 'GET',
  path: `${PATH}/:id`,
  scope: 'read',
  summary: 'One backfill of a sink',
  input: INPUT,
  answer: Backfill,
  sql: 'millrace.operation_status',
  run: async ({ db }, input) => shown(await find(db, input)),
});

const VERBS: Record<'active' | 'paused' | 'cancelled', OperationVerb> = {
  active: 'resume',
  paused: 'pause',
  cancelled: 'cancel',
};

const changeRoutes = (['PATCH', 'PUT'] as const).map((method) =>
  writing({
    method,
    path: `${PATH}/:id`,
    scope: 'operate',
    summary: 'Pauses, resumes or cancels a backfill, by `state`',
    input: INPUT,
    body: z.strictObject({
      state: z.enum(['active', 'paused', 'cancelled'], 'must be active, paused or cancelled'),
    }),
    answer: Backfill,
    sql: 'millrace.cancel_backfill',
    async run({ db }, { body, ...input }) {
      const { id } = await find(db, input);
      return shown(await changeOperation(db, VERBS[body.state], id));
    },
  }),
);

export const BACKFILL_ROUTES: readonly Route[] = [createRoute, listRoute, showRoute, ...changeRoutes];
