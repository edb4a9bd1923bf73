/**
 * Empties what was read of the noted changes, a partition of the ring at a time. Nothing unread goes: that is looked at again
 * under a lock that nobody who writes can have beside us, so every row that is there then is committed, or never will be.
 */
import { limitSql } from '../../db/deadline.ts';
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { isLockTimeout } from '../../model/sqlstate.ts';

const READ_PARTS = statement('source/triggers/read-parts');

/** TRUNCATE also locks the table's TOAST, where a vacuum may be: writers wait for us meanwhile. */
const LOCK_MS = 50;

/** What a partition may hold that is still written to: where changes are few its turn may last for months. */
const CURRENT_BYTES = 32 * 1024 * 1024;

export interface Read {
  /** All that it sees is read. */
  snapshot: string;
  /** The partition that is written to is left until it has as much; 32 MiB if absent. */
  currentBytes?: number;
}

/** Returns the numbers of the partitions that were emptied; one that somebody has written to in an open transaction is left. */
export async function truncateRead(source: Database, read: Read): Promise<number[]> {
  const emptied: number[] = [];
  for (const part of await readParts(source, read, [0, 1, 2, 3])) {
    const isEmptied = await source
      .transaction(async (tx) => {
        const name = `millrace_capture.changes_${part}`;
        await tx.query(limitSql({ lockMs: LOCK_MS }));
        await tx.query(`lock table ${name} in access exclusive mode nowait`);
        if ((await readParts(tx, read, [part])).length === 0) return false;
        await tx.query(`truncate ${name}`);
        return true;
      })
      .catch((error: unknown) => {
        if (isLockTimeout(error)) return false;
        throw error;
      });
    if (isEmptied) emptied.push(part);
  }
  return emptied;
}

async function readParts(
  source: Queryable,
  { snapshot, currentBytes = CURRENT_BYTES }: Read,
  parts: number[],
): Promise<number[]> {
  const { rows } = await source.query<{ part: number }>(READ_PARTS, [snapshot, parts, currentBytes]);
  return rows.map(({ part }) => part);
}
