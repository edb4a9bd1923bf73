/**
 * Removes a sink. First it leaves the catalog, in one short transaction: from its commit on no capture persists anything
 * for it and nobody delivers it. Then its storage goes, in steps that stall nobody: its partition is detached concurrently
 * (a plain detach would wait for every reader of any sink, with all captures behind it), then dropped. Whatever is left
 * when a long transaction is in the way, or after death on any line, is found again by `freeStorage`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, run, type Transaction } from '../../db/pool.ts';
import { inSavepoint } from '../../db/savepoint.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import { isBeingFreed, isCancelled, isLockTimeout, isTransient } from '../../model/sqlstate.ts';
import { recordChange } from '../audit.ts';

const REMOVE = statement('catalog/remove-sink');
const PUBLISH = statement('catalog/publish');
const ORPHANED = statement('catalog/orphaned-storage');
const FORGET = statement('catalog/forget-sink');
const DETACHING = statement('catalog/detaching');

export interface RemovedSink {
  no: number;
  database_name: string;
  /** No other sink reads from its database: its slot keeps WAL for nobody. */
  is_last: boolean;
}

/** Takes it out of the catalog, in a transaction that changes that: its messages are unreachable then. `subject`, `before`: as the audit log has them. @throws MillraceError not_found */
export async function removeIn(
  tx: Transaction,
  { name, subject, before }: { name: string; subject: string; before: unknown },
): Promise<RemovedSink> {
  const { rows } = await tx.query<RemovedSink>(REMOVE, [name]);
  if (!rows[0]) throw new MillraceError('not_found', `there is no sink ${name}`);
  await tx.query(PUBLISH);
  await recordChange(tx, { action: 'delete', subject, before });
  return rows[0];
}

interface Orphan {
  sink_no: number;
  /** Of its partition, which is one of ours by its form. */
  name: string;
  attached: boolean;
}

/**
 * Frees what removed sinks have left. `patienceMs`: how long to wait for transactions that are older than the removal.
 * False when some was in the way: try again later.
 */
export async function freeStorage(db: Database, patienceMs: number): Promise<boolean> {
  const { rows } = await db.query<Orphan>(ORPHANED);
  let inTheWay = 0;
  for (const orphan of rows) {
    // Whoever is in the way of some is in the way of all.
    if (inTheWay === 3) break;
    try {
      await free(db, orphan, patienceMs);
    } catch (error) {
      if (!isTransient(error) && !isCancelled(error) && !isBeingFreed(error)) throw error;
      inTheWay += 1;
    }
  }
  return inTheWay === 0;
}

/**
 * Detaching holds a lock that the creation of a sink wants, while Postgres waits for readers of the partition and for
 * transactions that are older. So each wait is short, and repeated as long as patience lasts.
 */
const HOLD_MS = 100;
const PAUSE_MS = 100;

async function free(db: Database, { sink_no, name, attached }: Orphan, patienceMs: number): Promise<void> {
  await db.query(FORGET, [sink_no]);
  const table = `millrace_private.${name}`;
  const until = performance.now() + patienceMs;
  await db.session(async (client) => {
    const { rows } = await client.query<{ lock_timeout: string }>('show lock_timeout');
    // Detaching concurrently is not for transactions, so this is a setting of the session, put back below.
    await client.query(`set lock_timeout = ${HOLD_MS}`);
    try {
      if (attached) await patiently(until, () => detach(client, table, until));
      const locks = ['turn', 'lock'].map((name) => `millrace_private.${name}_${sink_no}`);
      await patiently(until, () => client.query(`drop table if exists ${[table, ...locks].join(', ')}`));
    } finally {
      await client.query(`set lock_timeout = '${rows[0]!.lock_timeout}'`).catch(() => undefined);
    }
  });
}

/** Again when a lock was in the way, until that time. */
async function patiently(until: number, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() >= until) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

type Client = Parameters<Parameters<Database['session']>[0]>[0];

async function detach(client: Client, table: string, until: number): Promise<void> {
  const { rows } = await run<{ pending: boolean }>(client, DETACHING, [table]);
  const statement = `alter table millrace_private.messages detach partition ${table}`;
  if (rows[0]?.pending === false) await client.query(`${statement} concurrently`);
  // Somebody has begun, us included: older transactions are to be waited for, and nobody else's begin to be while we wait.
  else if (rows[0]?.pending) {
    await client.query('begin isolation level repeatable read');
    try {
      // One at a time: two would wait for each other's moment.
      await client.query(`lock table ${table} in share update exclusive mode`);
      await client.query('select');
      await patiently(until, () => inSavepoint(client, () => client.query(`${statement} finalize`)));
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => client.end().catch(() => undefined));
      throw error;
    }
  }
}
