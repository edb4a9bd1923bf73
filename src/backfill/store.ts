/** Backfills as the message database has them: what is due, how it goes on, why it waits or failed. */
import { limitSql } from '../db/deadline.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const DUE = statement('backfill/due');
const BEGIN = statement('backfill/begin');
const STATE = statement('backfill/state');
const WAIT = statement('backfill/explain-wait');
const FAIL = statement('backfill/fail');
const EXPAND = statement('backfill/expand');
const WIDEN = statement('backfill/widen');
const KEYS = statement('backfill/keys');

export interface Backfill {
  no: number;
  kind: 'all' | 'table' | 'keys' | 'replay';
  sink_no: number;
  sink_name: string;
  table_schema: string | null;
  table_name: string | null;
  sort_column: string | null;
  start_position: string | null;
  replay: unknown;
  /** The cancelled replay whose rows it puts right; null for every other one. */
  follows: number | null;
  /** Where its next page begins, as its reader wrote it; null at the start. */
  position: unknown;
  /** Of the catalog at that moment. */
  catalog_generation: number;
}

export interface BackfillState {
  state: 'waiting' | 'running' | 'paused' | 'done' | 'cancelled' | 'failed';
  /** Messages of the sink that it has not passed yet. */
  waiting: number;
  /** A reason for waiting is shown. */
  explained: boolean;
}

/** The oldest backfills of a database that may begin here. `running`: those that have; `full`: sinks that have enough to do. */
export async function dueBackfills(
  messages: Database,
  databaseNo: number,
  { running, full }: { running: readonly number[]; full: readonly number[] },
): Promise<Backfill[]> {
  return (await messages.query<Backfill>(DUE, [databaseNo, running, full])).rows;
}

/** It is under way now, from this position on; `total`: rows to read. Undefined when it is not wanted any more, or kept locked. */
export async function beginBackfill(
  messages: Database,
  no: number,
  total: number | null,
): Promise<Pick<Backfill, 'position'> | undefined> {
  return (await messages.query<Pick<Backfill, 'position'>>(BEGIN, [no, total])).rows[0];
}

/** May it go on? Counts waiting messages up to `bound`. Undefined: it is gone, with its sink. */
export async function readBackfillState(
  messages: Database,
  backfill: { no: number; sink_no: number },
  bound: number,
): Promise<BackfillState | undefined> {
  return (await messages.query<BackfillState>(STATE, [backfill.no, backfill.sink_no, bound])).rows[0];
}

/** Says why it waits; null: it does not. */
export async function explainWait(
  messages: Database,
  no: number,
  why: { reason: string; remedy?: string } | null,
): Promise<void> {
  await messages.query(WAIT, [no, why?.reason ?? null, why?.remedy ?? null]);
}

/** Ends it with a reason; `millrace.resume_backfill` goes on where it was. */
export async function failBackfill(
  messages: Database,
  no: number,
  why: { reason: string; remedy?: string },
): Promise<void> {
  await messages.query(FAIL, [no, why.reason, why.remedy ?? null]);
}

/**
 * One backfill for each table takes its place, and that of those that read a part of it. `left`: what was left out, for
 * people.
 */
export async function expandBackfill(
  messages: Database,
  no: number,
  into: { tables: readonly { schema: string; name: string }[]; left: string },
): Promise<void> {
  const { tables, left } = into;
  const names = [tables.map((table) => table.schema), tables.map((table) => table.name)];
  await messages.transaction(async (tx) => {
    // Capture has few connections, and this is one of them.
    await tx.query(limitSql({ lockMs: 2_000 }));
    await tx.query(WIDEN, [no, ...names]);
    await tx.query(EXPAND, [no, ...names, left]);
  });
}

/** Of kind keys: key values as text, in key order. */
export async function keysOf(messages: Database, no: number): Promise<string[][]> {
  return (await messages.query<{ keys: string[][] }>(KEYS, [no])).rows[0]?.keys ?? [];
}
