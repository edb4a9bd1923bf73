/** One row's values where they lie in a message: a row costs no string before it becomes JSON. */
import type { Transcode } from './encoding.ts';

/** Range starts that are no place: the value is NULL, or an unchanged TOASTed one that was not sent. */
export const NULL_VALUE = -1;
export const UNCHANGED = -2;

/** The columns of one row. `ranges[2 * i]` and `ranges[2 * i + 1]` bound column i in `bytes`, or say why it has none. */
export interface Tuple {
  bytes: Buffer;
  ranges: number[];
  /** Is any column UNCHANGED? */
  unchanged: boolean;
}

/** The row with its texts in UTF-8. */
export function transcoded({ bytes, ranges, unchanged }: Tuple, transcode: Transcode): Tuple {
  const moved: number[] = [];
  const texts: Buffer[] = [];
  let length = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const start = ranges[i]!;
    if (start < 0) {
      moved.push(start, start);
      continue;
    }
    const text = transcode(bytes.subarray(start, ranges[i + 1]!));
    texts.push(text);
    moved.push(length, length + text.length);
    length += text.length;
  }
  return { bytes: Buffer.concat(texts, length), ranges: moved, unchanged };
}

/** A row's values, null for NULL and undefined for UNCHANGED, as the stream would bring them. */
export function tupleOf(texts: readonly (string | Buffer | null | undefined)[]): Tuple {
  const ranges: number[] = [];
  let length = 0;
  for (const text of texts) {
    if (text === null) ranges.push(NULL_VALUE, NULL_VALUE);
    else if (text === undefined) ranges.push(UNCHANGED, UNCHANGED);
    else {
      const end = length + (typeof text === 'string' ? Buffer.byteLength(text) : text.length);
      ranges.push(length, end);
      length = end;
    }
  }
  const bytes = Buffer.allocUnsafe(length);
  for (const [n, text] of texts.entries()) {
    if (typeof text === 'string') bytes.write(text, ranges[n * 2]!);
    else text?.copy(bytes, ranges[n * 2]!);
  }
  return { bytes, ranges, unchanged: texts.includes(undefined) };
}
