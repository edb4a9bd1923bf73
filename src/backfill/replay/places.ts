/**
 * Where the entries of a replay are, in the order of `seq`: looked up many at a time, because a change table need have no
 * index on it, and kept as numbers until they are passed.
 */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { type ChangeTable, onChangeTable, SCAN_MS } from './change-table.ts';

const PLACES = statement('backfill/replay-places');
const FETCH = 20_000;

/** `seq` and `id`. */
export type Place = readonly [seq: number, id: number];

export const FIRST: Place = [-1, -1];

export interface SomePlaces {
  places: Place[];
  /** None follow. */
  last: boolean;
}

export interface Places {
  /** The `count` places that follow. */
  after(place: Place, count: number, signal: AbortSignal): Promise<SomePlaces>;
}

/** `chosen`: parameters $1 to $9 of the statement. `atOnce`: how many are looked up at a time. */
export function openPlaces(table: ChangeTable, chosen: readonly unknown[], atOnce = 500_000): Places {
  /** seq, id, seq, id; the place before them comes first. */
  let known: number[] = [];
  let isWhole = false;

  const lookUp = async (after: Place, signal: AbortSignal): Promise<void> => {
    const values = [...after];
    await table.read({ signal, timeoutMs: SCAN_MS }, async (tx: Queryable) => {
      const select = onChangeTable(PLACES, table);
      await tx.query(`declare millrace_places no scroll cursor for ${select}`, [...chosen, ...after, atOnce]);
      for (;;) {
        const { rows } = await tx.query<{ seq: number; id: number }>(`fetch forward ${FETCH} from millrace_places`);
        for (const { seq, id } of rows) values.push(seq, id);
        if (rows.length < FETCH) return;
      }
    });
    known = values;
    isWhole = values.length / 2 <= atOnce;
  };

  return {
    async after(place, count, signal) {
      let from = placeAfter(known, place);
      if (from === undefined || (from * 2 >= known.length && !isWhole)) {
        await lookUp(place, signal);
        from = 1;
      }
      const places: Place[] = [];
      const end = Math.min(known.length / 2, from + count);
      for (let n = from; n < end; n++) places.push([known[n * 2]!, known[n * 2 + 1]!]);
      return { places, last: isWhole && end * 2 >= known.length };
    },
  };
}

/** Which of them follows this one; undefined when this one is not among them. */
function placeAfter(known: readonly number[], [seq, id]: Place): number | undefined {
  let low = 0;
  let high = known.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    const isAfter = known[middle * 2]! > seq || (known[middle * 2] === seq && known[middle * 2 + 1]! > id);
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low > 0 && known[low * 2 - 2] === seq && known[low * 2 - 1] === id ? low : undefined;
}
