/** Clients of a pull consumer that wait although there are messages: by what is leased, and by who holds its locks. */
import { byHand, type Finding, fault, inMessages, warning } from './finding.ts';

/** As the statement gives it. */
export interface ConsumerFacts {
  name: string;
  /** Messages that clients have now. */
  leased: number;
  max_ack_pending: number;
  /** Backends of other programs whose open transaction holds one of its locks. */
  blockers: { pid: number; application: string; seconds: number }[];
}

export function checkConsumer({ leased, max_ack_pending, blockers, name }: ConsumerFacts): Finding[] {
  const found: Finding[] = blockers.map(({ pid, application, seconds }) => ({
    ...fault(
      'blocked_by',
      `nobody can receive: backend ${pid}${application ? ` (${application})` : ''} holds a lock of it in a transaction that has been open for ${Math.floor(seconds)} s`,
      inMessages(`select pg_terminate_backend(${pid})`, 'or let its transaction end'),
    ),
    item: `backend ${pid}`,
  }));
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
