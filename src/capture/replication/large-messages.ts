/**
 * Empties logical messages that are larger than any of ours while they come. Whoever may connect to a source may send some of up to
 * 1 GB (`pg_logical_emit_message`), the server leaves none out, and the parser holds a message whole, more than twice.
 * https://www.postgresql.org/docs/current/protocol-replication.html#PROTOCOL-REPLICATION-XLOGDATA
 */

/** Prefix and content together; annotations may have 64 KB. */
const MOST_BYTES = 128 * 1024;
/** Type and length of a message of the protocol. */
const START_BYTES = 5;
/** With what stands before the prefix: of XLogData 25 bytes, of the logical message its tag, flags and LSN. */
const HEAD_BYTES = START_BYTES + 25 + 10;
/** An empty prefix, and no content. */
const EMPTY = Buffer.alloc(5);
const COPY_DATA = 0x64;
const XLOG_DATA = 0x77;
const LOGICAL_MESSAGE = 0x4d;

export class LargeMessages {
  /** The beginning of a message of which it is not known yet whether it is one. */
  #head = Buffer.alloc(0);
  /** Bytes of the message under way that are still to come, and whether they are passed on. */
  #left = 0;
  #passes = true;

  /** What of these bytes is left. The stream begins at the beginning of a message. */
  *pass(bytes: Buffer): Generator<Buffer> {
    const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    /** Of what was not passed on yet. */
    let from = 0;
    let at = 0;
    for (;;) {
      const step = Math.min(this.#left, all.length - at);
      at += step;
      this.#left -= step;
      if (!this.#passes) from = at;
      if (this.#left > 0) break;
      this.#passes = true;
      const isLarge = isLogical(all, at);
      if (isLarge === undefined) break;
      this.#left = 1 + all.readUInt32BE(at + 1);
      if (!isLarge) continue;
      if (at > from) yield all.subarray(from, at);
      yield emptied(all.subarray(at, at + HEAD_BYTES));
      at += HEAD_BYTES;
      this.#left -= HEAD_BYTES;
      this.#passes = false;
    }
    // A copy, so that it does not keep all of it.
    this.#head = this.#left > 0 ? Buffer.alloc(0) : Buffer.from(all.subarray(at));
    if (at > from) yield all.subarray(from, at);
  }
}

/** Does a large logical message begin here? Undefined: more of it must be seen. */
function isLogical(bytes: Buffer, at: number): boolean | undefined {
  if (bytes.length - at < START_BYTES) return undefined;
  if (bytes[at] !== COPY_DATA || bytes.readUInt32BE(at + 1) <= MOST_BYTES) return false;
  if (bytes.length - at < HEAD_BYTES) return undefined;
  return bytes[at + START_BYTES] === XLOG_DATA && bytes[at + START_BYTES + 25] === LOGICAL_MESSAGE;
}

function emptied(head: Buffer): Buffer {
  const message = Buffer.concat([head, EMPTY]);
  message.writeUInt32BE(message.length - 1, 1);
  return message;
}
