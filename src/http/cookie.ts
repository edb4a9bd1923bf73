/**
 * The cookie of a session. Over TLS its name keeps other hosts and plain pages from setting it (`__Host-`); a browser takes such a
 * cookie over TLS alone. Four letters of the installation stand in it, because cookies ignore ports: two installations on one
 * machine would log each other out.
 */
import type { IncomingMessage } from 'node:http';

const AGE_SECONDS = 30 * 24 * 3_600;

/** What a proxy says of it only decides about a cookie of whoever says it. */
export function isSecure(request: IncomingMessage): boolean {
  const said = [request.headers['x-forwarded-proto'] ?? []].flat()[0]?.split(',')[0];
  return 'encrypted' in request.socket || said?.trim().toLowerCase() === 'https';
}

export const cookieName = (letters: string, secure: boolean): string => `${secure ? '__Host-' : ''}millrace-${letters}`;

/** What it holds; undefined: there is none, or several. */
export function readCookie(request: IncomingMessage, name: string): string | undefined {
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return found.length === 1 && /^[\w-]{43}$/.test(found[0]!) ? found[0] : undefined;
}

/** The header that sets it; null: takes it away. */
export function setCookie(name: string, value: string | null, secure: boolean): string {
  const flags = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${name}=${value ?? ''}; Max-Age=${value === null ? 0 : AGE_SECONDS}${flags}`;
}
