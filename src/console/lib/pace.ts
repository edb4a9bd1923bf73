/** How a sink keeps up with its source, in words: from the times that the API tells of it. */
import { bytes, ms, span } from './format.ts';

/** So long after it was made the first delivery is news. */
const NEWS_MS = 3_600_000;

export interface Paced {
  status: string;
  inserted_at: string;
  health: { checks: readonly { name: string }[] };
  state: {
    lag_seconds: number | null;
    first_delivered_at: string | null;
    last_delivered_at: string | null;
    last_delivery_ms: number | null;
  };
}

/** `noun`: what arrives there. */
export function firstOf(
  { inserted_at, state }: Paced,
  { noun, nowMs }: { noun: string; nowMs: number },
): string | null {
  const { first_delivered_at: first } = state;
  const made = Date.parse(inserted_at);
  if (first === null || nowMs - made > NEWS_MS) return null;
  return `First ${noun} delivered ${ms(Math.max(0, Date.parse(first) - made))} after creation`;
}

/** Null: nobody delivers, or captures, so it keeps no pace. */
export function paceOf({ status, health, state }: Paced): string | null {
  const { lag_seconds: lag, last_delivered_at: last, last_delivery_ms: took } = state;
  if (status !== 'active') return null;
  if (lag !== null) return `${span(lag)} behind`;
  // What its source has that was not captured waits there.
  if (last === null || health.checks.some(({ name }) => name.startsWith('source_'))) return null;
  return took === null ? 'In step' : `In step: ${ms(took)} behind`;
}

/** How far capture is behind its source: in time, as far as that is known, and in WAL. */
export function lagOf(lag: { lag_seconds: number | null; lag_bytes: number | null }): string {
  const parts = [
    ...(lag.lag_seconds === null ? [] : [span(lag.lag_seconds)]),
    ...(lag.lag_bytes === null ? [] : [bytes(lag.lag_bytes)]),
  ];
  return parts.length === 0 ? '–' : parts.join(', ');
}
