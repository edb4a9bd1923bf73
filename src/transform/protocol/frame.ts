/**
 * How the sandbox and its process write to each other: frames of bytes, each a message as JSON and a text beside it, both in
 * UTF-8, after the length of either. The text is written piece by piece into memory that is used again and again: rows are
 * most of what crosses, and every copy of them costs as much as their way through the pipe.
 */
import type { Writable } from 'node:stream';

/** The pipe, among the files that the process has. */
export const PIPE = 4;

/** The two lengths. */
const HEAD_BYTES = 8;
/** A character takes three bytes at most. */
const CHARACTER_BYTES = 3;
/** Memory for a frame that is kept for the next one: enough for a chunk of usual rows. */
export const KEPT_BYTES = 524_288;
/** How many: as many frames as wait for the other side, as a rule. */
const KEPT = 4;

/** Writes frames to a pipe, in order. */
export class FrameWriter {
  readonly #pipe: Writable;
  readonly #free: Buffer[] = [];

  constructor(pipe: Writable) {
    this.#pipe = pipe;
  }

  /** `pieces`: of the text, none of which holds half of a surrogate pair. */
  write(message: object, pieces: readonly string[] = []): void {
    const head = JSON.stringify(message);
    const buffer = this.#bufferFor(head, pieces);
    const headEnd = HEAD_BYTES + buffer.write(head, HEAD_BYTES);
    let end = headEnd;
    for (const piece of pieces) end = put(buffer, piece, end);
    buffer.writeUInt32LE(headEnd - HEAD_BYTES, 0);
    buffer.writeUInt32LE(end - headEnd, 4);
    this.#pipe.write(buffer.subarray(0, end), (error) => {
      if (!error && buffer.length === KEPT_BYTES && this.#free.length < KEPT) this.#free.push(buffer);
    });
  }

  #bufferFor(head: string, pieces: readonly string[]): Buffer {
    let length = head.length;
    for (const piece of pieces) length += piece.length;
    if (HEAD_BYTES + CHARACTER_BYTES * length <= KEPT_BYTES) {
      return this.#free.pop() ?? Buffer.allocUnsafeSlow(KEPT_BYTES);
    }
    let bytes = HEAD_BYTES + Buffer.byteLength(head);
    for (const piece of pieces) bytes += Buffer.byteLength(piece);
    return Buffer.allocUnsafeSlow(bytes);
  }
}

/** What is between the rows is so short that a call would cost more than its characters. */
const SHORT = 24;

/** Returns the place after the piece. */
function put(buffer: Buffer, piece: string, from: number): number {
  if (piece.length > SHORT) return from + buffer.write(piece, from);
  for (let at = 0; at < piece.length; at += 1) {
    const unit = piece.charCodeAt(at);
    if (unit > 0x7f) return from + buffer.write(piece, from);
    buffer[from + at] = unit;
  }
  return from + piece.length;
}

export interface Frame {
  message: object;
  text: string;
}

/** Takes bytes as they come, and returns each frame once it is whole. */
export class FrameReader {
  readonly #mostBytes: number;
  /** The beginning of a frame, `#length` bytes of it. */
  #kept = Buffer.allocUnsafeSlow(KEPT_BYTES);
  #length = 0;

  /** `mostBytes`: of one frame. */
  constructor(mostBytes = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes;
  }

  /** `bytes` may be used for something else afterwards. Throws at what is no frame. */
  push(bytes: Buffer): Frame[] {
    const frames: Frame[] = [];
    if (this.#length === 0) {
      this.#keep(bytes.subarray(this.#read(bytes, frames)));
      return frames;
    }
    this.#keep(bytes);
    const kept = this.#kept.subarray(0, this.#length);
    const rest = kept.subarray(this.#read(kept, frames));
    if (frames.length === 0) return frames;
    this.#length = 0;
    if (this.#kept.length > KEPT_BYTES) this.#kept = Buffer.allocUnsafeSlow(KEPT_BYTES);
    this.#keep(rest);
    return frames;
  }

  /** Adds every frame that is whole; returns the place after them. */
  #read(bytes: Buffer, frames: Frame[]): number {
    let from = 0;
    for (let end = this.#endOf(bytes, from); end <= bytes.length; end = this.#endOf(bytes, from)) {
      const head = from + HEAD_BYTES;
      const text = head + bytes.readUInt32LE(from);
      const message: unknown = JSON.parse(bytes.toString('utf8', head, text));
      if (typeof message !== 'object' || message === null) throw new Error('a frame without a message');
      frames.push({ message, text: bytes.toString('utf8', text, end) });
      from = end;
    }
    return from;
  }

  /** Where the frame that begins at `from` ends, as far as that is known. */
  #endOf(bytes: Buffer, from: number): number {
    if (bytes.length < from + HEAD_BYTES) return Number.POSITIVE_INFINITY;
    const size = HEAD_BYTES + bytes.readUInt32LE(from) + bytes.readUInt32LE(from + 4);
    if (size > this.#mostBytes) throw new Error(`a frame of ${size} bytes`);
    return from + size;
  }

  #keep(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#kept.length) {
      const whole = this.#length >= HEAD_BYTES ? this.#endOf(this.#kept, 0) : 0;
      const larger = Buffer.allocUnsafeSlow(Math.max(length, whole));
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#length);
    this.#length = length;
  }
}
