/**
 * /metrics for Prometheus, open like /livez: it holds names of sinks and counts, no values and no secrets. Who wants it
 * closed keeps the path from outside at the router. What is counted in the database is counted again at most every ten
 * seconds, however many scrape.
 */
import type { Queryable } from '../../db/pool.ts';
import {
  type Backlog,
  type DatabaseHealth,
  type Judged,
  type Level,
  readBacklog,
  readDatabases,
} from '../../messages/health.ts';
import { readProcesses } from '../../messages/processes.ts';
import { readTotals, readWal } from '../../messages/totals.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { remembered } from '../remembered.ts';
import { type Mount, methodNotAllowed } from '../route.ts';
import { addRoleMetrics } from './role-metrics.ts';

export interface MetricsDependencies {
  db: Queryable;
  metrics: Metrics;
  /** Clients that wait for messages in this process. */
  waiting: () => number;
  now?: () => number;
}

const KEEP_MS = 10_000;

export function metricsRoutes(deps: MetricsDependencies): Mount {
  const backlog = remembered(() => readBacklog(deps.db), { keepMs: KEEP_MS, now: deps.now });
  addBacklogGauges(deps.metrics, backlog);
  addSinkHealth(deps.metrics, backlog);
  addDatabaseHealth(
    deps.metrics,
    remembered(() => readDatabases(deps.db), { keepMs: KEEP_MS, now: deps.now }),
  );
  const kept = { keepMs: KEEP_MS, now: deps.now };
  addRoleMetrics(deps.metrics, {
    totals: remembered(() => readTotals(deps.db), kept),
    processes: remembered(() => readProcesses(deps.db), kept),
    wal: remembered(() => readWal(deps.db), kept),
  });
  deps.metrics.gauge({
    name: 'waiting_receives',
    help: 'Clients that wait for messages in this process',
    collect: (gauge) => gauge.set(deps.waiting()),
  });
  return (router) => {
    router
      .route('/metrics')
      .get(async (_request, response) => {
        const { contentType, text } = await deps.metrics.render();
        response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
        response.end(text);
      })
      .all(methodNotAllowed('GET'));
  };
}

function addBacklogGauges(metrics: Metrics, read: () => Promise<Backlog[]>): void {
  const gauges: { name: string; help: string; value: (row: Backlog) => number }[] = [
    { name: 'sink_pending_messages', help: 'Messages that are not settled', value: (row) => row.pending },
    {
      name: 'sink_retrying_messages',
      help: 'Messages that back off or are held behind one',
      value: (row) => row.retrying,
    },
    { name: 'sink_parked_messages', help: 'Messages that failed for good', value: (row) => row.parked },
    {
      name: 'sink_oldest_message_age_seconds',
      help: 'Age of the oldest message',
      value: (row) => row.oldest_seconds ?? 0,
    },
    { name: 'sink_ok', help: '0 when its health is failing or unknown', value: (row) => (works(row) ? 1 : 0) },
    { name: 'sink_health_level', help: LEVEL_HELP, value: ({ level }) => NUMBERS[level] },
  ];
  for (const { name, help, value } of gauges) {
    metrics.gauge({
      name,
      help,
      labels: ['sink', 'kind'],
      async collect(gauge) {
        // Without the database the other metrics are still worth something.
        const rows = await read().catch(() => []);
        gauge.reset();
        for (const row of rows) gauge.set({ sink: row.name, kind: row.kind }, value(row));
      },
    });
  }
}

/** As millrace.metrics() has it. */
const NUMBERS: Record<Level, number> = { ok: 0, warning: 1, unknown: 2, failing: 3 };
const LEVEL_HELP = '0 ok, 1 warning, 2 unknown, 3 failing';

const works = ({ level }: Judged): boolean => NUMBERS[level] < NUMBERS.unknown;

function addSinkHealth(metrics: Metrics, read: () => Promise<Backlog[]>): void {
  metrics.gauge({
    name: 'sink_health_reason',
    help: '1 for each reason',
    labels: ['sink', 'kind', 'reason'],
    async collect(gauge) {
      const rows = await read().catch(() => []);
      gauge.reset();
      for (const { name, kind, reasons } of rows) {
        for (const reason of reasons) gauge.set({ sink: name, kind, reason }, 1);
      }
    },
  });
}

function addDatabaseHealth(metrics: Metrics, readAll: () => Promise<DatabaseHealth[]>): void {
  const read = async (): Promise<DatabaseHealth[]> =>
    (await readAll().catch(() => [])).filter(({ state }) => state !== null);
  const figures: { name: string; help: string; value: (row: DatabaseHealth) => number }[] = [
    {
      name: 'database_streaming',
      help: '1 while it is captured',
      value: ({ state }) => (state === 'streaming' ? 1 : 0),
    },
    { name: 'database_health_level', help: LEVEL_HELP, value: ({ level }) => NUMBERS[level] },
  ];
  for (const { name, help, value } of figures) {
    metrics.gauge({
      name,
      help,
      labels: ['database'],
      async collect(gauge) {
        const rows = await read();
        gauge.reset();
        for (const row of rows) gauge.set({ database: row.name }, value(row));
      },
    });
  }
  metrics.gauge({
    name: 'database_health_reason',
    help: '1 for each reason',
    labels: ['database', 'reason'],
    async collect(gauge) {
      const rows = await read();
      gauge.reset();
      for (const { name, reasons } of rows) for (const reason of reasons) gauge.set({ database: name, reason }, 1);
    },
  });
}
