/**
 * The one reader of Postgres addresses: DATABASE_URL, and `url` of a declared database. The words are libpq's
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING); what is not listed here is refused by
 * name. No fault shows any part of the address: it holds a password.
 */
import { isIP } from 'node:net';
import type { DatabaseSettings } from './declared.ts';

/** `allow` is read as `prefer`. */
export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

export interface ReadAddress {
  /** A path for a Unix socket. */
  host: string;
  port: number;
  database: string;
  /** Undefined where the address names none. */
  user: string | undefined;
  password: string | undefined;
  tls: TlsMode | undefined;
  /** Only a server that proves, with the password, that the TLS connection ends at itself. */
  channelBinding: boolean;
}

/** What is wrong, to be read after the name of the field, and what to do. */
export interface AddressFault {
  message: string;
  remedy: string;
}

class Wrong extends Error {
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const FORM = 'Write postgres://user:password@host:5432/database; %-encode `@ : / ? # %` in user and password.';
/** Scheme, user and password, hosts and ports, database, parameters. */
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

const MODES: Record<string, TlsMode> = {
  disable: 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
};

const TAKEN = ['host', 'port', 'user', 'password', 'dbname', 'sslmode', 'sslrootcert', 'channel_binding'] as const;
/** Taken, and without effect: these are the same for every connection of ours. */
const WITHOUT_EFFECT = ['application_name', 'connect_timeout', 'uselibpqcompat'];

const CLIENT_CERTIFICATE = 'Millrace logs in by password, without a client certificate: leave it out.';
const REFUSED: Record<string, string> = {
  ssl: 'Write `sslmode=verify-full`, or `sslmode=require` for TLS without verification.',
  sslcert: CLIENT_CERTIFICATE,
  sslkey: CLIENT_CERTIFICATE,
  sslpassword: CLIENT_CERTIFICATE,
  hostaddr: 'Write the address as the host.',
  options: 'Millrace sets the options of its sessions itself; for its role: `alter role ... set ...`.',
  service: 'Write host, database and user.',
  passfile: 'Write the password.',
};

/** The parts of `postgres://user:password@host:port/database?sslmode=...`, or what is wrong with it. */
export function readAddress(text: string): ReadAddress | AddressFault {
  try {
    return read(text.trim());
  } catch (error) {
    if (error instanceof Wrong) return { message: error.message, remedy: error.remedy };
    if (error instanceof URIError) return { message: 'has a `%` that is not an encoded character', remedy: FORM };
    throw error;
  }
}

function read(text: string): ReadAddress {
  const [whole, login = '', authority = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  // An `@` behind the host is that of a password which holds a `/` or a `?`: no part of it may be quoted.
  if (whole === undefined || /@/.test(authority + path + query)) throw new Wrong('must be a postgres:// URL', FORM);
  const parameters = parametersOf(query);
  const place = placeOf(authority);
  const [user, password] = login.split(/:(.*)/s, 2).map(decodeURIComponent);
  const database = parameters.dbname ?? decodeURIComponent(path);
  const address = {
    host: hostOf(parameters.host ?? place.host),
    port: portOf(parameters.port ?? place.port),
    database,
    user: parameters.user ?? (user || undefined),
    password: parameters.password ?? (password || undefined),
    tls: modeOf(parameters),
    channelBinding: parameters.channel_binding === 'require',
  };
  if (Object.values(address).some((part) => typeof part === 'string' && part.includes('\0'))) {
    throw new Wrong('holds a `%00`', 'Postgres takes no such character: leave it out.');
  }
  if (database === '' || database.includes('/')) throw new Wrong('names no database', FORM);
  if (address.channelBinding && address.tls === 'disable') {
    throw new Wrong(
      'has channel_binding=require and sslmode=disable',
      'Channel binding needs TLS: remove one of them.',
    );
  }
  return address;
}

type Parameters = Partial<Record<(typeof TAKEN)[number], string>>;

function parametersOf(query: string): Parameters {
  const found: Parameters = {};
  for (const part of query.split('&').filter((one) => one !== '')) {
    const [name = '', value = ''] = part.split(/=(.*)/s, 2).map(decodeURIComponent);
    const key = TAKEN.find((one) => one === name);
    if (key !== undefined) {
      if (found[key] !== undefined) throw new Wrong(`has the parameter \`${key}\` twice`, 'Keep one of them.');
      found[key] = value;
    } else if (!WITHOUT_EFFECT.includes(name)) throw unknownParameter(found.password === undefined ? name : '');
  }
  return found;
}

function unknownParameter(name: string): Wrong {
  const remedy = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  const all = [...TAKEN, ...WITHOUT_EFFECT].map((one) => `\`${one}\``).join(', ');
  // Whatever else it is, it might be the rest of a password.
  const named = /^[a-z_]{2,40}$/i.test(name) ? `the parameter \`${name}\`` : 'a parameter';
  return new Wrong(`has ${named}, which Millrace does not take`, remedy ?? `Remove it. These may be there: ${all}.`);
}

function placeOf(authority: string): { host: string; port: string } {
  if (authority.includes(',')) throw severalHosts();
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::([^:]*))?$/.exec(authority) ?? [];
  // More than one colon outside of brackets: an IPv6 address without them.
  if (host === undefined) throw new Wrong('has a `:` in its host', 'Write an IPv6 address in brackets: [2001:db8::1].');
  return { host: decodeURIComponent(host), port: port ?? '' };
}

const severalHosts = (): Wrong =>
  new Wrong('names several hosts', 'Name one: the primary, or an address that always leads to it.');

function hostOf(written: string): string {
  if (written.includes(',')) throw severalHosts();
  const host = written.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new Wrong('names no host', FORM);
  const isName = /^[\p{L}\p{N}_]([\p{L}\p{N}_.-]*)$/u.test(host);
  if (!isName && isIP(host) === 0 && !/^\/[^\0]*$/.test(host)) {
    throw new Wrong(
      'names a host that is not a valid host name',
      'Write a host name, an IP address, or the folder of a socket.',
    );
  }
  return host;
}

function portOf(written: string): number {
  if (written === '') return 5432;
  if (written.includes(',')) throw severalHosts();
  const port = /^\d{1,5}$/.test(written) ? Number(written) : 0;
  if (port < 1 || port > 65_535) throw new Wrong('has a port that is not a number from 1 to 65535', FORM);
  return port;
}

function modeOf(parameters: Parameters): TlsMode | undefined {
  const { sslmode, sslrootcert, channel_binding: binding } = parameters;
  if (binding !== undefined && !['disable', 'prefer', 'require'].includes(binding)) {
    throw new Wrong('has an unknown channel_binding', 'Use one of: disable, prefer, require.');
  }
  const mode = sslmode === undefined ? undefined : Object.hasOwn(MODES, sslmode) ? MODES[sslmode] : null;
  if (mode === null) throw new Wrong('has an unknown sslmode', `Use one of: ${Object.keys(MODES).join(', ')}.`);
  if (sslrootcert !== undefined && sslrootcert !== 'system') {
    throw new Wrong(
      'has the parameter `sslrootcert`, which Millrace does not take',
      'Give the certificate itself: as DATABASE_CA_CERT for the message database, as `ssl: { ca }` of a declared one.',
    );
  }
  if (sslrootcert !== undefined && mode !== undefined && mode !== 'verify-full') {
    throw new Wrong(
      'has sslrootcert=system with a weak sslmode',
      'Write `sslmode=verify-full`, or leave out sslrootcert.',
    );
  }
  if (sslrootcert !== undefined) return 'verify-full';
  // Bound to the server's certificate, unverified TLS is the least that it needs.
  return binding === 'require' && (mode === undefined || mode === 'prefer') ? 'require' : mode;
}

/** The same address with another database. */
export function withDatabaseName(url: string, database: string): string {
  const name = encodeURIComponent(database);
  return url
    .trim()
    .replace(/^(\w+:\/\/[^/?#]*)(?:\/[^?#]*)?/, (_all, before: string) => `${before}/${name}`)
    .replace(/([?&]dbname=)[^&]*/, (_all, before: string) => before + name);
}

export const isFault = (read: unknown): read is AddressFault =>
  typeof read === 'object' && read !== null && 'remedy' in read;

/**
 * How a connection is secured, from an `sslmode` (undefined: none is given) and a certificate (null: none; `name`: where it
 * was given). A certificate alone verifies all; `require` with one is `verify-ca`, as in libpq; `verify-ca` without one is
 * `verify-full`, since everybody can have a certificate of a public authority.
 */
export function tlsOf(
  read: Pick<ReadAddress, 'tls' | 'channelBinding'>,
  { ca, name }: { ca: string | null; name: string },
): DatabaseSettings['ssl'] | AddressFault {
  const mode = read.tls ?? (ca === null ? 'prefer' : 'verify-full');
  const binding = read.channelBinding ? { channel_binding: true as const } : {};
  if (ca !== null && (mode === 'disable' || mode === 'prefer')) {
    return {
      message: `has sslmode=${mode}, which verifies nothing, and ${name} is given to verify by`,
      remedy: `Write \`sslmode=verify-full\`, or remove ${name}.`,
    };
  }
  if (mode === 'disable') return false;
  if (mode === 'prefer') return 'prefer';
  if (ca !== null) return { ca, verify: mode === 'verify-full' ? true : 'ca', ...binding };
  if (mode === 'require') return { ca: null, verify: false, ...binding };
  return read.channelBinding ? { ca: null, verify: true, ...binding } : true;
}
