/**
 * An operation that this worker has, by a lease that each sign of life renews. Everything is written by the lease's token:
 * a worker that was overtaken, or whose operation was paused or cancelled, changes nothing any more, and is told by its signal.
 */
import type { Database, Queryable, Transaction } from '../../db/pool.ts';
import { type Statement, statement } from '../../db/statement.ts';
import { storable, storableJson } from '../../model/storable.ts';
import type { Finding, OperationStep } from '../operations.ts';

const SHOW = statement('admin/operation/show');
const KEEP = statement('admin/operation/keep');
const HOLD = statement('admin/operation/hold');
const END = statement('admin/operation/end');
const RELEASE = statement('admin/operation/release');
const ADD_FINDINGS = statement('admin/operation/add-findings');

export const JOB_KINDS = ['verify', 'rebuild', 'resync', 'retry', 'discard'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** As it was taken. */
export interface TakenOperation {
  id: string;
  kind: JobKind;
  token: string;
  attempt: number;
  request: Record<string, unknown>;
  /** By an earlier attempt. */
  kept: unknown;
  steps: readonly OperationStep[];
  sink_no: number | null;
  sink_name: string | null;
  database_name: string;
}

/** What is seen of it from outside, each two seconds. */
export interface Shown {
  phase: string | null;
  progress: {
    table?: string | null;
    done?: number;
    sent?: number;
    total?: number | null;
    percent?: number | null;
    per_second?: number | null;
    seconds_left?: number | null;
  } | null;
  lines: readonly string[];
}

export interface Ended {
  state: 'done' | 'failed';
  result: Record<string, unknown> | null;
  reason?: string | null;
  remedy?: string | null;
  findings?: readonly Finding[];
}

/** It was paused, cancelled or taken over: nothing more is to be done, and nothing can be written. */
export class Lost extends Error {
  constructor() {
    super('the operation is no longer held');
    this.name = 'Lost';
  }
}

export interface Held extends TakenOperation {
  db: Database;
  /** Aborted when the worker stops, and when the operation is lost. */
  signal: AbortSignal;
  /** Written with the next sign of life. */
  show(shown: Shown): void;
  /** A step that is over. @throws Lost */
  say(text: string, operation?: string): Promise<void>;
  /** For a later attempt. @throws Lost */
  keep(kept: unknown): Promise<void>;
  /** In one transaction with the proof that it is still held. @throws Lost */
  within<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** As `keep`, in the transaction of what it tells of. */
  keepWith(tx: Transaction, kept: unknown): Promise<void>;
}

export interface Lease {
  held: Held;
  /** Says that this worker is there. False: it is lost. */
  beat(): Promise<boolean>;
  /** False: it was lost before. */
  end(ended: Ended): Promise<boolean>;
  release(again: { afterMs: number; reason?: string | null; remedy?: string | null }): Promise<void>;
}

/** `session`: the lock by which it is seen that this worker is there; null: none. */
export function holdOperation(
  { db, signal, session }: { db: Database; signal: AbortSignal; session(): string | null },
  taken: TakenOperation,
  { leaseMs }: { leaseMs: number },
): Lease {
  const key = [taken.id, taken.token];
  let shown: Shown = { phase: null, progress: null, lines: [] };
  const write = async (on: Queryable, what: Statement, values: readonly unknown[]): Promise<void> => {
    if ((await on.query(what, [...key, ...values])).rowCount === 0) throw new Lost();
  };
  const within: Held['within'] = (work) =>
    db.transaction(async (tx) => {
      if ((await tx.query(HOLD, key)).rows.length === 0) throw new Lost();
      return await work(tx);
    });
  const held: Held = {
    ...taken,
    db,
    signal,
    show(next) {
      shown = next;
    },
    say: (text, operation) =>
      write(db, KEEP, [null, storableJson(operation === undefined ? { text } : { text, operation })]),
    keep: (kept) => write(db, KEEP, [storableJson(kept), null]),
    keepWith: (tx, kept) => write(tx, KEEP, [storableJson(kept), null]),
    within,
  };
  const ifHeld = async (work: Promise<void>): Promise<boolean> =>
    await work.then(
      () => true,
      (error: unknown) => {
        if (error instanceof Lost) return false;
        throw error;
      },
    );
  return {
    held,
    beat: () =>
      ifHeld(
        write(db, SHOW, [leaseMs, shown.phase, storableJson(shown.progress), shown.lines.map(storable), session()]),
      ),
    end: ({ state, result, reason, remedy, findings = [] }) =>
      ifHeld(
        within(async (tx) => {
          if (findings.length > 0) await tx.query(ADD_FINDINGS, [taken.id, storableJson(findings)]);
          const texts = [reason, remedy].map((text) => (text == null ? null : storable(text)));
          const last = [shown.lines.map(storable), shown.progress === null ? null : storableJson(shown.progress)];
          await write(tx, END, [state, storableJson(result), ...texts, ...last]);
        }),
      ),
    async release({ afterMs, reason = null, remedy = null }) {
      await ifHeld(write(db, RELEASE, [afterMs, reason === null ? null : storable(reason), remedy]));
    },
  };
}
