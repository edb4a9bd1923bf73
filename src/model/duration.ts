/** Durations as people write them. One parser for requests, settings and the configuration file. */

const MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 };

/**
 * Milliseconds from an integer or a string of digits with an optional `ms`, `s` or `m` suffix (`5000`, `60s`, `5m`);
 * undefined if it is neither, so that the caller can name its own field and bounds.
 */
export function parseDurationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const match = /^(\d{1,15})(ms|s|m)?$/.exec(value);
  if (!match) return undefined;
  const ms = Number(match[1]) * MS[match[2] ?? 'ms']!;
  return Number.isSafeInteger(ms) ? ms : undefined;
}
