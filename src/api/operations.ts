/** The routes of jobs that an operator asked for: backfills and replays. */
import { z } from 'zod';
import { BACKFILL_VERBS } from '../admin/change-backfill.ts';
import {
  changeOperation,
  listOperations,
  OPERATION_KINDS,
  OPERATION_STATES,
  type Operation,
  type OperationFilter,
  showOperation,
} from '../admin/operations.ts';
import type { Queryable } from '../db/pool.ts';
import { cursors, LONG_PAGE, type PageInput } from './page.ts';
import { NO_BODY, type Route, route, writing } from './route.ts';

export const OperationShape = z
  .looseObject({
    id: z.uuid(),
    kind: z.enum(OPERATION_KINDS),
    sink: z.string(),
    database: z.string(),
    state: z.enum(OPERATION_STATES),
    progress: z.looseObject({
      table: z.string().nullable(),
      done: z.number(),
      sent: z.number(),
      total: z.number().nullable(),
      percent: z.number().nullable(),
      per_second: z.number().nullable(),
      seconds_left: z.number().nullable(),
    }),
    reason: z.string().nullable(),
    remedy: z.string().nullable(),
    inserted_at: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: 'Operation' });

export const tableOf = ({ table_schema, table_name }: Pick<Operation, 'table_schema' | 'table_name'>): string | null =>
  table_name === null ? null : `${table_schema}.${table_name}`;

export function shownOperation(operation: Operation): z.input<typeof OperationShape> {
  const { id, kind, sink_name, database_name, state, reason, remedy } = operation;
  const { rows_done, rows_sent, rows_total, percent, rows_per_second, seconds_left } = operation;
  return {
    ...{ id, kind, sink: sink_name, database: database_name, state },
    progress: {
      ...{ table: tableOf(operation), done: rows_done, sent: rows_sent, total: rows_total, percent },
      ...{ per_second: rows_per_second, seconds_left },
    },
    ...{ reason, remedy },
    inserted_at: operation.created_at.toISOString(),
    started_at: operation.started_at?.toISOString() ?? null,
    ended_at: operation.ended_at?.toISOString() ?? null,
  };
}

const PLACE = z.strictObject({
  at: z.string().regex(/^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/),
  id: z.uuid(),
});

/** A page of operations, with the cursor of the next one. @throws MillraceError bad_request. */
export async function operationPage(
  db: Queryable,
  { limit, cursor }: PageInput,
  filter: OperationFilter,
): Promise<{ operations: Operation[]; next_cursor: string | null }> {
  const places = cursors(PLACE, { ...filter });
  const { operations, next } = await listOperations(db, filter, { limit, after: places.read(cursor) });
  return { operations, next_cursor: places.write(next) };
}

const listRoute = route({
  method: 'GET',
  path: '/api/operations',
  scope: 'read',
  summary: 'Backfills and replays, newest first',
  input: z.strictObject({
    kind: z.enum(OPERATION_KINDS, `must be ${OPERATION_KINDS.join(' or ')}`).optional(),
    state: z.enum(OPERATION_STATES, `must be one of ${OPERATION_STATES.join(', ')}`).optional(),
    sink: z.string().optional(),
    database: z.string().optional(),
    ...LONG_PAGE,
  }),
  answer: z.looseObject({ data: z.array(OperationShape), next_cursor: z.string().nullable() }),
  sql: 'millrace.operation_status',
  async run(deps, { limit, cursor, ...filter }) {
    const { operations, next_cursor } = await operationPage(deps.db, { limit, cursor }, filter);
    return { data: operations.map(shownOperation), next_cursor };
  },
});

const ID = z.uuid('must be the id of an operation');

const showRoute = route({
  method: 'GET',
  path: '/api/operations/:id',
  scope: 'read',
  summary: 'One backfill or replay',
  input: z.strictObject({ id: ID }),
  answer: OperationShape,
  sql: 'millrace.operation_status',
  run: async (deps, { id }) => shownOperation(await showOperation(deps.db, id)),
});

const SUMMARIES = {
  pause: 'Stops it after its current page',
  resume: 'Goes on with one that is paused or has failed, where it was',
  cancel: 'Ends it for good; what it sent stays sent',
};

const verbs = BACKFILL_VERBS.map((verb) =>
  writing({
    method: 'POST',
    path: `/api/operations/:id/${verb}`,
    scope: 'operate',
    summary: SUMMARIES[verb],
    input: z.strictObject({ id: ID }),
    body: NO_BODY,
    answer: OperationShape,
    sql: `millrace.${verb}_backfill`,
    run: async (deps, { id }) => shownOperation(await changeOperation(deps.db, verb, id)),
  }),
);

export const OPERATION_ROUTES: readonly Route[] = [listRoute, showRoute, ...verbs];
