/** How deeply JSON is nested. Whoever parses it goes as deep itself, Postgres too, and gives up where its stack ends. */
import type { Slice } from './json-bytes.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` are 1, `]` and `}` are -1, a quote is 2. */
const MARKS = new Int8Array(256);
MARKS[0x5b] = MARKS[0x7b] = 1;
MARKS[0x5d] = MARKS[0x7d] = -1;
MARKS[QUOTE] = 2;

/** Is valid JSON nested in more than `levels`? */
export function isDeeper({ bytes, start, end }: Slice, levels: number): boolean {
  if (end - start <= 2 * levels) return false;
  let depth = 0;
  for (let i = start; i < end; i++) {
    const mark = MARKS[bytes[i]!]!;
    if (mark === 0) continue;
    if (mark === 2) {
      for (i += 1; i < end && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i += 1;
      continue;
    }
    depth += mark;
    if (depth > levels) return true;
  }
  return false;
}
