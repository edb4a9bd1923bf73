/** Seconds as Postgres writes an interval, in the largest unit that divides them: `30 days`. */
const UNITS: [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

export function intervalText(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? UNITS.at(-1)!;
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
