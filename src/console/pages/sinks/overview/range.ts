/** How far back figures go, as addresses have it. */
export const RANGES = {
  hour: { label: 'Hour', step: 'minute', stepMs: 60_000, steps: 60, word: 'minute' },
  day: { label: 'Day', step: 'minute', stepMs: 60_000, steps: 1_440, word: 'minute' },
  month: { label: 'Month', step: 'hour', stepMs: 3_600_000, steps: 744, word: 'hour' },
} as const;

export type Range = keyof typeof RANGES;
