/** How far something is, as a person reads it. */
import { count, duration } from './quantity.ts';

export interface Progress {
  done: number;
  /** Absent: not known. */
  total?: number | null | undefined;
  /** A second. */
  rate?: number | null | undefined;
  /** Seconds. */
  left?: number | null | undefined;
  /** What is counted: `rows`. */
  unit: string;
}

const BAR = 24;

/**
 * `[############............]  50 %  1,000 of 2,000 rows, 350 rows/s, 3 s left`. The total is an estimate: once it is
 * reached, what is left is not known any more.
 */
export function progressText({ done, total: estimate, rate, left, unit }: Progress): string {
  const total = estimate && done < estimate ? estimate : undefined;
  const parts = [total ? `${count(done)} of ${count(total)} ${unit}` : `${count(done)} ${unit}`];
  if (rate) parts.push(`${count(Math.round(rate))} ${unit}/s`);
  if (left !== null && left !== undefined && (total || !estimate)) parts.push(`${duration(left)} left`);
  if (!total) return parts.join(', ');
  const full = Math.floor((done / total) * BAR);
  const percent = Math.floor((done / total) * 100);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${String(percent).padStart(3)} %  ${parts.join(', ')}`;
}
