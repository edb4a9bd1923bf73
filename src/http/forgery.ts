/**
 * Requests that somebody else's page makes a browser send (CSRF). A browser says where a request comes from (`Sec-Fetch-Site`; over plain
 * http, where it says nothing, `Origin`), and a page of ours sends a token of the session that no other page can read.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MillraceError } from '../model/errors.ts';

/** Of what needs no session: nobody else's page may log a browser in. @throws MillraceError forbidden */
export function refuseForeign(request: IncomingMessage): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site === undefined && origin === undefined) return;
  if (site === undefined ? isOwn(request) : site === 'same-origin') return;
  throw foreign();
}

/** Of a change in a session: `csrf` is the token that belongs to it. @throws MillraceError forbidden */
export function refuseForged(request: IncomingMessage, csrf: string): void {
  const site = request.headers['sec-fetch-site'];
  if (!(site === undefined ? isOwn(request) : site === 'same-origin')) throw foreign();
  const given = Buffer.from(String(request.headers['x-millrace-csrf'] ?? ''));
  const wanted = Buffer.from(csrf);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new MillraceError('forbidden', 'A change in a session needs the header X-Millrace-Csrf', {
    remedy: 'Send `csrf` of GET /api/whoami in it, or use a token: Authorization: Bearer <token>.',
  });
}

function isOwn({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === new URL(`http://${host}`).host || new URL(origin).host === host.toLowerCase();
}

function foreign(): MillraceError {
  return new MillraceError('forbidden', 'This request comes from a page of another origin', {
    remedy: 'Open the page of this service, or use a token: Authorization: Bearer <token>.',
  });
}
