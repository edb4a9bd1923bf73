/**
 * Removes a sink. First it leaves the catalog, in one short transaction: from its commit on no capture persists anything
 * for it and nobody delivers it. Then its storage goes, in steps that stall nobody: its partition is detached concurrently
 * (a plain detach would wait for every reader of any sink, with all captures behind it), then dropped. Whatever is left
 * when a long transaction is in the way, or after death on any line, is found again by `freeStorage`.
 */
import type { Database, Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import { isCancelled, isTransient } from '../../model/sqlstate.ts';
import { recordChange } from '../audit.ts';

const REMOVE = statement('catalog/remove-sink');
const PUBLISH = statement('catalog/publish');
const ORPHANED = statement('catalog/orphaned-storage');
const FORGET = statement('catalog/forget-sink');

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
  /** Somebody began to detach it. */
  detaching: boolean;
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
      if (!isTransient(error) && !isCancelled(error)) throw error;
      inTheWay += 1;
    }
  }
  return inTheWay === 0;
}

async function free(db: Database, { sink_no, name, attached, detaching }: Orphan, patienceMs: number): Promise<void> {
  await db.query(FORGET, [sink_no]);
  const table = `millrace_private.${name}`;
  await db.session(async (client) => {
    const { rows } = await client.query<{ statement_timeout: string }>('show statement_timeout');
    // Detaching concurrently is not for transactions, so this is a setting of the session, put back below. Whoever comes
    // after us waits only if it wants this very partition, which nobody looks for any more.
    await client.query(`set statement_timeout = ${patienceMs}`);
    try {
      if (attached) {
        const how = detaching ? 'finalize' : 'concurrently';
        await client.query(`alter table millrace_private.messages detach partition ${table} ${how}`);
      }
      const locks = ['turn', 'lock'].map((name) => `millrace_private.${name}_${sink_no}`);
      await client.query(`drop table if exists ${[table, ...locks].join(', ')}`);
    } finally {
      await client.query(`set statement_timeout = '${rows[0]!.statement_timeout}'`).catch(() => undefined);
    }
  });
}
