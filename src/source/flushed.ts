/**
 * What is on the source's disk. Where a session has asked for less (`synchronous_commit = off`), others see a commit before it is there. A crash
 * takes such a one back, and gives the id of its transaction to another one, which would pass for read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Queryable } from '../db/pool.ts';
import { parseLsn } from '../model/lsn.ts';

/** Most commits of others bring what is before them to the disk within that time. */
const LOOKS = 3;
const LOOK_MS = 5;

/** Waits until all WAL before `lsn` is on the disk; `source` asks for it where nobody else does. */
export async function untilFlushed(client: Queryable, lsn: bigint, source: Database): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { rows } = await client.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn');
    if (parseLsn(rows[0]!.lsn) >= lsn) return;
    await sleep(LOOK_MS);
  }
  await flush(source);
}

/** A commit is on the disk, and all that is before it, if its transaction wrote something; a standby is not asked. */
export async function flush(source: Database): Promise<void> {
  await source.transaction(async (tx) => {
    await tx.query("set local synchronous_commit = local; select pg_logical_emit_message(true, 'millrace:flush', '')");
  });
}
