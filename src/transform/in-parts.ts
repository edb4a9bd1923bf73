/**
 * Takes the chunks of a batch through functions, some at a time and in order, so that what they make of them has room: one
 * that is ahead has half of what is left, and goes only where it can be expected to do. The first that does not fit ends it.
 */
import type { Room } from './job.ts';

/** Chunks of one batch under way: one at work, one that is ready when it is done, one being written down. */
const AHEAD = 3;

export interface Parts<Item, Result> {
  chunks: readonly (readonly Item[])[];
  /** About the characters that a chunk brings: results are expected to be no longer than half as much again. */
  lengthOf(chunk: readonly Item[]): number;
  /** Fewer results than items: there was no room for the next one. */
  run(chunk: readonly Item[], room: Room): Promise<readonly Result[]>;
}

/** One result for each item, in order, up to the first for which there is no room. `first`: the room that the first chunk has at least. */
export async function inParts<Item, Result>(
  { chunks, lengthOf, run }: Parts<Item, Result>,
  room: number,
  first: number,
): Promise<Result[]> {
  const results: Result[] = [];
  const running: { chunk: readonly Item[]; room: Room; done: Promise<readonly Result[]> }[] = [];
  let left = room;
  let begun = 0;
  const begin = (chunk: readonly Item[], share: number): void => {
    left -= share;
    const own = { left: share };
    const done = run(chunk, own);
    // Whoever waits for an earlier one hears of this one's failure later.
    done.catch(() => undefined);
    running.push({ chunk, room: own, done });
    begun += 1;
  };
  for (;;) {
    while (begun < chunks.length && running.length < AHEAD) {
      const chunk = chunks[begun]!;
      if (running.length === 0) begin(chunk, Math.max(left / 2, Math.min(left, first)));
      else if (left / 2 > 1.5 * lengthOf(chunk)) begin(chunk, left / 2);
      else break;
    }
    const next = running.shift();
    if (next === undefined) return results;
    const answers = await next.done;
    results.push(...answers);
    left += Math.max(0, next.room.left);
    if (answers.length < next.chunk.length) {
      await Promise.allSettled(running.map(({ done }) => done));
      return results;
    }
  }
}
