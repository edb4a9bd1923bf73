/** Draws lines over time. Loaded with the page that has one: the library for it has its door here. */
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useZone } from '../lib/clock.ts';
import { instant, type Zone } from '../lib/format.ts';
import { useShownTheme } from '../lib/theme.ts';

export interface Line {
  name: string;
  tone: 'accent' | 'ok' | 'warn' | 'danger' | 'muted';
  /** As many as there are times; null: nothing is known. */
  values: readonly (number | null)[];
  /** Beside its name, while nobody points: of all times, or the newest. */
  sum?: string;
}

export interface PlotProps {
  /** Milliseconds since 1970, ascending, evenly apart. */
  times: readonly number[];
  lines: readonly Line[];
  format: (value: number) => string;
  height: number;
  /** Of bytes the axis counts by powers of two. */
  isBytes?: boolean;
}

const DASHES: readonly number[][] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** No parts of a message, or of a millisecond. */
const WHOLE = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

const BYTES = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Between two times of which nothing is known no line can be drawn: there is a point. */
const alone: UPlot.Series.Points.Filter = ({ data }, series) => {
  const values = data[series]!;
  const isKnown = (at: number): boolean => values[at] != null;
  return Array.from(values, (_, at) => at).filter((at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
};

const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);

function optionsOf({ times, lines, format, height, isBytes }: PlotProps, zone: Zone, width: number): UPlot.Options {
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: token('muted'), font, grid: { stroke: token('line'), width: 1 }, ticks: { show: false } };
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 2 * 86_400_000;
  const tick = (seconds: number): string => {
    const text = instant(new Date(seconds * 1_000), zone);
    return isLong ? text.slice(5, 10) : text.slice(11, 16);
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { time: true }, y: { range: (_, _min, max) => [0, Math.max(4, (max ?? 0) * 1.1)] } },
    axes: [
      { ...axis, values: (_, splits) => splits.map(tick), space: 70, size: 28 },
      { ...axis, size: 56, values: (_, splits) => splits.map(format), space: 36, incrs: isBytes ? BYTES : WHOLE },
    ],
    series: [
      {},
      ...lines.map(({ name, tone }, place) => ({
        label: name,
        stroke: token(tone),
        width: 1.5,
        dash: DASHES[place % DASHES.length]!,
        points: { show: true, size: 4, filter: alone },
      })),
    ],
  };
}

/** What stands under the pointer is told to `onPoint`: a place in `times`, or null. */
export function Plot({ onPoint, ...props }: PlotProps & { onPoint: (place: number | null) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const zone = useZone();
  const theme = useShownTheme();
  const shape = `${zone} ${theme} ${props.lines.map(({ name }) => name).join()}`;
  const latest = useRef(props);
  latest.current = props;
  const told = useRef(onPoint);
  told.current = onPoint;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is drawn anew when its shape changes, else only its data
  useEffect(() => {
    const at = box.current;
    if (at === null) return;
    const options = optionsOf(latest.current, zone, at.clientWidth);
    options.hooks = { setCursor: [({ cursor }) => told.current(cursor.idx ?? null)] };
    const made = new UPlot(options, dataOf(latest.current), at);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height: latest.current.height }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [shape]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the props only these are data
  useEffect(() => plot.current?.setData(dataOf(props)), [props.times, props.lines]);
  return <div ref={box} aria-hidden className="min-w-0 overflow-hidden" style={{ height: props.height }} />;
}

const dataOf = ({ times, lines }: PlotProps): UPlot.AlignedData => [
  times.map((time) => time / 1_000),
  ...lines.map(({ values }) => [...values]),
];
