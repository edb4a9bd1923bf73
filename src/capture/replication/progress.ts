/**
 * How far a session is: the last change received and assembled, and the end of the WAL up to which nothing is missing. What
 * the source sends again after a reconnect is at or before the position that was read at the start.
 */
import type { Position } from '../../messages/append.ts';

export class Progress {
  readonly #start: Position;
  #commitLsn: bigint;
  #commitIdx: number;
  /** End of the last commit received, or of the WAL when it was seen with nothing in flight. */
  end: bigint;

  constructor(start: Position) {
    this.#start = start;
    this.#commitLsn = start.commitLsn;
    this.#commitIdx = start.commitIdx;
    this.end = start.confirmedLsn;
  }

  /** Was this change persisted before the session began? */
  wasPersisted(lsn: bigint, idx: number): boolean {
    const { commitLsn, commitIdx } = this.#start;
    return lsn < commitLsn || (lsn === commitLsn && idx <= commitIdx);
  }

  advance(lsn: bigint, idx: number): void {
    if (lsn < this.#commitLsn || (lsn === this.#commitLsn && idx <= this.#commitIdx)) return;
    this.#commitLsn = lsn;
    this.#commitIdx = idx;
  }

  /** What came since is handled once more. */
  goBack({ commitLsn, commitIdx, confirmedLsn }: Position): void {
    this.#commitLsn = commitLsn;
    this.#commitIdx = commitIdx;
    this.end = confirmedLsn;
  }

  see(end: bigint): void {
    if (end > this.end) this.end = end;
  }

  /** To be persisted with everything up to here. */
  position(nextId: number): Position {
    return { commitLsn: this.#commitLsn, commitIdx: this.#commitIdx, confirmedLsn: this.end, nextId };
  }
}
