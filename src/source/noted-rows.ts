/**
 * Rows of a chunk of noted changes, read from the bytes that COPY sends in its binary form. All chunks of a reader are written to
 * the same memory: as garbage, they would add up to several times what is held at once. So the texts of a row are valid until
 * the next chunk is read, and whoever keeps a row for longer copies it (`copyOfRow`).
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT
 */

/**
 * I, U, D; i, u, d: of a row that is too large, whose key alone is there; T: the table was truncated, or `new`, a partition of it;
 * M: a message (`old` is its prefix, `new` its content); X: something was not noted.
 */
export type ChangeOp = 'I' | 'U' | 'D' | 'i' | 'u' | 'd' | 'T' | 'M' | 'X';

export interface ChangeRow {
  seq: bigint;
  xid: bigint;
  /** Microseconds since 1970. */
  madeAt: number;
  /** The table: of a partition the one that it is a part of. */
  rel: number;
  /** Number of the table's shape at that time (`readShapes`). */
  shape: bigint | null;
  op: ChangeOp;
  /** Rows as the text of a composite value. */
  old: Buffer | null;
  new: Buffer | null;
  /** Where the versions of the row lie: the new one of a change is the old one of the next. */
  oldAt: bigint | null;
  newAt: bigint | null;
  /** Its texts are in the source alone: it is read again (`readAgain`) when its turn comes. */
  isLeft?: true;
}

/** What a look that finds little needs. */
const SMALL_BYTES = 64 * 1024;
const HEADER_BYTES = 19;
const MICROS_1970_TO_2000 = 946_684_800_000_000;

/** Valid for as long as anybody likes. */
export const copyOfRow = (row: ChangeRow): ChangeRow => ({
  ...{ seq: row.seq, xid: row.xid, madeAt: row.madeAt, rel: row.rel, shape: row.shape, op: row.op },
  ...{ oldAt: row.oldAt, newAt: row.newAt },
  old: row.old && Buffer.from(row.old),
  new: row.new && Buffer.from(row.new),
});

/** The same without its texts. */
export const leftRow = (row: ChangeRow): ChangeRow => ({
  ...{ seq: row.seq, xid: row.xid, madeAt: row.madeAt, rel: row.rel, shape: row.shape, op: row.op },
  ...{ oldAt: row.oldAt, newAt: row.newAt, old: null, new: null, isLeft: true },
});

/** Where chunks are written, one after the other. */
export class ChunkBytes {
  readonly #usualBytes: number;
  #bytes = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #length = 0;

  /** `usualBytes`: what a full chunk takes. That much is kept; what a larger row takes is let go. */
  constructor(usualBytes: number) {
    this.#usualBytes = usualBytes;
  }

  /** The rows of the chunk before are not valid any more. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > this.#usualBytes) this.#bytes = Buffer.allocUnsafeSlow(this.#usualBytes);
  }

  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) this.#grow(length);
    part.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  rows(): ChangeRow[] {
    const bytes = this.#bytes.subarray(0, this.#length);
    const rows: ChangeRow[] = [];
    for (let at = HEADER_BYTES; ; ) {
      const count = bytes.readInt16BE(at);
      if (count < 0) return rows;
      rows.push(new SentRow(bytes, at));
      at = fieldAt(bytes, at, count);
    }
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(needed <= this.#usualBytes ? this.#usualBytes : needed * 2);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Where field `n` of the row at `at` begins, with its length: behind the number of fields and those before it. */
function fieldAt(bytes: Buffer, at: number, n: number): number {
  let field = at + 2;
  for (let passed = 0; passed < n; passed++) field += 4 + Math.max(0, bytes.readInt32BE(field));
  return field;
}

/** A row where it lies: a chunk is told more slowly than it is read, and objects made of all its fields would grow old until then. */
class SentRow implements ChangeRow {
  readonly #bytes: Buffer;
  readonly #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get seq(): bigint {
    return this.#bytes.readBigInt64BE(this.#value(0).start);
  }

  get xid(): bigint {
    return this.#bytes.readBigUInt64BE(this.#value(1).start);
  }

  get madeAt(): number {
    const { start } = this.#value(2);
    return this.#bytes.readInt32BE(start) * 2 ** 32 + this.#bytes.readUInt32BE(start + 4) + MICROS_1970_TO_2000;
  }

  get rel(): number {
    return this.#bytes.readUInt32BE(this.#value(3).start);
  }

  get shape(): bigint | null {
    const found = this.#field(4);
    return found && this.#bytes.readBigInt64BE(found.start);
  }

  get op(): ChangeOp {
    return String.fromCharCode(this.#bytes[this.#value(5).start]!) as ChangeOp;
  }

  get old(): Buffer | null {
    return this.#text(6);
  }

  get new(): Buffer | null {
    return this.#text(7);
  }

  get oldAt(): bigint | null {
    return this.#place(8);
  }

  get newAt(): bigint | null {
    return this.#place(9);
  }

  #field(n: number): { start: number; end: number } | null {
    const field = fieldAt(this.#bytes, this.#at, n);
    const length = this.#bytes.readInt32BE(field);
    return length < 0 ? null : { start: field + 4, end: field + 4 + length };
  }

  #value(n: number): { start: number; end: number } {
    const found = this.#field(n);
    if (!found) throw new Error('a change without its number');
    return found;
  }

  #text(n: number): Buffer | null {
    const found = this.#field(n);
    return found && this.#bytes.subarray(found.start, found.end);
  }

  /** A block's number and an item's. */
  #place(n: number): bigint | null {
    const found = this.#field(n);
    return (
      found &&
      (BigInt(this.#bytes.readUInt32BE(found.start)) << 16n) | BigInt(this.#bytes.readUInt16BE(found.start + 4))
    );
  }
}
