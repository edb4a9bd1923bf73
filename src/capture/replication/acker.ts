/**
 * What may be confirmed to the source: commit first, then acknowledge, and only positions that are durable here. While
 * anything received is not persisted yet, that is the end of the last persisted commit; when nothing is in flight it may
 * also be a keep-alive's WAL end, so that a quiet database keeps no WAL. Positions are sent exactly, never + 1: a commit
 * that begins where the last one ended would be skipped after a reconnect.
 */
export interface Acker {
  /** A commit record that ends here is durable; nothing received before it is missing. */
  persisted(endLsn: bigint): void;
  /** The position to send, always one that was recorded. */
  readonly confirmed: bigint;
  /** Should this WAL end be recorded and confirmed? Only when nothing is in flight and it is further. */
  wants(walEnd: bigint, inFlight: boolean): boolean;
}

export function openAcker(confirmed: bigint): Acker {
  let position = confirmed;
  return {
    get confirmed() {
      return position;
    },
    persisted(endLsn) {
      if (endLsn > position) position = endLsn;
    },
    wants: (walEnd, inFlight) => !inFlight && walEnd > position,
  };
}
