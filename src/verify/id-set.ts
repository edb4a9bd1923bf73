/**
 * A set of texts as their 64-bit hashes, in typed arrays: 16 bytes an entry, so that tens of millions of documents fit into
 * the memory of a small machine. Two texts with one hash are one member; among a hundred million the chance that any two
 * meet is one in three thousand, and what it would hide is one document.
 */

const FIRST_SLOTS = 1 << 12;
/** Rehashed when fuller. */
const FULL = 0.6;

export class IdSet {
  /** Pairs of 32 bits by open addressing; both zero: free. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False: it was there. */
  add(space: string, id: string): boolean {
    if (this.#size > (FULL * this.#slots.length) / 2) this.#grow();
    const [low, high] = hashOf(space, id);
    const place = placeOf(this.#slots, low, high);
    if (this.#slots[place] !== 0 || this.#slots[place + 1] !== 0) return false;
    this.#slots[place] = low;
    this.#slots[place + 1] = high;
    this.#size += 1;
    return true;
  }

  has(space: string, id: string): boolean {
    const [low, high] = hashOf(space, id);
    const place = placeOf(this.#slots, low, high);
    return this.#slots[place] !== 0 || this.#slots[place + 1] !== 0;
  }

  #grow(): void {
    const before = this.#slots;
    const after = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const [low, high] = [before[at]!, before[at + 1]!];
      if (low === 0 && high === 0) continue;
      const place = placeOf(after, low, high);
      after[place] = low;
      after[place + 1] = high;
    }
    this.#slots = after;
  }
}

/** Where the hash is, or the free slot where it would be. */
function placeOf(slots: Uint32Array, low: number, high: number): number {
  const mask = slots.length / 2 - 1;
  for (let at = low & mask; ; at = (at + 1) & mask) {
    const place = at * 2;
    const [one, other] = [slots[place], slots[place + 1]];
    if ((one === low && other === high) || (one === 0 && other === 0)) return place;
  }
}

/** Two multiplicative 32-bit hashes that feed each other at the end, over the UTF-16 units; never both zero. */
function hashOf(space: string, id: string): [low: number, high: number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const text of [space, id]) {
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x9e3779b1);
      b = Math.imul(b ^ unit, 0x5f356495);
    }
    // The end of a text counts, so that ('ab', 'c') is not ('a', 'bc').
    a = Math.imul(a ^ 0x10001, 0x85ebca6b);
    b = Math.imul(b ^ 0x10001, 0xc2b2ae35);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return [a >>> 0 || 1, b >>> 0];
}
