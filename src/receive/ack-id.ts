/**
 * An ack_id names one delivery of one message: `<32 hexadecimal digits of the lease's token>-<message id>`. What has
 * another form cannot be ours and is never sent to Postgres (a NUL or a lone surrogate would be an error there).
 */

/** Longer ones are not even looked at. */
export const MAX_ACK_ID_LENGTH = 96;

const ACK_ID = /^[0-9a-f]{32}-\d{1,18}$/;

export function isAckId(text: string): boolean {
  return text.length <= MAX_ACK_ID_LENGTH && ACK_ID.test(text);
}

/** The ack_ids of a lease. */
export function ackIdsOf(token: string, ids: readonly (number | bigint)[]): string[] {
  return ids.map((id) => `${token}-${id}`);
}
