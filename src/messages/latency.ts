/** How long messages took from their commit to their delivery, counted in buckets. */

/** The longest of each bucket but the last, in milliseconds: `millrace_private.latency_bounds`. */
export const LATENCY_BOUNDS: readonly number[] = [
  ...[1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200, 500, 1_000, 2_000, 5_000, 15_000, 60_000, 300_000, 900_000],
  ...[3_600_000, 14_400_000, 43_200_000, 86_400_000],
];

export const LATENCY_BUCKETS = LATENCY_BOUNDS.length + 1;

/** So many messages took so long. */
export interface Latency {
  ms: number;
  count: number;
}

/** Which bucket it falls into. */
export function bucketOf(ms: number): number {
  let from = 0;
  let to = LATENCY_BOUNDS.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ms <= LATENCY_BOUNDS[middle]!) to = middle;
    else from = middle + 1;
  }
  return from;
}

const SAMPLES = 16;

/** Of messages whose commits are spread evenly between two times; milliseconds since 1970. */
export function spreadLatencies(commits: { firstMs: number; lastMs: number; count: number }, nowMs: number): Latency[] {
  const { firstMs, lastMs, count } = commits;
  const samples = firstMs === lastMs ? 1 : Math.min(count, SAMPLES);
  return Array.from({ length: samples }, (_, n) => ({
    ms: nowMs - (firstMs + ((lastMs - firstMs) * n) / Math.max(1, samples - 1)),
    count: Math.floor(((n + 1) * count) / samples) - Math.floor((n * count) / samples),
  }));
}
