/**
 * What a lane reads while its batch is on its way, so that the destination need not wait for the message database between two
 * batches. It is used only if that batch went as expected: whatever failed or was left changes what comes next, and is read anew.
 */
import type { Share } from '../runtime/concurrency/byte-budget.ts';
import type { LaneRow } from './row.ts';

/** What a lane wants to have in memory at once. */
export interface Ask {
  /** Messages, at most. */
  rows: number;
  /** Of rows. */
  bytes: number;
  /** Characters of what its functions make of them; 0 without functions. */
  room: number;
  /** With less room than that, nothing may fit. */
  leastRoom: number;
}

/** Messages that were read, and the memory that is set aside for them. */
export interface Got {
  rows: readonly LaneRow[];
  /** There may have been others. */
  more: boolean;
  ask: Ask;
  /** Bytes that it was given. */
  given: number;
  /** Undefined: memory is not limited. */
  share: Share | undefined;
}

/** Of one lane: one read at most. */
export interface Ahead {
  /** `after`: the cursor that it is read behind. */
  begin(after: number, reading: Promise<Got>): void;
  /** What was read behind this cursor, once. Undefined: nothing. Rejects as the read did. */
  take(cursor: number): Promise<Got> | undefined;
  /** Gives its memory back, when the read has ended. */
  drop(): void;
}

export function createAhead(): Ahead {
  let begun: { after: number; reading: Promise<Got> } | undefined;
  const drop = (): void => {
    begun?.reading.then(({ share }) => share?.release()).catch(() => undefined);
    begun = undefined;
  };
  return {
    begin(after, reading) {
      drop();
      // Whoever takes it hears of its failure.
      reading.catch(() => undefined);
      begun = { after, reading };
    },
    take(cursor) {
      if (begun?.after !== cursor) drop();
      const taken = begun?.reading;
      begun = undefined;
      return taken;
    },
    drop,
  };
}
