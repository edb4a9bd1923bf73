/** Figures over time: as lines, with what stands under the pointer, and as a table for whoever wants or needs that. */
import { lazy, Suspense, useState } from 'react';
import { useZone } from '../lib/clock.ts';
import { loaded } from '../lib/code.ts';
import { instant } from '../lib/format.ts';
import type { Line } from './plot.tsx';
import { At } from './time.tsx';

interface ChartProps {
  title: string;
  /** Milliseconds since 1970, ascending, evenly apart. */
  times: readonly number[];
  lines: readonly Line[];
  format: (value: number) => string;
  height?: number;
  isBytes?: boolean;
}

const Plot = lazy(async () => ({ default: (await loaded(() => import('./plot.tsx'))).Plot }));

const TONES: Record<Line['tone'], string> = {
  accent: 'border-accent',
  ok: 'border-ok',
  warn: 'border-warn',
  danger: 'border-danger',
  muted: 'border-muted',
};
const STROKES = ['border-solid', 'border-dashed', 'border-dotted', 'border-dashed'];

export function Chart({ title, times, lines, format, height = 180, isBytes = false }: ChartProps) {
  const [place, setPlace] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const zone = useZone();
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null || value === 0));
  const at = place === null ? undefined : times[place];
  return (
    <figure aria-label={title} className="min-w-0 rounded-md border border-line p-3">
      <div className="flex items-center gap-x-4">
        <figcaption className="font-semibold">{title}</figcaption>
        {at !== undefined && (
          <span className="text-sm text-muted tabular-nums">at {instant(new Date(at), zone, { millis: false })}</span>
        )}
        <button
          type="button"
          hidden={isEmpty}
          className="ml-auto text-sm text-accent hover:underline pointer-coarse:min-h-11"
          aria-expanded={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'As a chart' : 'As a table'}
        </button>
      </div>
      <div className="mb-2 flex flex-wrap gap-x-4">
        {lines.map((line, number) => (
          <span key={line.name} className="inline-flex items-center gap-1.5 text-sm text-muted tabular-nums">
            <span aria-hidden className={`w-4 border-t-2 ${STROKES[number % STROKES.length]} ${TONES[line.tone]}`} />
            {line.name} <Figure {...{ line, place, format }} />
          </span>
        ))}
      </div>
      {isEmpty ? (
        <p className="py-6 text-center text-sm text-muted">Nothing recorded in this period.</p>
      ) : isTable ? (
        <AsTable {...{ title, times, lines, format, height }} />
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <Plot {...{ times, lines, format, height, isBytes }} onPoint={setPlace} />
        </Suspense>
      )}
    </figure>
  );
}

interface FigureProps {
  line: Line;
  place: number | null;
  format: (value: number) => string;
}

/** Under the pointer, else of all. */
function Figure({ line, place, format }: FigureProps) {
  if (place === null) return <span className="text-text">{line.sum}</span>;
  const value = line.values[place];
  return <span className="text-text">{value == null ? '–' : format(value)}</span>;
}

/** The newest first, without those in which nothing happened. */
function AsTable({ title, times, lines, format, height }: Required<Omit<ChartProps, 'isBytes'>>) {
  const shown = times
    .map((time, place) => ({ time, values: lines.map(({ values }) => values[place] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section aria-label={`${title}, as a table`} tabIndex={0} className="overflow-auto" style={{ maxHeight: height }}>
      <table className="w-full text-sm">
        <thead className="sticky top-0 bg-bg">
          <tr>
            <th scope="col" className="py-1 text-left font-medium text-muted">
              Time
            </th>
            {lines.map(({ name }) => (
              <th key={name} scope="col" className="px-3 py-1 text-right font-medium text-muted">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, values }) => (
            <tr key={time} className="border-t border-line">
              <td className="py-1">
                <At at={new Date(time).toISOString()} millis={false} />
              </td>
              {values.map((value, place) => (
                <td key={lines[place]!.name} className="figure px-3 py-1">
                  {value === null ? '–' : format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
