/**
 * /metrics for Prometheus, open like /livez: it holds names of sinks and counts, no values and no secrets. Who wants it
 * closed keeps the path from outside at the router. What is counted in the database is counted again at most every ten
 * seconds, however many scrape.
 */
import type { Queryable } from '../../db/pool.ts';
import { type Backlog, readBacklog } from '../../messages/health.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { remembered } from '../remembered.ts';
import { type Mount, methodNotAllowed } from '../route.ts';

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
  deps.metrics.gauge({
    name: 'waiting_receives',
    help: 'Clients that wait for messages in this process',
    collect: (gauge) => gauge.set(deps.waiting()),
  });
  return (app) => {
    app
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
    { name: 'sink_ok', help: '1 when the sink is well or was paused', value: (row) => (isOk(row) ? 1 : 0) },
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

const isOk = (row: Backlog): boolean => ['ok', 'paused', 'disabled'].includes(row.health);
