/**
 * Changes as they were made. By `seq` they are in the order in which triggers noted them, and that is the order of versions of
 * each row between transactions. Within one it may not be: the changes of a statement are noted after it, and those that a
 * user's own trigger makes before the rest of it is. There each version of a row tells which one it replaced.
 */
import { type ChangeRow, copyOfRow, leftRow } from '../../source/noted-rows.ts';

type Made = Pick<ChangeRow, 'op' | 'old' | 'new' | 'oldAt' | 'newAt'>;

/**
 * Changes of one transaction, each after the one that made the version it replaces. `storeOf`: the table that stores the row, as it
 * is then. Where that was emptied, or written anew (`cluster`, another type of a column), places are given once more, and what was
 * made later is no version of what was there before.
 */
export function inOrder<Row extends Made>(rows: readonly Row[], storeOf: (row: Row) => string): readonly Row[] {
  if (rows.length < 2) return rows;
  const emptied = new Map<string, number>();
  const places = rows.map((row) => {
    const store = storeOf(row);
    if (row.op === 'T') emptied.set(store, (emptied.get(store) ?? 0) + 1);
    const place = (at: bigint | null): string | undefined =>
      at === null ? undefined : `${store}:${emptied.get(store) ?? 0}:${at}`;
    return { old: place(row.oldAt), new: place(row.newAt) };
  });
  const first = new Map<string, number>();
  for (const [n, place] of places.entries())
    if (place.new !== undefined && !first.has(place.new)) first.set(place.new, n);
  let isOrdered = true;
  const made = new Map<string, number>();
  const before = places.map((place, n) => {
    let maker = place.old === undefined ? undefined : made.get(place.old);
    if (maker === undefined && place.old !== undefined) {
      const later = first.get(place.old);
      if (later !== undefined && later > n && isVersion(rows[later]!, rows[n]!)) {
        maker = later;
        isOrdered = false;
      }
    }
    if (place.new !== undefined) made.set(place.new, n);
    return maker;
  });
  if (isOrdered) return rows;
  const ordered: Row[] = [];
  const taken = new Set<number>();
  for (const n of rows.keys()) {
    const chain: number[] = [];
    for (let at: number | undefined = n; at !== undefined && !taken.has(at); at = before[at]) {
      taken.add(at);
      chain.push(at);
    }
    for (const place of chain.toReversed()) ordered.push(rows[place]!);
  }
  return ordered;
}

/** Is what one has made what the other one has replaced? Of a row that was too large nothing is there to be compared. */
const isVersion = (maker: Made, row: Made): boolean =>
  [maker, row].some(({ op }) => op !== op.toUpperCase()) || (maker.new !== null && row.old?.equals(maker.new) === true);

/** Transactions of a chunk, in the order in which their last changes were noted. */
export function byTransaction(rows: readonly ChangeRow[]): ChangeRow[][] {
  const transactions = new Map<bigint, ChangeRow[]>();
  for (const row of rows) {
    const known = transactions.get(row.xid) ?? [];
    // A map keeps its order: whoever comes again goes to the end.
    transactions.delete(row.xid);
    known.push(row);
    transactions.set(row.xid, known);
  }
  return [...transactions.values()];
}

type Late = Pick<ChangeRow, 'seq' | 'oldAt' | 'newAt'>;

/** What is done with changes that wait beyond their chunk. */
export interface Kept<Row> {
  /** One that is valid beyond its chunk. */
  keep(row: Row): Row;
  /** That one has waited long enough. */
  free(kept: Row): void;
}

/** What waits keeps its texts, up to so many bytes of all; what comes later is left in the source, to be read again. */
export function keepSome(mostBytes: number): Kept<ChangeRow> {
  let keptBytes = 0;
  const bytesOf = (row: ChangeRow): number => (row.old?.length ?? 0) + (row.new?.length ?? 0);
  return {
    keep(row) {
      const bytes = bytesOf(row);
      if (keptBytes + bytes > mostBytes) return leftRow(row);
      keptBytes += bytes;
      return copyOfRow(row);
    },
    free(kept) {
      keptBytes -= bytesOf(kept);
    },
  };
}

/** The same across chunks: changes whose maker is in a later chunk wait for it, and those that follow them. */
export class Waiting<Row extends Late> {
  /** Changes that must wait, and the ones they wait for, by `seq`. */
  readonly #inverted = new Map<bigint, bigint>();
  /** The other way round: one change makes one version, which one other change replaces. */
  readonly #followers = new Map<bigint, bigint>();
  readonly #behind = new Map<bigint, Row[]>();
  /** Versions that changes make which wait themselves. */
  readonly #unmade = new Map<string, bigint>();
  readonly #storeOf: (row: Row) => string;
  readonly #kept: Kept<Row>;

  constructor(storeOf: (row: Row) => string, kept: Kept<Row>) {
    this.#storeOf = storeOf;
    this.#kept = kept;
  }

  learn(inverted: ReadonlyMap<bigint, bigint>): void {
    for (const [seq, maker] of inverted) {
      this.#inverted.set(seq, maker);
      this.#followers.set(maker, seq);
    }
  }

  /** What can be told now that it is this one's turn: nothing, or it and those that waited for it. */
  turn(row: Row): Row[] {
    const maker = this.#inverted.get(row.seq) ?? this.#unmade.get(this.#name(row, row.oldAt));
    if (maker !== undefined) {
      this.#inverted.delete(row.seq);
      this.#behind.set(maker, [...(this.#behind.get(maker) ?? []), this.#kept.keep(row)]);
      if (row.newAt !== null) this.#unmade.set(this.#name(row, row.newAt), row.seq);
      return [];
    }
    return this.#release(row);
  }

  #release(row: Row): Row[] {
    const told: Row[] = [];
    const next = [row];
    for (let one = next.pop(); one; one = next.pop()) {
      told.push(one);
      const follower = this.#followers.get(one.seq);
      if (follower !== undefined) this.#inverted.delete(follower);
      this.#followers.delete(one.seq);
      if (one.newAt !== null) this.#unmade.delete(this.#name(one, one.newAt));
      const behind = this.#behind.get(one.seq) ?? [];
      this.#behind.delete(one.seq);
      for (const kept of behind) this.#kept.free(kept);
      next.push(...behind.toReversed());
    }
    return told;
  }

  #name(row: Row, at: bigint | null): string {
    return `${this.#storeOf(row)}:${at}`;
  }
}
