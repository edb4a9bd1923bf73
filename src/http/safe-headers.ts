/**
 * What every answer tells a browser, whether it is a page, a file, JSON or an error: to take it for nothing but what it says it is, to
 * load and frame nothing in it, to tell no other site where somebody comes from, and, where there is TLS, to come back over TLS alone.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSecure } from './cookie.ts';

/** The page of the console replaces the policy by its own. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const SAFE = Object.entries(SAFE_HEADERS);

export function setSafeHeaders(request: IncomingMessage, response: ServerResponse): void {
  for (const [name, value] of SAFE) response.setHeader(name, value);
  if (isSecure(request)) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
}
