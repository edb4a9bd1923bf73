/** Of all processes of all roles, as they have written it in the message database: also of workers that have no port. */
import type { Counts } from '../../messages/counters.ts';
import { LATENCY_BOUNDS } from '../../messages/latency.ts';
import { isPresent, type SeenProcess } from '../../messages/processes.ts';
import type { DatabaseWal, SinkTotals } from '../../messages/totals.ts';
import type { Metrics } from '../../runtime/metrics.ts';

export interface RoleFigures {
  totals(): Promise<readonly SinkTotals[]>;
  processes(): Promise<readonly SeenProcess[]>;
  wal(): Promise<readonly DatabaseWal[]>;
}

/** Without the database the other metrics are still worth something. */
const orNothing = async <Row>(read: () => Promise<readonly Row[]>): Promise<readonly Row[]> =>
  await read().catch(() => []);

const TOTALS: { name: string; help: string; of: keyof Counts }[] = [
  { name: 'sink_persisted_messages_total', help: 'Messages captured or backfilled for a sink', of: 'persisted' },
  { name: 'sink_persisted_bytes_total', help: 'Their size', of: 'bytes' },
  { name: 'sink_delivered_messages_total', help: 'Messages delivered, or acknowledged over HTTP', of: 'delivered' },
  { name: 'sink_failed_deliveries_total', help: 'Deliveries that failed, or were given back', of: 'failed' },
  { name: 'sink_retried_messages_total', help: 'Of them: those that come again', of: 'retried' },
  { name: 'sink_messages_parked_total', help: 'Messages that failed for good', of: 'parked' },
  { name: 'sink_discarded_messages_total', help: 'Messages given up', of: 'discarded' },
];

export function addRoleMetrics(metrics: Metrics, figures: RoleFigures): void {
  for (const { name, help, of } of TOTALS) {
    metrics.counter({
      name,
      help,
      labels: ['sink', 'kind'],
      async collect(counter) {
        const rows = await orNothing(figures.totals);
        counter.reset();
        for (const row of rows) counter.inc({ sink: row.name, kind: row.kind }, row[of]);
      },
    });
  }
  metrics.told({
    name: 'sink_latency_seconds',
    help: 'From the commit of a change to its delivery',
    labels: ['sink', 'kind'],
    bounds: LATENCY_BOUNDS.map((ms) => ms / 1_000),
    read: async () =>
      (await orNothing(figures.totals)).map(({ name: sink, kind, latency, latency_ms }) => ({
        labels: { sink, kind },
        counts: latency,
        sum: latency_ms / 1_000,
      })),
  });
  addProcesses(metrics, figures);
  addWal(metrics, figures);
}

function addProcesses(metrics: Metrics, { processes }: RoleFigures): void {
  metrics.gauge({
    name: 'processes',
    help: 'Processes that were seen in the last 30 s',
    labels: ['role', 'version'],
    async collect(gauge) {
      const rows = await orNothing(processes);
      gauge.reset();
      for (const { role, version } of rows.filter(isPresent)) gauge.inc({ role, version });
    },
  });
}

function addWal(metrics: Metrics, { wal }: RoleFigures): void {
  const gauges: { name: string; help: string; of: 'lag_bytes' | 'kept_bytes' | 'limit_bytes' }[] = [
    { name: 'database_lag_bytes', help: 'WAL of the source that is not confirmed', of: 'lag_bytes' },
    { name: 'database_wal_kept_bytes', help: 'WAL that the source keeps for the slot', of: 'kept_bytes' },
    { name: 'database_wal_limit_bytes', help: 'Beyond that the slot is lost', of: 'limit_bytes' },
  ];
  for (const { name, help, of } of gauges) {
    metrics.gauge({
      name,
      help,
      labels: ['database'],
      async collect(gauge) {
        const rows = await orNothing(wal);
        gauge.reset();
        for (const row of rows) if (row[of] !== null) gauge.set({ database: row.name }, row[of]);
      },
    });
  }
}
