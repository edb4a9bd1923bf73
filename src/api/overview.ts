/** One answer for a first page: whatever there is, how it is, and what needs attention first. */
import { z } from 'zod';
import type { Attention } from '../admin/attention.ts';
import type { Operation } from '../admin/operations.ts';
import type { OverviewDatabase, OverviewSink } from '../admin/overview.ts';
import { isPresent } from '../messages/processes.ts';
import { PLAYGROUND_SLOT } from '../runtime/state.ts';
import { VERSION } from '../runtime/version.ts';
import { CheckShape, shownCheck } from './check-shape.ts';
import { CAPTURE_LAG, shownSeconds } from './database-shape.ts';
import { HEALTH, healthOf, LEVELS } from './health-shape.ts';
import { OperationShape, shownOperation } from './operations.ts';
import { type Permitted, type Route, shared } from './route.ts';
import { SINK_LAG } from './sink-shape.ts';

/** More are not looked at one by one: the answer stays below 100 KB for a hundred sinks. */
const ATTENTION = 20;
const OPERATIONS = 10;
/** Characters of what a destination said. */
const ANSWER = 120;
const begun = (words: string): string => (words.length > ANSWER ? `${words.slice(0, ANSWER)}…` : words);

const AttentionShape = CheckShape.extend({
  since: z.string().nullable(),
  act: z.looseObject({ method: z.literal('POST'), path: z.string(), body: z.looseObject({}) }).nullable(),
}).meta({ id: 'Attention' });

const Minutes = z.array(z.number());
const Rate = z.looseObject({ persisted: z.number(), delivered: z.number(), failed: z.number() });
const Latency = z.looseObject({ p50: z.number().nullable(), p99: z.number().nullable() });

const SinkShape = z
  .looseObject({
    id: z.uuid(),
    name: z.string(),
    kind: z.string(),
    database: z.string(),
    status: z.string(),
    health: z.enum(HEALTH),
    reasons: z.array(z.string()),
    pending: z.number(),
    pending_is_estimate: z.boolean(),
    retrying: z.number(),
    parked: z.number(),
    oldest_seconds: z.number().nullable(),
    lag_seconds: SINK_LAG,
    failing_since: z.string().nullable(),
    per_second: Rate,
    latency_ms: Latency,
    hour: z.looseObject({ peak: z.number(), persisted: Minutes, delivered: Minutes }),
  })
  .meta({ id: 'OverviewSink' });

const DatabaseShape = z
  .looseObject({
    id: z.uuid(),
    name: z.string(),
    health: z.enum(HEALTH),
    reasons: z.array(z.string()),
    state: z.string().nullable(),
    state_since: z.string().nullable(),
    lag_bytes: z.number().nullable(),
    lag_seconds: CAPTURE_LAG,
    kept_bytes: z.number().nullable(),
    limit_bytes: z.number().nullable(),
  })
  .meta({ id: 'OverviewDatabase' });

const Process = z
  .looseObject({
    id: z.uuid(),
    role: z.string(),
    host: z.string(),
    pid: z.number(),
    version: z.string(),
    key_id: z.string(),
    started_at: z.string(),
    seen_at: z.string(),
    is_present: z.boolean(),
  })
  .meta({ id: 'Process' });

/** What it found and did stands in `GET /api/operations/{id}`. */
const OverviewOperation = OperationShape.omit({ result: true, steps: true, lines: true }).meta({
  id: 'OverviewOperation',
});

const OverviewShape = z
  .looseObject({
    at: z.string(),
    version: z.string(),
    health: z.enum(HEALTH),
    is_playground: z.boolean(),
    attention: z.array(AttentionShape),
    attention_count: z.number(),
    totals: z.looseObject({
      per_second: Rate,
      latency_ms: Latency,
      hour: z.looseObject({ persisted: Minutes, delivered: Minutes }),
    }),
    databases: z.array(DatabaseShape),
    sinks: z.array(SinkShape),
    change_retentions: z.array(SinkShape),
    operations: z.array(OverviewOperation),
    operations_count: z.number(),
    processes: z.array(Process),
  })
  .meta({ id: 'Overview' });

