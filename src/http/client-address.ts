/** Where a request came from: who connected, or, behind so many proxies of ours, what they say of it. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Client } from '../admin/log-in.ts';

type Received = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } };

/**
 * `proxies`: how many stand before us (TRUST_PROXY). Each adds to the end of `X-Forwarded-For` whom it saw, so the one that many places
 * from the end is what the first of them saw; what stands before it anybody could have written.
 */
export function clientOf(request: Received, proxies: number): Client {
  const said = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const seen = proxies === 0 ? undefined : said.map((one) => addressOf(one.trim())).at(-proxies);
  return {
    address: network(seen ?? addressOf(request.socket.remoteAddress ?? '') ?? 'unknown'),
    userAgent: request.headers['user-agent'] ?? null,
  };
}

/** Without a port, brackets and the form of IPv4 in IPv6; undefined: it is none. */
function addressOf(text: string): string | undefined {
  const plain = text
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '');
  return isIP(plain) === 0 ? undefined : plain;
}

/** Of IPv6 everybody has a network of 64 bits: its addresses are one. */
function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
