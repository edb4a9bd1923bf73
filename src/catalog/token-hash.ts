/** Tokens are kept as SHA-256 only: they are long and random, so a slow hash would add nothing but delay per request. */
import { hash } from 'node:crypto';

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
