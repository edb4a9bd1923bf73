/** What a run said, after somebody has typed on. */

/** What a function was run as, and on. */
export interface Asked<Sample> {
  type: string;
  sink: string | undefined;
  code: string;
  samples: readonly Sample[];
}

/** What was found of `asked` that is still of the same samples; the rest is undefined. */
export function stillSo<Sample, Result>(
  asked: Asked<Sample>,
  now: Asked<Sample>,
  results: readonly Result[],
): readonly (Result | undefined)[] {
  if (asked.type !== now.type || asked.sink !== now.sink) return [];
  return now.samples.map((sample, place) => (isSame(sample, asked.samples[place]) ? results[place] : undefined));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
