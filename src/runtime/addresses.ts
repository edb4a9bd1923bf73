/**
 * Where we may connect to: pure rules about IP addresses as a resolver or a person gives them. Never to link-local and
 * metadata addresses, multicast, or what is reserved; to loopback and private networks as ALLOW_PRIVATE_DESTINATIONS says.
 * https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
import { BlockList, isIP } from 'node:net';

/**
 * ALLOW_PRIVATE_DESTINATIONS: everything, nothing, the networks of a list (`10.0.0.0/8`), or whatever was declared by the
 * person who runs the machine (millrace.yaml), and nothing that came over HTTP.
 */
export type PrivateAllowed = boolean | 'declared' | readonly string[];

/** Why not, and what to do: sentences without their end. */
export interface AddressRefusal {
  message: string;
  remedy: string;
}

const LOCAL = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'],
  // Carriers' and clusters' own networks, and those of machines on a desk.
  ...['100.64.0.0/10', '198.18.0.0/15'],
];

/** By what they are. The first that fits is named. */
const NEVER: Record<string, string[]> = {
  // Also fixed addresses of clouds outside of link-local: Alibaba, Azure, Oracle, AWS, Google, Scaleway.
  "a cloud provider's metadata address": [
    ...['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', '100.100.100.200/32', '168.63.129.16/32'],
    ...['192.0.0.192/32', 'fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:42::42/128'],
  ],
  'a link-local address': ['169.254.0.0/16', 'fe80::/10'],
  'a multicast address': ['224.0.0.0/4', 'ff00::/8'],
  'the address of no host': ['0.0.0.0/8', '::/128', '255.255.255.255/32'],
  'a reserved address': [
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
    ...['2001::/32', '2001:db8::/32', '3fff::/20'],
  ],
};

const local = listOf(LOCAL);
const never = Object.entries(NEVER).map(([what, networks]) => ({ what, list: listOf(networks) }));
/** All of IPv6 that is given out to hosts: https://www.iana.org/assignments/ipv6-address-space */
const global6 = listOf(['2000::/3']);

/**
 * Is it on this machine or in a private network? What is no IP address is not, nor is an IPv4 address inside of an IPv6 one
 * that somebody else translates (`::ffff:` is nobody's translation).
 */
export function isLocal(address: string): boolean {
  return isIP(address) !== 0 && holds(local, address) && !never.some(({ list }) => holds(list, address));
}

/** Why we may not connect to it; undefined when we may. */
export function refusalOf(address: string, allowed: PrivateAllowed): AddressRefusal | undefined {
  const plain = unwrapped(address);
  const remedy = 'Name another address: this one is refused whatever ALLOW_PRIVATE_DESTINATIONS says';
  if (plain === undefined) return { message: `${address} is not an IP address that may be connected to`, remedy };
  const shown = plain === address ? address : `${address} (${plain})`;
  const found = never.find(({ list }) => holds(list, plain));
  if (found) return { message: `${shown} is ${found.what}`, remedy };
  if (!holds(local, plain)) {
    if (isIP(plain) === 4 || holds(global6, plain)) return undefined;
    return { message: `${shown} is a reserved address`, remedy };
  }
  if (allowed === true || allowed === 'declared') return undefined;
  if (allowed !== false && holds(listOf(allowed), plain)) return undefined;
  const network = LOCAL.find((one) => holds(listOf([one]), plain))!;
  return {
    message: `${shown} is private, and ALLOW_PRIVATE_DESTINATIONS does not allow it`,
    remedy: `Add ${network}, or a smaller network that holds it, to ALLOW_PRIVATE_DESTINATIONS`,
  };
}

/** The same for a host as it is written, which is refused for good; undefined for a name, which is looked up each time. */
export function hostRefusal(host: string): AddressRefusal | undefined {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : refusalOf(address, true);
}

/** The setting from its text; undefined when it is none. */
export function readPrivateAllowed(text: string): PrivateAllowed | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'declared') return word;
  const networks = word.split(/[\s,]+/).filter((one) => one !== '');
  return networks.length > 0 && networks.every((one) => networkOf(one) !== undefined) ? networks : undefined;
}

interface Network {
  address: string;
  prefix: number;
  type: 'ipv4' | 'ipv6';
}

/** `10.0.0.0/8`, or an address alone. */
function networkOf(text: string): Network | undefined {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = address.includes('%') ? 0 : isIP(address);
  const bits = family === 4 ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  if (family === 0 || prefix > bits) return undefined;
  return { address, prefix, type: family === 4 ? 'ipv4' : 'ipv6' };
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of networks) {
    const network = networkOf(text);
    if (network) list.addSubnet(network.address, network.prefix, network.type);
  }
  return list;
}

const holds = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Of IPv6 addresses that lead to an IPv4 address: that one. Undefined when it is no address, or one with a zone. */
function unwrapped(address: string): string | undefined {
  if (isIP(address) === 0) return undefined;
  if (isIP(address) === 4) return address;
  const [bare = ''] = address.split('%');
  const groups = groupsOf(bare);
  const [a, b, c, d, e, f, g, h] = groups as [number, number, number, number, number, number, number, number];
  const isZero = (...parts: number[]): boolean => parts.every((part) => part === 0);
  // Mapped (::ffff:0:0/96), translated (::ffff:0:0:0/96), compatible (::/96, but for :: and ::1), NAT64 (64:ff9b::/96).
  if (isZero(a, b, c, d, e) && f === 0xffff) return ipv4(g, h);
  if (isZero(a, b, c, d, f) && e === 0xffff) return ipv4(g, h);
  if (isZero(a, b, c, d, e, f) && (g !== 0 || h > 1)) return ipv4(g, h);
  if (a === 0x64 && b === 0xff9b && isZero(c, d, e, f)) return ipv4(g, h);
  // 6to4 (2002::/16).
  if (a === 0x2002) return ipv4(b, c);
  return bare;
}

const ipv4 = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The eight parts of an IPv6 address, whose last two may be written as IPv4. */
function groupsOf(address: string): number[] {
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hexadecimal.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const before = parse(head);
  const after = tail === undefined ? [] : parse(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
