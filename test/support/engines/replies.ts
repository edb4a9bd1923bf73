/** Replies as the search index's client reports them. */
import type { HttpReply } from '../../../src/runtime/http-client.ts';

export function answer(
  status: number,
  text: string,
  extra: { retryAfterMs?: number; location?: string } = {},
): HttpReply {
  return { kind: 'answer', status, text, mask: String, retryAfterMs: extra.retryAfterMs, location: extra.location };
}

/** The text of an error in a search engine's own shape. */
export function engineError(error: { type: string }): string {
  return JSON.stringify({ error: { root_cause: [error], ...error } });
}
