/** Where a transaction begins and ends in pgoutput messages. */

export const BEGIN = 0x42;
export const COMMIT = 0x43;

/** Of a table or a type: told once a stream, whichever transaction brings it. */
export const isDescription = (tag: number | undefined): boolean => tag === 0x52 || tag === 0x59;

/** Of a transaction's beginning: its commit's LSN, and its id of 32 bits. */
export const at = (begin: Buffer): { lsn: bigint; xid: number } => ({
  lsn: begin.readBigUInt64BE(1),
  xid: begin.readUInt32BE(17),
});

/** A beginning or an end with another LSN of the commit. */
export function renumbered(bytes: Buffer, lsn: bigint): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeBigUInt64BE(lsn, copy[0] === BEGIN ? 1 : 2);
  return copy;
}
