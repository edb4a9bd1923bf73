/** Clients of a pull consumer that wait although there are messages: by what is leased, and by who holds its locks. */
import { quoteLiteral } from '../model/quote.ts';
import { type Answered, byHand, type Finding, fault, inMessages, warning } from './finding.ts';

/** As the statement gives it. */
export interface ConsumerFacts {
  name: string;
  /** Messages that clients have now. */
  leased: number;
  max_ack_pending: number;
  /** Backends of other programs whose open transaction holds one of its locks, and transactions that are prepared. */
  blockers: (Blocker | PreparedBlocker)[];
}

export interface PreparedBlocker {
  pid: null;
  /** Its name. */
  prepared: string;
  username: string | null;
  seconds: number;
}

export interface Blocker {
  pid: number;
  application: string;
  username: string | null;
  /** Null: on the same machine. */
  address: string | null;
  /** What it ran last; null: we may not see it. */
  query: string | null;
  seconds: number;
}

const clientOf = ({ pid, application, username, address }: Blocker): string =>
  `backend ${pid}${application ? ` (${application})` : ''}${username === null ? '' : ` of ${username}`}${address === null ? '' : ` from ${address}`}`;

const blockedBy = (blocker: Blocker): Answered => ({
  ...fault(
    'blocked_by',
    `nobody can receive: ${clientOf(blocker)} holds a lock of it in a transaction that has been open for ${Math.floor(blocker.seconds)} s`,
    inMessages(`select pg_terminate_backend(${blocker.pid})`, 'or let its transaction end'),
  ),
  item: `backend ${blocker.pid}`,
  answer: blocker.query,
});

/** Whoever coordinates it may commit it still: nothing ends it by itself. */
const blockedByPrepared = ({ prepared, username, seconds }: PreparedBlocker): Finding => ({
  ...fault(
    'blocked_by',
    `nobody can receive: transaction ${quoteLiteral(prepared)}${username === null ? '' : ` of ${username}`} holds a lock of it, and was prepared ${Math.floor(seconds)} s ago`,
    inMessages(`rollback prepared ${quoteLiteral(prepared)}`, 'or commit prepared, as whoever coordinates it decides'),
  ),
  item: `transaction ${prepared}`,
});

export function checkConsumer({ leased, max_ack_pending, blockers, name }: ConsumerFacts): (Finding | Answered)[] {
  const found: (Finding | Answered)[] = blockers.map((blocker) =>
    blocker.pid === null ? blockedByPrepared(blocker) : blockedBy(blocker),
  );
  if (leased >= max_ack_pending)
    found.push(
      warning(
        'ack_pending_full',
        `clients have ${leased} messages that they have not acknowledged, as many as they may: nobody receives more`,
        byHand(`Acknowledge what was received, or raise max_ack_pending of ${name}.`),
      ),
    );
  return found;
}
