/**
 * Where a database goes over from one way of capture to the other: a snapshot of the source. What it sees is told by the way of before,
 * and everything else by the new one, so that each transaction is told by exactly one of them (docs/decisions/0021).
 */
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { CaptureWay } from '../../model/declared.ts';
import { formatLsn, parseLsn } from '../../model/lsn.ts';
import type { SourceIdentity } from '../../model/source-identity.ts';
import { fenced } from '../../model/sqlstate.ts';

const READ = statement('capture/read-cut');
const STORE = statement('capture/store-cut');
const FORGET = statement('capture/forget-cut');
const MOVE_OVER = statement('capture/move-over');
const CONFIRM = statement('capture/confirm-anew');
const BEGIN_PLAN = statement('capture/begin-plan');

export interface Cut {
  /** In the text form of pg_snapshot. */
  snapshot: string;
  /** Whatever the snapshot sees was committed before that. */
  untilLsn: bigint;
  /** The last commit_lsn that the way of before has given out. */
  baseLsn: bigint;
}

export interface StoredCut extends Cut {
  /** The new one. */
  way: CaptureWay;
  /** To triggers: of the table that they note changes in. */
  changesOid: number | null;
  /** To replication: the commit of the WAL that has got another LSN last, and which one. */
  renumbered: { from: bigint; to: bigint } | undefined;
}

/** Whose position it is. */
export interface Owner {
  databaseNo: number;
  /** Of the stream that told everything so far. */
  generation: number;
  /** What it was told from. */
  slotName: string;
}

/** Of the present epoch. Undefined: there was none, or it is forgotten. */
export async function readCut(messages: Queryable, databaseNo: number): Promise<StoredCut | undefined> {
  const { rows } = await messages.query<{
    way: CaptureWay;
    snapshot: string;
    until_lsn: string;
    base_lsn: string;
    changes_oid: number | null;
    wal_lsn: string | null;
    told_lsn: string | null;
  }>(READ, [databaseNo]);
  const row = rows[0];
  if (!row) return undefined;
  const { wal_lsn: from, told_lsn: to } = row;
  return {
    way: row.way,
    snapshot: row.snapshot,
    untilLsn: parseLsn(row.until_lsn),
    baseLsn: parseLsn(row.base_lsn),
    changesOid: row.changes_oid,
    renumbered: from === null || to === null ? undefined : { from: parseLsn(from), to: parseLsn(to) },
  };
}

/** Before anything is left out by it. @throws what `isFenced` knows when another capture has taken over. */
export async function storeCut(
  messages: Queryable,
  { databaseNo, generation, slotName }: Owner,
  cut: Cut & { way: CaptureWay; changesOid: number | null },
): Promise<void> {
  const { way, snapshot, untilLsn, baseLsn, changesOid } = cut;
  const values = [way, snapshot, formatLsn(untilLsn), formatLsn(baseLsn), changesOid];
  const { rowCount } = await messages.query(STORE, [databaseNo, generation, slotName, ...values]);
  if (rowCount === 0) throw fenced();
}

/** Statement, in the transaction that stores the first of the changes that it is about. */
export function renumberedSql(databaseNo: number, { from, to }: { from: bigint; to: bigint }): string {
  return `update millrace_private.capture_switches set wal_lsn = '${formatLsn(from)}', told_lsn = '${formatLsn(to)}' where database_no = ${databaseNo}`;
}

/** The slot goes on where the cut is. `confirmedLsn`: its own. @throws what `isFenced` knows. */
export async function moveToReplication(
  messages: Database,
  owner: Owner,
  to: { identity: SourceIdentity; confirmedLsn: string; cut: Cut },
): Promise<void> {
  await messages.transaction(async (tx) => {
    await moveOver(tx, owner, to.identity);
    await tx.query(CONFIRM, [owner.databaseNo, to.confirmedLsn]);
    const { slotName } = to.identity;
    await storeCut(tx, { ...owner, slotName }, { ...to.cut, way: 'replication', changesOid: null });
  });
}

/** What triggers have noted goes on where the cut is. @throws what `isFenced` knows. */
export async function moveToTriggers(
  messages: Database,
  owner: Owner,
  to: { identity: SourceIdentity; cut: Cut },
): Promise<void> {
  const { snapshot, untilLsn } = to.cut;
  await messages.transaction(async (tx) => {
    await moveOver(tx, owner, to.identity);
    await tx.query(BEGIN_PLAN, [owner.databaseNo, snapshot, formatLsn(untilLsn)]);
    await tx.query(FORGET, [owner.databaseNo]);
  });
}

async function moveOver(
  tx: Queryable,
  { databaseNo, generation, slotName }: Owner,
  identity: SourceIdentity,
): Promise<void> {
  const { systemIdentifier, timeline, databaseOid, slotName: next, publicationOid } = identity;
  const values = [systemIdentifier, timeline, databaseOid, next, publicationOid];
  const { rowCount } = await tx.query(MOVE_OVER, [databaseNo, generation, slotName, ...values]);
  if (rowCount === 0) throw fenced();
}
