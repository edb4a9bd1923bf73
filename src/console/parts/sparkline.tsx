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
      {values.map((value, place) => {
        const tall = value === 0 ? 0.5 : Math.max(1.5, (value / most) * (height - 1));
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
            key={place}
            x={place * step}
            y={height - tall}
            width={Math.max(0.5, step - 0.4)}
            height={tall}
            fill="currentColor"
            opacity={value === 0 ? 0.4 : 1}
          />
        );
      })}
    </svg>
  );
}
