/**
 * Changes as they were made. By `seq` they are in the order in which triggers noted them, and that is the order of versions of
 * each row between transactions. Within one it may not be: the changes of a statement are noted after it, and those that a
 * user's own trigger makes before the rest of it is. There each version of a row tells which one it replaced.
 */
import type { ChangeRow } from '../../source/read-changes.ts';

/** Changes of one transaction, each after the one that made the version it replaces. `leafOf`: the table that stores the row. */
export function inOrder<Row extends Pick<ChangeRow, 'oldAt' | 'newAt'>>(
  rows: readonly Row[],
  leafOf: (row: Row) => number,
): readonly Row[] {
  if (rows.length < 2) return rows;
  const makers = new Map<string, number>();
  const nameOf = (row: Row, at: bigint): string => `${leafOf(row)}:${at}`;
  let isOrdered = true;
  for (const [n, row] of rows.entries()) if (row.newAt !== null) makers.set(nameOf(row, row.newAt), n);
  const before = rows.map((row) => (row.oldAt === null ? undefined : makers.get(nameOf(row, row.oldAt))));
  for (const [n, maker] of before.entries()) if (maker !== undefined && maker > n) isOrdered = false;
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

/** The same across chunks: changes whose maker is in a later chunk wait for it, and those that follow them. */
export class Waiting<Row extends Late> {
  /** Changes that must wait, and the ones they wait for, by `seq`. */
  readonly #inverted = new Map<bigint, bigint>();
  /** The other way round: one change makes one version, which one other change replaces. */
  readonly #followers = new Map<bigint, bigint>();
  readonly #behind = new Map<bigint, Row[]>();
  /** Versions that changes make which wait themselves. */
  readonly #unmade = new Map<string, bigint>();
  readonly #leafOf: (row: Row) => number;

  constructor(leafOf: (row: Row) => number) {
    this.#leafOf = leafOf;
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
      this.#behind.set(maker, [...(this.#behind.get(maker) ?? []), row]);
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
      next.push(...(this.#behind.get(one.seq) ?? []).toReversed());
      this.#behind.delete(one.seq);
    }
    return told;
  }

  #name(row: Row, at: bigint | null): string {
    return `${this.#leafOf(row)}:${at}`;
  }
}
