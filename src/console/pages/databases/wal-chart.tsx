/** The last hour of a database, by minutes: the WAL that was kept for it, and how far behind capture was. */
import type { Answer } from '../../api/client.ts';
import { bytes } from '../../lib/format.ts';
import { serviceTime } from '../../lib/service-time.ts';
import { Chart } from '../../parts/chart.tsx';

export type Metrics = Answer<'/api/postgres_databases/{database}/metrics', 'get'>;

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** `at`: when it was asked, by the clock of this machine. */
export function WalChart({ metrics, at }: { metrics: Metrics; at: number }) {
  const last = Math.floor(serviceTime(at) / MINUTE_MS) * MINUTE_MS;
  const times = Array.from({ length: MINUTES }, (_, place) => last - (MINUTES - 1 - place) * MINUTE_MS);
  const byTime = new Map(metrics.points.map((point) => [new Date(point.at).getTime(), point]));
  const points = times.map((time) => byTime.get(time));
  const newest = metrics.points.at(-1);
  const told = (value: number | null | undefined): string => (value == null ? '–' : bytes(value));
  return (
    <div className="mt-3">
      <Chart
        title="Last hour"
        times={times}
        format={bytes}
        isBytes
        height={140}
        lines={[
          {
            ...{ name: 'WAL kept', tone: 'accent' as const, sum: told(newest?.kept_bytes) },
            values: points.map((point) => point?.kept_bytes ?? null),
          },
          {
            ...{ name: 'Behind', tone: 'warn' as const, sum: told(newest?.lag_bytes) },
            values: points.map((point) => point?.lag_bytes ?? null),
          },
        ]}
      />
    </div>
  );
}
