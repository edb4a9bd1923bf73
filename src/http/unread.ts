/**
 * Answers with messages that their clients have not read yet: they lie in our memory until then. One consumer may have
 * `EACH` bytes of them, all together `ALL`; a receive beyond it gets smaller batches, then none.
 */
import type { Response } from 'express';

const MB = 1024 * 1024;
const EACH = 32 * MB;
const ALL = 64 * MB;

export interface Unread {
  /** How many bytes an answer of this consumer may have now; 0 or less: none. */
  room(consumerNo: number): number;
  /** Counts an answer until its client has it, or is gone. */
  count(consumerNo: number, bytes: number, response: Response): void;
}

export function createUnread(): Unread {
  const of = new Map<number, number>();
  let all = 0;
  const change = (consumerNo: number, bytes: number): void => {
    const now = (of.get(consumerNo) ?? 0) + bytes;
    all += bytes;
    if (now === 0) of.delete(consumerNo);
    else of.set(consumerNo, now);
  };
  return {
    room: (consumerNo) => Math.min(EACH - (of.get(consumerNo) ?? 0), ALL - all),
    count(consumerNo, bytes, response) {
      if (response.writableFinished || response.destroyed) return;
      change(consumerNo, bytes);
      response.once('close', () => change(consumerNo, -bytes));
    },
  };
}
