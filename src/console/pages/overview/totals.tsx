/** The last hour of all sinks together, at a glance. */
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { count, ms, rate } from '../../lib/format.ts';
import { Sparkline } from '../../parts/sparkline.tsx';

export function Totals({ totals }: { totals: Schemas['Overview']['totals'] }) {
  const { per_second, latency_ms, hour } = totals;
  const sum = hour.delivered.reduce((all, minute) => all + minute, 0);
  const late = (value: number | null): string => (value === null ? '–' : ms(value));
  return (
    <section aria-label="Last hour" className="mb-8">
      <dl className="grid grid-cols-6 gap-px overflow-hidden rounded-md border border-line bg-line lg:grid-cols-[minmax(20rem,3fr)_repeat(5,minmax(0,1fr))]">
        <Tile label="Delivered in the last hour" className="max-lg:col-span-6">
          <span className="flex items-end justify-between gap-4">
            {count(sum)}
            <Sparkline
              values={hour.delivered}
              name={`Delivered in the last hour: ${count(sum)} messages`}
              width={180}
              height={24}
            />
          </span>
        </Tile>
        <Tile label="Captured" className="max-lg:col-span-2">
          {rate(per_second.persisted)}
        </Tile>
        <Tile label="Delivered" className="max-lg:col-span-2">
          {rate(per_second.delivered)}
        </Tile>
        <Tile label="Failed" className="max-lg:col-span-2" isBad={per_second.failed > 0}>
          {rate(per_second.failed)}
        </Tile>
        <Tile label="p50 latency" className="max-lg:col-span-3">
          {late(latency_ms.p50)}
        </Tile>
        <Tile label="p99 latency" className="max-lg:col-span-3">
          {late(latency_ms.p99)}
        </Tile>
      </dl>
    </section>
  );
}

interface TileProps {
  label: string;
  className: string;
  isBad?: boolean;
  children: ReactNode;
}

function Tile({ label, className, isBad = false, children }: TileProps) {
  return (
    <div className={`bg-bg px-3 py-2 ${className}`}>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className={`text-lg font-semibold tabular-nums ${isBad ? 'text-danger' : ''}`}>{children}</dd>
    </div>
  );
}
