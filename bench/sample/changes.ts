/**
 * Changes a sample database at random, from a seed: inserts, updates of some columns (so that large values stay as they
 * were) and of keys, deletes, keys that come back, many rows at once, transactions of several steps, some of them taken back
 * in part or whole. Writers run side by side; whoever runs into another one gives up that transaction.
 */
import type { Database, Queryable } from '../../src/db/pool.ts';
import { type SampleTable, sampleTables } from './database.ts';

export interface ChangesOptions {
  seed: number;
  writers: number;
  /** Rows that the sample was made with. */
  rows: number;
  /** Between two transactions of a writer; none if absent. */
  pauseMs?: number;
}

export interface Changed {
  transactions: number;
  /** Rows, also those of transactions that were taken back. */
  rows: number;
}

/** Duplicate key, deadlock, lock or statement timeout, serialization: the other one was first. */
const BESIDE = ['23505', '40P01', '55P03', '57014', '40001'];

/** Until the signal. */
export async function changeSample(db: Database, options: ChangesOptions, signal: AbortSignal): Promise<Changed> {
  const tables = await sampleTables(db);
  const done: Changed = { transactions: 0, rows: 0 };
  await Promise.all(
    Array.from({ length: options.writers }, async (_, n) => {
      const writer = new Writer(tables, options.rows, randomFrom(options.seed * 1_000 + n));
      while (!signal.aborted) {
        if (await writer.transaction(db, done)) done.transactions += 1;
        if (options.pauseMs) await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
      }
    }),
  );
  return done;
}

class Writer {
  readonly #tables: readonly SampleTable[];
  readonly #rows: number;
  readonly #random: () => number;

  constructor(tables: readonly SampleTable[], rows: number, random: () => number) {
    this.#tables = tables;
    this.#rows = rows;
    this.#random = random;
  }

  /** False when it was given up. */
  async transaction(db: Database, done: Changed): Promise<boolean> {
    const steps = 1 + this.#below(this.#below(4) === 0 ? 12 : 3);
    const isTakenBack = this.#below(20) === 0;
    try {
      await db.transaction(async (tx) => {
        for (let n = 0; n < steps; n += 1) {
          const isUndone = this.#below(15) === 0;
          if (isUndone) await tx.query('savepoint step');
          done.rows += await this.#step(tx);
          if (isUndone) await tx.query('rollback to savepoint step');
        }
        if (isTakenBack) throw new TakenBack();
      });
      return true;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (error instanceof TakenBack || BESIDE.includes(code)) return false;
      throw error;
    }
  }

  async #step(tx: Queryable): Promise<number> {
    const table = this.#tables[this.#below(this.#tables.length)]!;
    const size = Math.ceil((this.#rows * table.share) / 205);
    // Some rows change again and again, and a quarter of the keys were not there at the beginning.
    const first = 1 + (this.#below(4) === 0 ? this.#below(Math.min(20, size)) : this.#below(Math.ceil(size * 1.25)));
    const last = first + (this.#below(6) === 0 ? this.#below(40) : 0);
    const version = 1 + this.#below(1_000_000);
    const kind = this.#below(10);
    if (kind < 3) return (await tx.query(insertSql(table, first, last, version))).rowCount;
    if (kind < 7) return (await tx.query(this.#updateSql(table, first, last, version))).rowCount;
    if (kind < 8) return (await tx.query(moveSql(table, first, first + 1 + this.#below(size)))).rowCount;
    const { rowCount } = await tx.query(deleteSql(table, first, last));
    // The key comes back in the same transaction.
    if (kind === 8) return rowCount + (await tx.query(insertSql(table, first, last, version))).rowCount;
    return rowCount;
  }

  #updateSql(table: SampleTable, first: number, last: number, version: number): string {
    const free = table.columns.filter((column) => !table.keys.includes(column));
    const chosen = free.filter(() => this.#below(3) === 0);
    const set = (chosen.length > 0 ? chosen : [free[this.#below(free.length)]!]).map((name) => `${name} = r.${name}`);
    return `update ${table.sql} t set ${set.join(', ')} from ${rowsOf(table, first, last, version)} where ${isSame(table)}`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

class TakenBack extends Error {}

const rowsOf = (table: SampleTable, first: number, last: number, version: number): string =>
  `(select r.* from generate_series(${first}::bigint, ${last}::bigint) n cross join lateral ${table.rowSql}(n, ${version}) r) r`;

const isSame = (table: SampleTable): string => table.keys.map((key) => `t.${key} = r.${key}`).join(' and ');

function insertSql(table: SampleTable, first: number, last: number, version: number): string {
  const columns = table.columns.join(', ');
  return `insert into ${table.sql} (${columns}) select ${columns} from ${rowsOf(table, first, last, version)} on conflict do nothing`;
}

const deleteSql = (table: SampleTable, first: number, last: number): string =>
  `delete from ${table.sql} t using ${rowsOf(table, first, last, 0)} where ${isSame(table)}`;

/** A row gets the key of another number, if nobody has it. */
function moveSql(table: SampleTable, from: number, to: number): string {
  const set = table.keys.map((key) => `${key} = o.${key}`).join(', ');
  const taken = table.keys.map((key) => `x.${key} = o.${key}`).join(' and ');
  return `update ${table.sql} t set ${set} from ${rowsOf(table, from, from, 0)}, ${table.rowSql}(${to}, 0) o
    where ${isSame(table)} and not exists (select from ${table.sql} x where ${taken})`;
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
