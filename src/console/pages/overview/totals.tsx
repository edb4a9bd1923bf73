/** The last hour of all sinks together, in one line. */
import type { Schemas } from '../../api/client.ts';
import { count, ms, rate } from '../../lib/format.ts';
import { Sparkline } from '../../parts/sparkline.tsx';

export function Totals({ totals }: { totals: Schemas['Overview']['totals'] }) {
  const { per_second, latency_ms, hour } = totals;
  const sum = hour.delivered.reduce((all, minute) => all + minute, 0);
  const figures: [string, string][] = [
    ['captured', rate(per_second.persisted)],
    ['delivered', rate(per_second.delivered)],
    ['failed', rate(per_second.failed)],
    ['p50', latency_ms.p50 === null ? '–' : ms(latency_ms.p50)],
    ['p99', latency_ms.p99 === null ? '–' : ms(latency_ms.p99)],
  ];
  return (
    <section aria-label="Last hour" className="mb-6 flex flex-wrap items-center gap-x-6 gap-y-1">
      <span className="inline-flex items-center gap-3">
        <span className="text-muted">Last hour</span>
        <Sparkline values={hour.delivered} name={`Delivered in the last hour: ${count(sum)} messages`} width={180} />
      </span>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {figures.map(([label, figure]) => (
          <div key={label} className="flex gap-1.5">
            <dt className="text-muted">{label}</dt>
            <dd className="font-medium tabular-nums">{figure}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
