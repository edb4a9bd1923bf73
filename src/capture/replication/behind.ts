/**
 * How far behind its source a stream is, in time, by the source's clock. While something that came is not persisted: how long ago the
 * transaction was committed that it is at. While nothing comes, but WAL that was seen there is not passed: since when. Else nothing.
 */

/** A stream passes what is there in a moment, unless it is behind. */
const PASSED_MS = 5_000;

export interface StreamPlace {
  /** All that came is persisted. */
  isIdle: boolean;
  confirmed: bigint;
  /** Of our clock. */
  nowMs: number;
}

/** What a source's clock said, and when it was asked, by ours; milliseconds since 1970. */
export interface SourceClock {
  sourceMs: number;
  askedMs: number;
  answeredMs: number;
}

export class Behind {
  readonly #place: () => StreamPlace;
  /** Of the transaction that came last; milliseconds of the source's clock. */
  #committedMs: number | undefined;
  /** What the source's clock is ahead of ours. */
  #aheadMs = 0;
  /** An end of WAL that is to be passed, and when it was seen. */
  #mark: { end: bigint; sinceMs: number } | undefined;

  constructor(place: () => StreamPlace) {
    this.#place = place;
  }

  came(committedMicros: number): void {
    this.#committedMs = committedMicros / 1_000;
  }

  /** `end`: of what the source had written; null: not known. */
  looked({ sourceMs, askedMs, answeredMs }: SourceClock, end: bigint | null): void {
    this.#aheadMs = sourceMs - (askedMs + answeredMs) / 2;
    if (end === null) return;
    const { confirmed, nowMs } = this.#place();
    if (this.#mark === undefined || confirmed >= this.#mark.end) this.#mark = { end, sinceMs: nowMs };
  }

  get ms(): number {
    const { isIdle, confirmed, nowMs } = this.#place();
    const handled = isIdle || this.#committedMs === undefined ? 0 : nowMs + this.#aheadMs - this.#committedMs;
    const waited = this.#mark === undefined || confirmed >= this.#mark.end ? 0 : nowMs - this.#mark.sinceMs;
    return Math.max(0, handled, waited > PASSED_MS ? waited : 0);
  }
}
