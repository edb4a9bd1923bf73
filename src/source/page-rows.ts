/**
 * The rows of a page, kept as the lines that came: a page waits for its place in the stream, and thousands of small objects
 * that wait are what the garbage collector is slow with. A row is taken apart when it is asked for.
 */
import { tupleOfLine } from '../codec/copy-line.ts';
import type { Transcode } from '../codec/encoding.ts';
import { type Tuple, transcoded } from '../codec/tuple.ts';

export interface PageRow {
  /** By the table's columns. */
  tuple: Tuple;
  /** Only the key is there: the row has about so many bytes. Null: all of it is. */
  tooLarge: number | null;
}

const CHUNK_BYTES = 256 * 1024;

export class PageRows implements Iterable<PageRow> {
  readonly #transcode: Transcode | undefined;
  readonly #chunks: { bytes: Buffer; used: number }[] = [];
  /** Of each row: its chunk, and its bounds there; of one that is too large -1, and its place among those, twice. */
  readonly #places: number[] = [];
  readonly #tooLarge: PageRow[] = [];

  constructor(transcode: Transcode | undefined) {
    this.#transcode = transcode;
  }

  get length(): number {
    return this.#places.length / 3;
  }

  /** Of a COPY in text format. */
  addLine(line: Buffer): void {
    let chunk = this.#chunks.at(-1);
    if (!chunk || chunk.used + line.length > chunk.bytes.length) {
      chunk = { bytes: Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, line.length)), used: 0 };
      this.#chunks.push(chunk);
    }
    line.copy(chunk.bytes, chunk.used);
    this.#places.push(this.#chunks.length - 1, chunk.used, chunk.used + line.length);
    chunk.used += line.length;
  }

  addTooLarge(tuple: Tuple, bytes: number): void {
    const place = this.#tooLarge.push({ tuple, tooLarge: bytes }) - 1;
    this.#places.push(-1, place, place);
  }

  at(row: number): PageRow {
    const chunk = this.#places[row * 3]!;
    const start = this.#places[row * 3 + 1]!;
    if (chunk < 0) return this.#tooLarge[start]!;
    const tuple = tupleOfLine(this.#chunks[chunk]!.bytes.subarray(start, this.#places[row * 3 + 2]!));
    return { tuple: this.#transcode ? transcoded(tuple, this.#transcode) : tuple, tooLarge: null };
  }

  *[Symbol.iterator](): Generator<PageRow> {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
}
