/** What became of a sink's messages, by minutes and hours. */
import { z } from 'zod';
import { findSink, type SinkList } from '../admin/find-sink.ts';
import { showDatabase } from '../admin/list-databases.ts';
import { readDatabaseMetrics, readSinkMetrics, secondsToLimit } from '../admin/metrics.ts';
import { REF, type Route, shared } from './route.ts';
import { TIME } from './time.ts';

const STEPS = ['minute', 'hour'] as const;

const Point = z.looseObject({
  at: z.string(),
  persisted: z.number(),
  delivered: z.number(),
  failed: z.number(),
  retried: z.number(),
  parked: z.number(),
  discarded: z.number(),
  bytes: z.number(),
  latency_ms: z.looseObject({
    p50: z.number().nullable(),
    p90: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  }),
  latency_buckets: z.array(z.number()),
});

const SinkMetrics = z.looseObject({ step: z.enum(STEPS), points: z.array(Point) }).meta({ id: 'SinkMetrics' });

/** Of the query string. */
export const PERIOD = {
  step: z.enum(STEPS, 'must be minute or hour').default('minute'),
  from: TIME.optional(),
  to: TIME.optional(),
};

export const metricsOf = ({ path, list, what }: { path: string; list: SinkList; what: string }): Route =>
  shared({
    method: 'GET',
    path: `${path}/:sink/metrics`,
    scope: 'read',
    summary: `What happened to the messages of ${what}, by minute or hour`,
    input: z.strictObject({ sink: REF, ...PERIOD }),
    answer: SinkMetrics,
    sql: 'millrace.sink_metrics',
    async run({ db }, { sink, step, from, to }) {
      const { name } = await findSink(db, sink, list);
      const points = await readSinkMetrics(db, name, { step, from, to });
      return {
        step,
        points: points.map(
          ({ p50_ms: p50, p90_ms: p90, p95_ms: p95, p99_ms: p99, latency_buckets, at, ...counts }) => ({
            at: at.toISOString(),
            ...counts,
            latency_ms: { p50, p90, p95, p99 },
            latency_buckets,
          }),
        ),
      };
    },
  });

const DatabaseMetrics = z
  .looseObject({
    step: z.enum(STEPS),
    seconds_to_limit: z.number().nullable(),
    points: z.array(
      z.looseObject({
        at: z.string(),
        commits: z.number(),
        persisted: z.number(),
        bytes: z.number(),
        lag_bytes: z.number(),
        kept_bytes: z.number().nullable(),
        limit_bytes: z.number().nullable(),
      }),
    ),
  })
  .meta({ id: 'DatabaseMetrics' });

export const databaseMetricsRoute = shared({
  method: 'GET',
  path: '/api/postgres_databases/:database/metrics',
  scope: 'read',
  summary: 'What was captured from a database, how far capture is behind, and how much WAL is kept, by minute or hour',
  input: z.strictObject({ database: REF, ...PERIOD }),
  answer: DatabaseMetrics,
  sql: null,
  async run({ db }, { database, step, from, to }) {
    const { name } = await showDatabase(db, database);
    const points = await readDatabaseMetrics(db, name, { step, from, to });
    return {
      step,
      seconds_to_limit: secondsToLimit(points),
      points: points.map(({ at, ...figures }) => ({ at: at.toISOString(), ...figures })),
    };
  },
});
