/** The routes of jobs that an operator asked for, whoever does them. */
import { z } from 'zod';
import { watchedOperation } from '../admin/operation/watched-operation.ts';
import {
  changeOperation,
  listFindings,
  listOperations,
  OPERATION_KINDS,
  OPERATION_STATES,
  OPERATION_VERBS,
  type Operation,
  type OperationFilter,
  showOperation,
} from '../admin/operations.ts';
import type { Queryable } from '../db/pool.ts';
import { stepWithoutWords, wordsApart } from '../model/words-apart.ts';
import { cursors, LONG_PAGE, type PageInput } from './page.ts';
import { NO_BODY, type Permitted, type Route, route, shared, writing } from './route.ts';

export const OperationShape = z
  .looseObject({
    id: z.uuid(),
    kind: z.enum(OPERATION_KINDS),
    sink: z.string().nullable(),
    database: z.string(),
    state: z.enum(OPERATION_STATES),
    phase: z.string().nullable(),
    progress: z.looseObject({
      table: z.string().nullable(),
      done: z.number(),
      sent: z.number(),
      total: z.number().nullable(),
      percent: z.number().nullable(),
      per_second: z.number().nullable(),
      seconds_left: z.number().nullable(),
    }),
    result: z.looseObject({}).nullable(),
    steps: z.array(z.looseObject({ at: z.string(), text: z.string() })),
    lines: z.array(z.string()),
    reason: z.string().nullable(),
    remedy: z.string().nullable(),
    attempt: z.number().nullable(),
    requested_by: z.string().nullable(),
    inserted_at: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: 'Operation' });

export const tableOf = ({ table_schema, table_name }: Pick<Operation, 'table_schema' | 'table_name'>): string | null =>
  table_schema === null || table_name === null ? table_name : `${table_schema}.${table_name}`;

/** Without `read:data` an answer of a destination, which may quote a document, is cut off: it stands behind a colon. */
export function shownOperation(operation: Operation, asking: Permitted): z.input<typeof OperationShape> {
  const { id, kind, sink_name, database_name, state, reason, remedy } = operation;
  const { rows_done, rows_sent, rows_total, percent, rows_per_second, seconds_left } = operation;
  const { phase, result, attempt, requested_by } = operation;
  const isWhole = operation.attempt === null || asking.may('read:data');
  return {
    ...{ id, kind, sink: sink_name, database: database_name, state, phase },
    progress: {
      ...{ table: tableOf(operation), done: rows_done, sent: rows_sent, total: rows_total, percent },
      ...{ per_second: rows_per_second, seconds_left },
    },
    ...{ result, attempt, requested_by, remedy },
    reason: isWhole || reason === null ? reason : wordsApart(reason).said,
    steps: (operation.steps ?? []).map(({ text, ...step }) => ({
      ...step,
      text: isWhole ? text : stepWithoutWords(text),
    })),
    lines: isWhole ? [...(operation.lines ?? [])] : [],
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

const listRoute = shared({
  method: 'GET',
  path: '/api/operations',
  scope: 'read',
  summary: 'Jobs that operators started, newest first',
  input: z.strictObject({
    kind: z.enum(OPERATION_KINDS, `must be one of ${OPERATION_KINDS.join(', ')}`).optional(),
    state: z.enum(OPERATION_STATES, `must be one of ${OPERATION_STATES.join(', ')}`).optional(),
    sink: z.string().optional(),
    database: z.string().optional(),
    ...LONG_PAGE,
  }),
  answer: z.looseObject({ data: z.array(OperationShape), next_cursor: z.string().nullable() }),
  sql: 'millrace.operation_status',
  async run(deps, { limit, cursor, ...filter }, asking) {
    const { operations, next_cursor } = await operationPage(deps.db, { limit, cursor }, filter);
    return { data: operations.map((one) => shownOperation(one, asking)), next_cursor };
  },
});

const ID = z.uuid('must be the id of an operation');

const showRoute = shared({
  method: 'GET',
  path: '/api/operations/:id',
  scope: 'read',
  summary: 'One job',
  input: z.strictObject({ id: ID }),
  answer: OperationShape,
  sql: 'millrace.operation_status',
  run: async (deps, { id }, asking) => shownOperation(await watchedOperation(deps.db, id), asking),
});

const SUMMARIES = {
  pause: 'Pauses a job, with everything that it began',
  resume: 'Continues a job that is paused or has failed from where it stopped',
  cancel: 'Ends a job for good, with everything that it began; what it has done stays done',
};

const verbs = OPERATION_VERBS.map((verb) =>
  writing({
    method: 'POST',
    path: `/api/operations/:id/${verb}`,
    scope: 'operate',
    summary: SUMMARIES[verb],
    input: z.strictObject({ id: ID }),
    body: NO_BODY,
    answer: OperationShape,
    sql: `millrace.${verb}_operation`,
    run: async (deps, { id }, asking) => shownOperation(await changeOperation(deps.db, verb, id), asking),
  }),
);

const Difference = z
  .looseObject({
    kind: z.enum(['missing', 'extra', 'different']),
    index: z.string(),
    id: z.string(),
    table: z.string().nullable(),
    key: z.array(z.string()).nullable(),
    fields: z.array(z.string()),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Difference' });

const differencesRoute = route({
  method: 'GET',
  path: '/api/operations/:id/differences',
  scope: 'read:data',
  summary: 'The first 1,000 differences that a verification found',
  input: z.strictObject({ id: ID, ...LONG_PAGE }),
  answer: z.looseObject({ data: z.array(Difference), next_cursor: z.string().nullable() }),
  sql: null,
  async run({ db }, { id, limit, cursor }) {
    await showOperation(db, id);
    const places = cursors(z.int(), { id });
    const found = await listFindings(db, id, { limit: limit + 1, after: places.read(cursor) ?? 0 });
    const page = found.slice(0, limit);
    const data = page.map(({ finding }) => ({
      ...finding,
      key: finding.key && [...finding.key],
      fields: [...finding.fields],
    }));
    return { data, next_cursor: places.write(found.length > limit ? page.at(-1)!.no : null) };
  },
});

export const OPERATION_ROUTES: readonly Route[] = [listRoute, showRoute, differencesRoute, ...verbs];
