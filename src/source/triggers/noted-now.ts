/** Where a source is whose changes triggers note, and whether they are where they were. */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';

const NOW = statement('source/triggers/noted-now');

export interface StandsNow {
  /** What is committed, in the text form of pg_snapshot. */
  snapshot: string;
  /** The next transaction gets this id. */
  nextXid: bigint;
  /** Of the table of changes; undefined: there is none. */
  changesOid: number | undefined;
}

export async function readNotedNow(source: Queryable): Promise<StandsNow> {
  const { rows } = await source.query<{ snapshot: string; next_xid: string; changes_oid: number | null }>(NOW);
  const { snapshot, next_xid: nextXid, changes_oid: changesOid } = rows[0]!;
  return { snapshot, nextXid: BigInt(nextXid), changesOid: changesOid ?? undefined };
}
