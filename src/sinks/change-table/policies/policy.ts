/**
 * Our own retention job, for databases without an extension that could do it: deletes what was committed longer ago than
 * is kept, by the destination's clock. In chunks, each its own transaction, so that no lock is held for long, an open
 * batch is not waited for, and death or an abort loses at most one chunk of work. Safe to run twice at once.
 */

import { limitSql, onDestination } from '../../../db/deadline.ts';
import type { Database } from '../../../db/pool.ts';
import { EVERY_ROW, USERS_PATH } from '../../../db/session-settings.ts';
import { statement } from '../../../db/statement.ts';
import type { QuotedTable } from '../../../model/quote.ts';
import { onTable } from '../table-name.ts';

export interface ExpireInput {
  table: QuotedTable;
  keepSeconds: number;
  signal: AbortSignal;
}

export interface ExpireOptions {
  /** Rows a transaction. */
  chunk?: number;
  /** Milliseconds a chunk may take; without an index on committed_at it reads the whole table at the end. */
  timeoutMs?: number;
}

const EXPIRE = statement('sinks/change-table/expire');

/**
 * Deletes until nothing old is left or `signal` aborts; returns how many rows went. Throws what Postgres says, and then
 * what was deleted stays deleted.
 */
export async function expireRows(
  deps: { destination: Database },
  input: ExpireInput,
  options: ExpireOptions = {},
): Promise<number> {
  const { chunk = 5_000, timeoutMs = 300_000 } = options;
  const expire = onTable(EXPIRE, input.table);
  let deleted = 0;
  while (!input.signal.aborted) {
    const count = await onDestination(deps.destination, { signal: input.signal, timeoutMs }, async (tx) => {
      await tx.query(`${limitSql({ statementMs: timeoutMs, lockMs: 5_000 })}; ${EVERY_ROW}; ${USERS_PATH}`);
      return (await tx.query(expire, [input.keepSeconds, chunk])).rowCount;
    }).catch((error) => {
      if (input.signal.aborted) return 0;
      throw error;
    });
    deleted += count;
    if (count < chunk) break;
  }
  return deleted;
}
