/** Tokens are kept as SHA-256 only: they are long and random, so a slow hash would add nothing but delay per request. */
import { createHash } from 'node:crypto';

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
