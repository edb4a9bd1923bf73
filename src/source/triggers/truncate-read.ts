/**
 * Empties what was read of the noted changes, a partition of the ring at a time. Nothing unread goes: that is looked at again
 * under a lock that nobody who writes can have beside us, so every row that is there then is committed, or never will be.
 */
import { limitSql } from '../../db/deadline.ts';
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { quoteLiteral } from '../../model/quote.ts';
import { isLockTimeout } from '../../model/sqlstate.ts';

const READ_PARTS = statement('source/triggers/read-parts');

/** TRUNCATE also locks the table's TOAST, where a vacuum may be: writers wait for us meanwhile, and may have a lock_timeout. */
const LOCK_MS = 1;

/** What a partition may hold that is still written to: where changes are few its turn may last for months. */
const CURRENT_BYTES = 32 * 1024 * 1024;

export interface Read {
  /** All that it sees is read. */
  snapshot: string;
  /** The partition that is written to is left until it has as much; 32 MiB if absent. */
  currentBytes?: number;
}

const PARTS = [0, 1, 2, 3];
const partName = (part: number): string => `millrace_capture.changes_${part}`;

/** Kept with the partition, for whoever has an older position than that: what he lacks is gone (`readEmptied`). */
const EMPTIED = 'emptied of what this snapshot sees: ';

/** Numbers of partitions. */
export interface Truncated {
  emptied: number[];
  /** They are read, but somebody has a lock on them, who writes or is a vacuum: to be tried again. */
  locked: number[];
}

/**
 * Empties the partitions that are read. One that somebody has written to in an open transaction is left.
 * No standby is waited for: whoever writes would wait as long for the lock, though he asked for no standby.
 */
export async function truncateRead(source: Database, read: Read): Promise<Truncated> {
  const emptied: number[] = [];
  const locked: number[] = [];
  for (const part of await readParts(source, read, PARTS)) {
    const isEmptied = await source
      .transaction(async (tx) => {
        const name = partName(part);
        await tx.query(`${limitSql({ lockMs: LOCK_MS })}; set local synchronous_commit = local`);
        await tx.query(`lock table ${name} in access exclusive mode nowait`);
        if ((await readParts(tx, read, [part])).length === 0) return false;
        await tx.query(`truncate ${name}; comment on table ${name} is ${quoteLiteral(EMPTIED + read.snapshot)}`);
        return true;
      })
      .catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        locked.push(part);
        return false;
      });
    if (isEmptied) emptied.push(part);
  }
  return { emptied, locked };
}

async function readParts(
  source: Queryable,
  { snapshot, currentBytes = CURRENT_BYTES }: Read,
  parts: number[],
): Promise<number[]> {
  const { rows } = await source.query<{ part: number }>(READ_PARTS, [snapshot, parts, currentBytes]);
  return rows.map(({ part }) => part);
}

/** Snapshots of which nothing is left in a partition. */
export async function readEmptied(source: Queryable): Promise<string[]> {
  const { rows } = await source.query<{ said: string | null }>(
    `select obj_description(to_regclass('millrace_capture.changes_' || p.part), 'pg_class') as said
       from unnest($1::smallint[]) p (part)`,
    [PARTS],
  );
  return rows.flatMap(({ said }) => (said?.startsWith(EMPTIED) ? [said.slice(EMPTIED.length)] : []));
}

/** Whoever begins now needs nothing of before; and what a dump has brought along is of another database. */
export async function forgetEmptied(source: Database): Promise<void> {
  const forget = PARTS.map((part) => `comment on table ${partName(part)} is null`);
  await source.query(forget.join('; '));
}
