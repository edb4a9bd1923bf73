/**
 * A group's key: a hash of table and values, 53 bits so that it is exact as a number. Messages of one group keep their
 * order. A collision of two groups costs an unneeded wait and nothing else.
 */

/** Two multiplicative 32-bit hashes over the UTF-16 units, joined to 53 bits; never 0. */
export function groupKey(tableOid: number, values: readonly string[]): number {
  let a = 0x9e3779b9 ^ tableOid;
  let b = 0x85ebca6b + tableOid;
  for (const value of values) {
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x01000193);
      b = Math.imul(b + unit, 0x27d4eb2f) ^ (b >>> 15);
    }
    // The end of a value counts, so that ('ab','c') is not ('a','bc').
    a = Math.imul(a ^ 0x1f123bb5, 0x01000193);
    b = Math.imul(b + 0x165667b1, 0x27d4eb2f) ^ (b >>> 13);
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  b = Math.imul(b ^ (b >>> 15), 0x846ca68b);
  a ^= a >>> 15;
  b ^= b >>> 16;
  return (a >>> 0) * 0x200000 + ((b >>> 0) & 0x1fffff) || 1;
}

/** The lane of a group among `lanes`. */
export function laneOf(key: number, lanes: number): number {
  return lanes === 1 ? 0 : key % lanes;
}
