/**
 * Signatures as Standard Webhooks has them (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`. With two
 * secrets there are two signatures, so that a receiver may change from one secret to the other at any time.
 */
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;

/** The key of a secret `whsec_` with 24 to 64 bytes in base64; undefined when it is none. */
export function signingKey(secret: string): Buffer | undefined {
  const text = secret.trim();
  if (!text.startsWith(PREFIX)) return undefined;
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const isWhole = key.toString('base64').replaceAll('=', '') === encoded.replaceAll('=', '');
  return isWhole && key.length >= LEAST_BYTES && key.length <= MOST_BYTES ? key : undefined;
}

export interface Signed {
  id: string;
  body: Buffer;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/** `webhook-id` and, where there are keys, `webhook-timestamp` and `webhook-signature`. */
export function signatureHeaders(keys: readonly Buffer[], { id, body, nowMs }: Signed): Record<string, string> {
  if (keys.length === 0) return { 'webhook-id': id };
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = keys.map((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return `v1,${digest}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
