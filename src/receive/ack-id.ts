/**
 * An ack_id names one delivery of one message: `<32 hexadecimal digits of the lease's token>-<message id>`. What has
 * another form cannot be ours and is never sent to Postgres (a NUL or a lone surrogate would be an error there).
 */

/** Longer ones are not even looked at. */
const MAX_ACK_ID_LENGTH = 96;

const ACK_ID = /^[0-9a-f]{32}-\d{1,18}$/;
const TOKEN_LENGTH = 32;

export function isAckId(text: string): boolean {
  return text.length <= MAX_ACK_ID_LENGTH && ACK_ID.test(text);
}

/** The ack_ids of a lease. */
export function ackIdsOf(token: string, ids: readonly (number | bigint)[]): string[] {
  return ids.map((id) => `${token}-${id}`);
}

/** Of one lease, what a client names. */
export interface Named {
  token: string;
  /** Message ids in order, a comma between them. */
  ids: string;
  count: number;
}

/** By lease. What is no ack_id is left out. */
export function namedBy(ackIds: readonly string[]): Named[] {
  const byToken = new Map<string, string[]>();
  for (const ackId of ackIds) {
    if (!isAckId(ackId)) continue;
    const token = ackId.slice(0, TOKEN_LENGTH);
    const id = ackId.slice(TOKEN_LENGTH + 1);
    const ids = byToken.get(token);
    if (ids === undefined) byToken.set(token, [id]);
    else ids.push(id);
  }
  // Of one length, as those of a lease are, texts are ordered as numbers.
  return [...byToken].map(([token, ids]) => ({ token, ids: ids.sort().join(','), count: ids.length }));
}