function shownAttention(item: Attention, asking: Permitted): z.input<typeof AttentionShape> {
  const check = shownCheck(item, asking);
  return {
    ...check,
    answer: check.answer && begun(check.answer),
    since: item.since,
    act: item.act && { ...item.act, body: { ...item.act.body } },
  };
}

/** Levels from 0 to 9, of which the busiest minute has 9: all that a small picture needs, in few bytes. */
function shownHour({ persisted, delivered }: OverviewSink['hour']) {
  const peak = Math.max(...persisted, ...delivered);
  const level = (count: number): number => (count === 0 ? 0 : Math.ceil((count / peak) * 9));
  return { peak, persisted: persisted.map(level), delivered: delivered.map(level) };
}

function shownOperationBriefly(operation: Operation, asking: Permitted): z.input<typeof OverviewOperation> {
  const { result: _result, steps: _steps, lines: _lines, ...shown } = shownOperation(operation, asking);
  return { ...shown, reason: shown.reason && begun(shown.reason) };
}

function shownSink(sink: OverviewSink): z.input<typeof SinkShape> {
  const { id, name, kind, database, status, reasons, pending, pending_is_estimate, retrying, parked } = sink;
  return {
    ...{
      id,
      name,
      kind,
      database,
      status,
      health: healthOf(sink),
      reasons,
      pending,
      pending_is_estimate,
      retrying,
      parked,
    },
    oldest_seconds: sink.oldest_seconds === null ? null : Math.round(sink.oldest_seconds * 10) / 10,
    lag_seconds: shownSeconds(sink.lag_seconds),
    failing_since: sink.failing_since?.toISOString() ?? null,
    per_second: { ...sink.rate },
    latency_ms: { p50: sink.p50_ms, p99: sink.p99_ms },
    hour: shownHour(sink.hour),
  };
}

const shownDatabase = ({ id, name, reasons, state, state_since, wal, level, lag_seconds }: OverviewDatabase) => ({
  ...{ id, name, health: LEVELS[level], reasons, state, state_since: state_since?.toISOString() ?? null },
  lag_bytes: wal?.lag_bytes ?? null,
  lag_seconds: shownSeconds(lag_seconds),
  kept_bytes: wal?.kept_bytes ?? null,
  limit_bytes: wal?.limit_bytes ?? null,
});

/** The shop that comes with a start without a configuration, and changes by itself. */
const isPlayground = ({ settings }: OverviewDatabase): boolean => settings.slot.name === PLAYGROUND_SLOT;

const overviewRoute = shared({
  method: 'GET',
  path: '/api/overview',
  scope: 'read',
  summary: 'Everything at a glance: the state of each thing, running work, and what needs attention first',
  input: z.strictObject({}),
  answer: OverviewShape,
  sql: null,
  async run(deps, _input, asking) {
    const overview = await deps.overview();
    const { at, level, attention, totals, databases, sinks, operations, processes } = overview;
    return {
      ...{ at: at.toISOString(), version: VERSION, health: LEVELS[level] },
      is_playground: databases.some(isPlayground),
      attention: attention.slice(0, ATTENTION).map((item) => shownAttention(item, asking)),
      attention_count: attention.length,
      totals: {
        ...{ per_second: { ...totals.rate }, latency_ms: { p50: totals.p50_ms, p99: totals.p99_ms } },
        hour: { ...totals.hour },
      },
      databases: databases.map(shownDatabase),
      sinks: sinks.filter(({ is_retention }) => !is_retention).map(shownSink),
      change_retentions: sinks.filter(({ is_retention }) => is_retention).map(shownSink),
      operations: operations.slice(0, OPERATIONS).map((operation) => shownOperationBriefly(operation, asking)),
      operations_count: operations.length,
      processes: processes.map((one) => ({
        ...{ id: one.id, role: one.role, host: one.host, pid: one.pid, version: one.version, key_id: one.key_id },
        ...{ started_at: one.started_at.toISOString(), seen_at: one.seen_at.toISOString(), is_present: isPresent(one) },
      })),
    };
  },
});

export const OVERVIEW_ROUTES: readonly Route[] = [overviewRoute];
