/**
 * Log sequence numbers: 64-bit byte positions in the source's WAL, printed by Postgres as `hi/lo` in hexadecimal
 * (https://www.postgresql.org/docs/current/datatype-pg-lsn.html). A bigint here, never a double.
 */

/** Parses `16/B374D848`. Throws a RangeError on anything else. */
export function parseLsn(text: string): bigint {
  const match = /^([0-9A-Fa-f]{1,8})\/([0-9A-Fa-f]{1,8})$/.exec(text);
  if (!match) throw new RangeError(`not a log sequence number: ${text}`);
  return (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`);
}

/** Prints an LSN as Postgres does, `16/B374D848`. */
export function formatLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`;
}
