/**
 * Whose row a document could be, from its `_id` alone: the key's values joined with `-`, which a value may hold itself. So
 * an `_id` is read as every key that it can be, and what the source then finds is compared with the `_id` again.
 */
import type { SourceTable } from '../backfill/table.ts';

/** More ways than these to cut an `_id` into a key are not tried. */
export const MOST_CUTS = 200;

/** Keys of this table that would have the `_id`; undefined when there are too many to try. */
export function keysOf(table: Pick<SourceTable, 'keys'>, id: string): string[][] | undefined {
  const count = table.keys.length;
  if (count === 1) return [[id]];
  const parts = id.split('-');
  if (cutsOf(parts.length - 1, count - 1) > MOST_CUTS) return undefined;
  return groupings(parts, count);
}

/** How many ways there are to choose `chosen` out of `from` places. */
function cutsOf(from: number, chosen: number): number {
  let ways = 1;
  for (let n = 1; n <= chosen && ways <= MOST_CUTS * 1_000; n += 1) ways = (ways * (from - chosen + n)) / n;
  return ways;
}

function groupings(parts: readonly string[], count: number): string[][] {
  if (count === 1) return parts.length === 0 ? [] : [[parts.join('-')]];
  const found: string[][] = [];
  for (let first = 1; first <= parts.length - (count - 1); first += 1) {
    const head = parts.slice(0, first).join('-');
    for (const rest of groupings(parts.slice(first), count - 1)) found.push([head, ...rest]);
  }
  return found;
}
