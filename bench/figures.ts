/** The pure parts of the benchmarks: what is taken of several rounds, and how it is printed. */

/** Of an even number of values the mean of the middle two. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return sorted.length === 0 ? Number.NaN : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that at least `share` (0 to 1) of them do not exceed. NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** A Markdown table, padded so that it reads well as text too. Every row has as many cells as the head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, place) => Math.max(3, ...[title, ...rows.map((row) => row[place]!)].map(length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, place) => cell + ' '.repeat(widths[place]! - length(cell))).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const length = (text: string): number => text.length;

/** Three figures, thousands apart: 41,300; 12.3; 0.31. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value >= 1_000) return (Math.round(value / 100) * 100).toLocaleString('en-GB');
  return value >= 100
    ? value.toFixed(0)
    : value
        .toPrecision(3)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');
}

/** The median of what `pick` takes of each round. */
export function medianOf<Round>(rounds: readonly Round[], pick: (round: Round) => number | undefined): number {
  return median(rounds.map((round) => pick(round) ?? Number.NaN));
}
