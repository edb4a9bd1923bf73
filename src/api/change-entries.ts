/** What a change table holds, how its old entries are deleted, and the SQL that makes it. */
import { z } from 'zod';
import { changeTableOf, countAhead, type RetentionRun, readEntries, readRun } from '../admin/change-entries.ts';
import { findSink } from '../admin/find-sink.ts';
import { retentionSql, shownInterval } from '../admin/retention-sql.ts';
import { MillraceError } from '../model/errors.ts';
import { period, TablePart } from '../model/scalars.ts';
import { cursors, LONG_PAGE } from './page.ts';
import { RawJson } from './raw-json.ts';
import { REF, type Route, route, writing } from './route.ts';
import { TIME } from './time.ts';

const PATH = '/api/change_retentions';
const ACTIONS = ['insert', 'update', 'delete'] as const;
const SEQ = z
  .string()
  .regex(/^\d{1,18}$/, 'must be the seq of an entry')
  .optional();

const Entry = z
  .looseObject({
    id: z.number(),
    seq: z.number(),
    source_table_schema: z.string(),
    source_table_name: z.string(),
    record_pk: z.string(),
    action: z.string(),
    record: z.unknown(),
    changes: z.unknown(),
    committed_at: z.string(),
    inserted_at: z.string(),
  })
  .meta({ id: 'ChangeEntry' });

/** The seq and the id of an entry. */
const PLACE = z.tuple([z.int(), z.int()]);

const entriesRoute = route({
  method: 'GET',
  path: `${PATH}/:sink/entries`,
  scope: 'read:data',
  summary: 'Entries of the change table, in the order of their seq',
  input: z.strictObject({
    sink: REF,
    record_pk: z.string().optional(),
    action: z.enum(ACTIONS, `must be one of ${ACTIONS.join(', ')}`).optional(),
    since: TIME.optional(),
    until: TIME.optional(),
    from_seq: SEQ,
    to_seq: SEQ,
    order: z.enum(['oldest', 'newest'], 'must be oldest or newest').default('oldest'),
    ...LONG_PAGE,
  }),
  answer: z.looseObject({ data: z.array(Entry), next_cursor: z.string().nullable() }),
  sql: null,
  async run({ db, outside }, { sink, limit, cursor, order, ...filter }) {
    const retention = await findSink(db, sink, 'change_retentions');
    const places = cursors(PLACE, { retention: retention.id, order, ...filter });
    const wanted = { retention, filter, limit: limit + 1, after: places.read(cursor), newestFirst: order === 'newest' };
    const found = await outside((on, signal) => readEntries(on, wanted, signal));
    const entries = found.slice(0, limit);
    const last = entries.at(-1);
    return {
      data: entries.map(({ record, changes, ...entry }) => ({
        ...entry,
        record: new RawJson(record),
        changes: changes === null ? null : new RawJson(changes),
      })),
      next_cursor: places.write(found.length > limit && last ? [last.seq, last.id] : null),
    };
  },
});

const STATES = ['none', 'waiting', 'ok', 'warning', 'failing'] as const;

/** `by`: undefined for none. */
function stateOf(by: string | undefined, { code, ran_at }: RetentionRun): (typeof STATES)[number] {
  if (by === undefined) return 'none';
  if (code !== null) return code === 'few_partitions' ? 'warning' : 'failing';
  return by === 'job' && ran_at === null ? 'waiting' : 'ok';
}

const policyRoute = route({
  method: 'GET',
  path: `${PATH}/:sink/policy`,
  scope: 'read',
  summary: 'How old entries of the change table are deleted, when that last happened, and any problem with it',
  input: z.strictObject({ sink: REF }),
  answer: z
    .looseObject({
      by: z.enum(['none', 'job', 'pg_cron', 'pg_partman']),
      keep: z.string().nullable(),
      state: z.enum(STATES),
      last_run: z.string().nullable(),
      deleted: z.number().nullable(),
      next_run: z.string().nullable(),
      partitions_ahead: z.number().nullable(),
      reason: z.string().nullable(),
      remedy: z.string().nullable(),
      sql: z.string().nullable(),
    })
    .meta({ id: 'RetentionPolicy' }),
  sql: null,
  async run({ db, outside }, { sink }) {
    const retention = await findSink(db, sink, 'change_retentions');
    const { retention: policy } = changeTableOf(retention);
    const run = await readRun(db, retention);
    return {
      by: policy?.by ?? ('none' as const),
      keep: policy && shownInterval(policy.keep_seconds),
      state: stateOf(policy?.by, run),
      last_run: run.ran_at?.toISOString() ?? null,
      deleted: run.deleted,
      next_run: run.next_at?.toISOString() ?? null,
      partitions_ahead:
        policy?.by === 'pg_partman' ? await outside((on, signal) => countAhead(on, retention, signal)) : null,
      ...{ reason: run.message, remedy: run.remedy },
      sql: policy && retentionSql(changeTableOf(retention)).sql,
    };
  },
});

const VARIANTS = ['plain', 'job', 'pg_cron', 'pg_partman'] as const;
const CHOICE = {
  variant: z.enum(VARIANTS, `must be one of ${VARIANTS.join(', ')}`).optional(),
  keep: period(1).optional(),
  every: period(1).optional(),
  interval: period(1).optional(),
  partman_version: z.enum(['4', '5'], 'must be 4 or 5').optional(),
};
const Sql = z.looseObject({ sql: z.string(), run_on: z.string() });

const sqlRoute = route({
  method: 'GET',
  path: `${PATH}/:sink/sql`,
  scope: 'read',
  summary: 'The SQL that creates the change table and deletes its old entries',
  input: z.strictObject({ sink: REF, ...CHOICE }),
  answer: Sql,
  sql: null,
  async run({ db }, { sink, ...choice }) {
    const retention = await findSink(db, sink, 'change_retentions');
    return asked(() => retentionSql(changeTableOf(retention), choice));
  },
});

const draftRoute = writing({
  method: 'POST',
  path: `${PATH}/sql`,
  scope: 'read',
  summary: 'The SQL that creates the change table of a change retention that is not stored yet',
  input: z.strictObject({}),
  body: z.strictObject({
    destination_database: z.string().min(1, 'is empty').optional(),
    destination_table_schema: TablePart.default('public'),
    destination_table_name: TablePart,
    cron_database: z.string().min(1, 'is empty').optional(),
    ...CHOICE,
  }),
  answer: Sql,
  sql: null,
  async run(_deps, { body }) {
    const { destination_database, destination_table_schema, destination_table_name, ...choice } = body;
    const table = { table_schema: destination_table_schema, table_name: destination_table_name };
    return asked(() => retentionSql({ ...table, database: destination_database ?? null, retention: null }, choice));
  },
});

/** A name that pg_partman does not take. */
function asked<Answer>(make: () => Answer): Answer {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'bad_request') throw error;
    const fault = { field: 'variant', message: error.message, ...(error.remedy ? { remedy: error.remedy } : {}) };
    throw new MillraceError('invalid', 'Not valid: variant', { faults: [fault] });
  }
}

export const CHANGE_ENTRY_ROUTES: readonly Route[] = [entriesRoute, policyRoute, sqlRoute, draftRoute];
