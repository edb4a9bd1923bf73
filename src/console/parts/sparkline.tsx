/** A little line of figures, the newest at the right. `name` says what it shows, with its sum. */
interface SparklineProps {
  values: readonly number[];
  name: string;
  width?: number;
  height?: number;
}

export function Sparkline({ values, name, width = 96, height = 18 }: SparklineProps) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  const wide = Math.max(0.5, step - 0.4);
  const bars = values.map((value, place) => {
    const tall = value === 0 ? 0.5 : Math.max(1.5, (value / most) * (height - 1));
    return { isNone: value === 0, line: `M${place * step} ${height - tall}h${wide}V${height}h${-wide}z` };
  });
  // A hundred rows have one each, of sixty bars: drawn one by one, they were half of all that is on the page.
  const drawn = (isNone: boolean): string =>
    bars
      .filter((bar) => bar.isNone === isNone)
      .map(({ line }) => line)
      .join('');
  return (
    <svg
      role="img"
      aria-label={name}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="text-accent"
    >
      <title>{name}</title>
      <path d={drawn(true)} fill="currentColor" opacity={0.4} />
      <path d={drawn(false)} fill="currentColor" />
    </svg>
  );
}
