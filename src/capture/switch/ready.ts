/** What both ways read of the source before a cut. */
import { byHand } from '../../checks/finding.ts';
import type { Awaited } from '../../checks/switching.ts';
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { parseLsn } from '../../model/lsn.ts';
import { readWriters } from '../../source/server-facts.ts';

const NOW = statement('source/standing-now');
const OWN_XID = statement('source/own-xid');

export interface StandingNow {
  snapshot: string;
  /** Whatever the snapshot sees was committed before. */
  lsn: bigint;
  /** Of what triggers note changes in; null: it is not there. */
  changesOid: number | null;
}

export async function standingNow(source: Queryable): Promise<StandingNow> {
  const { rows } = await source.query<{ snapshot: string; lsn: string; changes_oid: number | null }>(NOW);
  const { snapshot, lsn, changes_oid: changesOid } = rows[0]!;
  return { snapshot, lsn: parseLsn(lsn), changesOid };
}

/** Whatever writes from now on for the first time has a higher id than this, and whatever has written before a lower one. */
export async function ownXid(source: Queryable): Promise<bigint> {
  const { rows } = await source.query<{ xid: string }>(OWN_XID);
  return BigInt(rows[0]!.xid);
}

/** Transactions that are open since before both ways were there: whose their changes are nobody could tell. */
export async function openSince(source: Database): Promise<Awaited> {
  const { pids, prepared } = await readWriters(source);
  const who = [pids && `backends ${pids}`, prepared && `prepared transactions ${prepared}`].filter(Boolean).join('; ');
  return {
    summary: `it waits for transactions that write and were open before: ${who || 'of other databases of the server'}`,
    ...byHand(
      pids === '' && prepared !== ''
        ? 'Commit or roll back the prepared transactions.'
        : 'Let them end. Nobody waits meanwhile.',
    ),
  };
}
