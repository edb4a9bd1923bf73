/**
 * A slot's stream behind a cut: what the cut's snapshot sees was told by triggers and is left out. Everything else was begun when
 * the slot was there already, so it is all in the stream.
 *
 * A commit is in the WAL a moment before others see it, for long where it waits for a synchronous standby. So one that the snapshot
 * does not see may lie before the last LSN that was given out. It gets the next one, stored with the first of its changes, so that
 * whoever goes on after a crash gives it the same. Commits behind it keep their order.
 */
import { isMissed, parseSnapshot } from '../../source/visibility.ts';
import type { Hearer } from '../replication/hearing.ts';
import { logicalMessage } from '../triggers/wire.ts';
import type { StoredCut } from './cut.ts';
import { at, BEGIN, COMMIT, isDescription, renumbered } from './transaction-bytes.ts';

/** Nothing of the cut is left to be regarded by whoever begins behind this LSN. */
export const isPassed = ({ untilLsn, baseLsn, renumbered: last }: StoredCut, commitLsn: bigint): boolean =>
  [untilLsn, baseLsn, last?.to ?? 0n].every((lsn) => commitLsn > lsn);

export interface Joining {
  cut: StoredCut;
  /** Of the position: the last change that is persisted. */
  commitLsn: bigint;
  /** Of messages that store which LSN a commit has got. Nobody else can guess it. */
  prefix: string;
}

/** What the session hears of the stream. */
export function joinAt(session: Hearer, { cut, commitLsn, prefix }: Joining): Hearer {
  const snapshot = parseSnapshot(cut.snapshot);
  const number = numbering(cut, commitLsn);
  let isLeftOut = false;
  /** Of the transaction that comes, where it is not its own. */
  let given: bigint | undefined;
  return {
    get relations() {
      return session.relations;
    },
    onKeepAlive: (walEnd, replyRequested) => session.onKeepAlive(walEnd, replyRequested),
    onMessage(bytes) {
      const tag = bytes[0];
      if (tag === BEGIN) {
        const { lsn, xid } = at(bytes);
        isLeftOut = lsn < cut.untilLsn && !isMissed(snapshot, xid);
        if (isLeftOut) return;
        const told = number(lsn);
        given = told === lsn ? undefined : told;
        if (given === undefined) return session.onMessage(bytes);
        session.onMessage(renumbered(bytes, given));
        session.onMessage(logicalMessage(prefix, JSON.stringify({ from: String(lsn), to: String(given) })));
        return;
      }
      if (isLeftOut && !isDescription(tag)) return;
      session.onMessage(tag === COMMIT && given !== undefined ? renumbered(bytes, given) : bytes);
    },
  };
}

/** Ascending for ascending commits, and for each the same one after a crash. */
function numbering({ baseLsn, renumbered: stored }: StoredCut, commitLsn: bigint): (lsn: bigint) => bigint {
  // Persisted behind the last that got another one: whatever comes has its own.
  if (commitLsn > (stored?.to ?? baseLsn)) return (lsn) => lsn;
  let last = stored?.to ?? baseLsn;
  return (lsn) => {
    if (stored && lsn < stored.from) return lsn;
    if (stored && lsn === stored.from) return stored.to;
    last = lsn > last ? lsn : last + 1n;
    return last;
  };
}

/** Of such a message. */
export function renumberedOf(content: string): { from: bigint; to: bigint } {
  const { from, to } = JSON.parse(content) as { from: string; to: string };
  return { from: BigInt(from), to: BigInt(to) };
}
