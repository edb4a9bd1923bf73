/** Writes messages as the sandbox runtime reads them: `[mode, action, record, changes, metadata]` (process/runtime.ts). */
import type { FunctionInput } from '../../model/message.ts';
import { mayLoseDigits } from './digits.ts';

const EXACT = 1;
const BEFORE = 2;

/** One message as the pieces of its text: put together here, each would be copied once more than it must be. */
export type Item = readonly string[];

/** Items as one JSON array, and the length of each, by which it can be cut. Many at the cost of one text. */
export interface Chunk {
  text: string;
  lengths: readonly number[];
}

/**
 * `reads`: how many of action, record, changes, metadata the function reads; it sees null for the others, since bringing
 * them would be half of the cost. `before`: show the row as it was before the update.
 */
export function itemOf(input: FunctionInput, options: { reads: number; before: boolean }): Item {
  const { action, record } = input;
  const changes = options.reads >= 3 || options.before ? input.changes : null;
  const metadata = options.reads >= 4 ? input.metadata : 'null';
  const before = options.before ? BEFORE : 0;
  // A number of the metadata is the last that is looked for, so metadata without a doubtful one need not be followed.
  const own = mayLoseDigits(metadata);
  if (!own && !mayLoseDigits(record) && (changes === null || !mayLoseDigits(changes))) {
    const start = `[${before},"${action}",`;
    if (changes === null && metadata === 'null') return [start, record, ',null,null]'];
    return [start, record, ',', changes ?? 'null', ',', metadata, ']'];
  }
  const followed = [JSON.stringify(record), ',', JSON.stringify(changes), ','];
  return [`[${before | EXACT},"${action}",`, ...followed, own ? JSON.stringify(metadata) : metadata, ']'];
}

/** The pieces of the text of a chunk, and its lengths. */
export function piecesOf(items: readonly Item[]): { pieces: string[]; lengths: number[] } {
  const pieces: string[] = [];
  const lengths: number[] = [];
  for (const item of items) {
    pieces.push(pieces.length === 0 ? '[' : ',');
    let length = 0;
    for (const piece of item) {
      pieces.push(piece);
      length += piece.length;
    }
    lengths.push(length);
  }
  pieces.push(']');
  return { pieces, lengths };
}

/** Items `from` to `to`, without the last. */
export function cut({ text, lengths }: Chunk, from: number, to: number): Chunk {
  if (from === 0 && to === lengths.length) return { text, lengths };
  let start = 1;
  for (const length of lengths.slice(0, from)) start += length + 1;
  const own = lengths.slice(from, to);
  let end = start - 1;
  for (const length of own) end += length + 1;
  return { text: `[${text.slice(start, end)}]`, lengths: own };
}
