/** What became of a sink's messages, over an hour, a day or a month. */
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { useGet } from '../../../api/queries.ts';
import { useSinkPaths } from '../../../api/sink-paths.ts';
import { bytes, count, ms, short } from '../../../lib/format.ts';
import { serviceNow } from '../../../lib/service-time.ts';
import { Chart } from '../../../parts/chart.tsx';
import { Section } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/places.tsx';
import type { Line } from '../../../parts/plot.tsx';
import { RANGES, type Range } from './range.ts';

type Point = Schemas['SinkMetrics']['points'][number];

const EVERY_MS = 10_000;

/** From the beginning of a step on, so that what is asked is the same for a while. */
function startOf({ stepMs, steps }: (typeof RANGES)[Range], now: number): number {
  return (Math.floor(now / stepMs) - steps + 1) * stepMs;
}

export function Figures({ name }: { name: string }) {
  const { range = 'hour' } = useSearch({ strict: false }) as { range?: Range };
  const { step } = RANGES[range];
  const from = startOf(RANGES[range], serviceNow());
  const query = useGet(
    useSinkPaths().paths.metrics,
    { path: { sink: name }, query: { step, from: new Date(from).toISOString() } },
    { every: EVERY_MS },
  );
  return (
    <Section title="Messages" actions={<Choose range={range} />}>
      <Loaded query={query} lines={8}>
        {({ points }) => <Drawn points={points} range={range} from={from} />}
      </Loaded>
    </Section>
  );
}

function Choose({ range }: { range: Range }) {
  return (
    <nav aria-label="Time" className="flex gap-1">
      {Object.entries(RANGES).map(([key, { label }]) => (
        <Link
          key={key}
          to="."
          search={{ range: key === 'hour' ? undefined : (key as Range) }}
          replace
          resetScroll={false}
          aria-current={key === range ? 'true' : undefined}
          className={`rounded-md px-2 py-1 text-sm pointer-coarse:min-h-11 ${key === range ? 'bg-idle-bg font-medium' : 'text-accent hover:bg-idle-bg'}`}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

interface DrawnProps {
  points: readonly Point[];
  range: Range;
  from: number;
}

function Drawn({ points, range, from }: DrawnProps) {
  const { stepMs, steps, word } = RANGES[range];
  const { times, counts, latencies } = useMemo(() => {
    const known = new Map(points.map((point) => [new Date(point.at).getTime(), point]));
    const times = Array.from({ length: steps }, (_, place) => from + place * stepMs);
    const at = times.map((time) => known.get(time));
    const counted = (key: 'persisted' | 'delivered' | 'failed'): Omit<Line, 'name' | 'tone'> => {
      const values = at.map((point) => point?.[key] ?? 0);
      return { values, sum: count(sum(values)) };
    };
    const late = (key: 'p50' | 'p95' | 'p99'): Omit<Line, 'name' | 'tone'> => {
      const values = at.map((point) => point?.latency_ms[key] ?? null);
      const newest = values.findLast((value) => value !== null) ?? null;
      return { values, ...(newest === null ? {} : { sum: ms(newest) }) };
    };
    const counts: Line[] = [
      { name: 'persisted', tone: 'muted', ...counted('persisted') },
      { name: 'delivered', tone: 'accent', ...counted('delivered') },
      { name: 'failed', tone: 'danger', ...counted('failed') },
    ];
    const latencies: Line[] = [
      { name: 'p50', tone: 'ok', ...late('p50') },
      { name: 'p95', tone: 'accent', ...late('p95') },
      { name: 'p99', tone: 'warn', ...late('p99') },
    ];
    return { times, counts, latencies };
  }, [points, from, stepMs, steps]);
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Chart title={`Messages per ${word}`} times={times} lines={counts} format={short} />
        <Chart title="From commit to delivered" times={times} lines={latencies} format={ms} />
      </div>
      <p className="mt-2 text-sm text-muted tabular-nums">
        {count(sum(points.map(({ retried }) => retried)))} retried, {count(sum(points.map(({ parked }) => parked)))}{' '}
        parked, {count(sum(points.map(({ discarded }) => discarded)))} discarded,{' '}
        {bytes(sum(points.map((point) => point.bytes)))} persisted.
      </p>
    </>
  );
}
