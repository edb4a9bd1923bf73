/**
 * The wire's messages since the last position that is persisted, as they came: after a change of the catalog they are
 * matched again without another stream. They are copied, for the bytes of the wire are used again.
 */

/** Beyond, nothing is kept: only another stream brings them again. */
const MOST_BYTES = 8 * 1024 * 1024;
const LENGTH_BYTES = 4;

export class Journal {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #isWhole = true;
  /** Where its last message begins. */
  #last = 0;
  /** Bytes that it holds, or held until they became too many. */
  length = 0;

  /** Is every message in it? */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  add(message: Buffer): void {
    if (!this.#isWhole) return;
    const end = this.length + LENGTH_BYTES + message.length;
    if (end > MOST_BYTES) {
      this.#isWhole = false;
      return;
    }
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.writeUInt32LE(message.length, this.length);
    message.copy(this.#bytes, this.length + LENGTH_BYTES);
    this.#last = this.length;
    this.length = end;
  }

  /** Its last message becomes the first one of another, empty journal. */
  moveLast(to: Journal): void {
    if (!this.#isWhole) to.#isWhole = false;
    else if (this.length > this.#last) {
      to.add(this.#bytes.subarray(this.#last + LENGTH_BYTES, this.length));
      this.length = this.#last;
    }
  }

  /** Views of its bytes, in order: valid until it is cleared. */
  messages(): Buffer[] {
    const found: Buffer[] = [];
    for (let at = 0; at < this.length; ) {
      const start = at + LENGTH_BYTES;
      at = start + this.#bytes.readUInt32LE(at);
      found.push(this.#bytes.subarray(start, at));
    }
    return found;
  }

  clear(): void {
    this.length = 0;
    this.#last = 0;
    this.#isWhole = true;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(MOST_BYTES, Math.max(this.#bytes.length * 2, needed)));
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
  }
}
