/**
 * Which names a request may call us by. A page of somebody else's can make a browser on this machine, or in this network,
 * send requests here under a name of its own that leads to our address (DNS rebinding); such a request says that name. What
 * proxies say in other headers counts for nothing. Where nothing is named, a service that listens on a loopback address
 * answers to loopback names alone, any other one to all.
 *
 * What orchestrators ask for without a token is answered to an address too, and without a name at all: that is no rebinding,
 * which needs a name.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { MillraceError } from '../model/errors.ts';
import { isLoopback } from '../model/loopback.ts';

/** Paths that are open without a token. */
const OPEN = /^\/(livez|readyz|healthz|metrics)\/?$/;
/** A name or an address, and perhaps a port. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;

export interface Hosts {
  /** Names as `hostOf` writes them, `*.name` for all below one, `*` for all; null: none was named. */
  allowed: readonly string[] | null;
  /** We listen on a loopback address. */
  loopback: boolean;
}

/** @throws MillraceError bad_request, misdirected */
export function checkHost(request: IncomingMessage, hosts: Hosts): void {
  const named = hostsOf(request);
  if (hosts.allowed?.includes('*') || (hosts.allowed === null && !hosts.loopback)) return;
  const isOpen = OPEN.test(pathOf(request.url ?? '/'));
  if (named.length === 0 ? isOpen : named.every((host) => isAllowed(host, hosts) || (isOpen && isAddress(host))))
    return;
  throw new MillraceError('misdirected', 'This service does not answer to the host name of this request', {
    remedy:
      hosts.allowed === null
        ? 'Use localhost, or list the name in ALLOWED_HOSTS.'
        : 'Use one of the names in ALLOWED_HOSTS, or list this one there.',
  });
}

function isAllowed(host: string, { allowed }: Hosts): boolean {
  if (allowed === null) return isLoopback(host) || host.endsWith('.localhost');
  return allowed.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));
}

const isAddress = (host: string): boolean => isIP(host) !== 0 || isLoopback(host);

/** Every host that the request names: in its line, where a proxy's form has one, and in its headers. */
function hostsOf(request: IncomingMessage): string[] {
  const headers = request.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1]!.toLowerCase() === 'host');
  if (headers.length > 1) throw unclear();
  const line = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(request.url ?? '')?.[1];
  return [...headers.filter((text) => text !== ''), ...(line === undefined ? [] : [line])].map((text) => {
    const host = hostOf(text);
    if (host === undefined) throw unclear();
    return host;
  });
}

/** `[::1]:80`, `Example.com.`: the host alone, in lower case; undefined when it is none. */
export function hostOf(authority: string): string | undefined {
  const host = AUTHORITY.exec(authority.trim())?.[1]
    ?.toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return host === undefined || host === '' ? undefined : host;
}

function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}

function unclear(): MillraceError {
  return new MillraceError('bad_request', 'The request must have one Host header, with a host name and perhaps a port');
}
