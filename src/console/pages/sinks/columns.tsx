/** What a list says of each sink, on the overview and on the page of all sinks. */
import type { OverviewSink } from '../../api/overview.ts';
import type { SinkPaths } from '../../api/sink-paths.ts';
import { count, ms, rate, span } from '../../lib/format.ts';
import { SinkLink } from '../../parts/sink-link.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { Column } from '../../parts/table.tsx';
import { SinkState } from './sink-state.tsx';

/** Its name, and how it is in a word. `home`: the page of its sort. */
export const nameColumns = (home: SinkPaths['home'], heading: string): readonly Column<OverviewSink>[] => [
  {
    key: 'name',
    heading,
    cell: ({ name }) => (
      <SinkLink home={home} name={name} className="font-medium break-all text-accent hover:underline" />
    ),
  },
  {
    key: 'state',
    heading: 'State',
    cell: (sink) => <SinkState sink={sink} />,
  },
];

export const SINK_FIGURES: readonly Column<OverviewSink>[] = [
  {
    key: 'pending',
    heading: 'Pending',
    isFigure: true,
    cell: ({ pending, pending_is_estimate }) => `${pending_is_estimate ? 'about ' : ''}${count(pending)}`,
  },
  {
    key: 'oldest',
    heading: 'Oldest',
    isFigure: true,
    cell: ({ lag_seconds }) => (lag_seconds === null ? '–' : span(lag_seconds)),
  },
  { key: 'rate', heading: 'Rate', isFigure: true, cell: ({ per_second }) => rate(per_second.delivered) },
  {
    key: 'p99',
    heading: 'p99',
    isFigure: true,
    cell: ({ latency_ms }) => (latency_ms.p99 === null ? '–' : ms(latency_ms.p99)),
  },
  { key: 'parked', heading: 'Parked', isFigure: true, cell: ({ parked }) => count(parked) },
  {
    key: 'hour',
    heading: 'Last hour',
    cell: ({ hour, name }) => (
      <Sparkline
        values={hour.delivered}
        name={`Delivered to ${name} in the last hour, at most ${count(hour.peak)} in a minute`}
      />
    ),
  },
];
