/** A pasted address, taken apart as the service reads it, and what is known of the place that it leads to. */

export interface Address {
  hostname: string;
  port: string;
  database: string;
  username: string;
  password: string;
  /** As `ssl` has it, with `unverified` for `{ verify: false }` and `ca` for `{ verify: ca }`; absent: the address says nothing of it. */
  ssl?: 'prefer' | 'unverified' | 'ca' | 'true' | 'false';
}

const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const SSL: Record<string, Address['ssl']> = {
  disable: 'false',
  allow: 'prefer',
  prefer: 'prefer',
  'verify-full': 'true',
};

/** Null: it is none, or says something that only the whole address can (it is sent as it is then). */
export function takeApart(text: string): Address | null {
  const [whole, login = '', authority = '', path = '', query = ''] = URL_PARTS.exec(text.trim()) ?? [];
  if (whole === undefined) return null;
  try {
    const [user = '', password = ''] = login.split(/:(.*)/s, 2).map(decodeURIComponent);
    const place = /^(\[[^\]]+\]|[^:,]*)(?::(\d+))?$/.exec(authority);
    const given = new URLSearchParams(query);
    const mode = given.get('sslmode');
    const isKnown = [...given.keys()].every((key) => key === 'sslmode' || key === 'application_name');
    if (place === null || !isKnown || (mode !== null && SSL[mode] === undefined)) return null;
    const ssl = mode === null ? undefined : SSL[mode];
    return {
      ...{ hostname: (place[1] ?? '').replace(/^\[|\]$/g, ''), port: place[2] ?? '5432' },
      ...{ database: decodeURIComponent(path), username: user, password },
      ...(ssl === undefined ? {} : { ssl }),
    };
  } catch {
    return null;
  }
}

/** An address as somebody typed it, with dots for whatever may be its password. */
export const withoutPassword = (text: string): string =>
  text
    .replace(/^((?:[^:/@]*:\/\/)?[^:@]*):(?!\/\/).*@/s, '$1:...@')
    .replace(/(password\s*=\s*)(?:'(?:\\.|[^'\\])*'?|(?:\\.|[^\s&\\])*)/gis, '$1...');

type Place = Pick<Address, 'hostname' | 'port' | 'username'>;

export interface Pooler {
  /** Which one, for a sentence. */
  name: string;
  /** Of Postgres itself. */
  direct: Place;
}

/** An address that leads to a connection pooler, by its host or port; changes do not come through one. */
export function poolerOf({ hostname, port, username }: Place): Pooler | null {
  const host = hostname.toLowerCase();
  const [, project] = /^postgres\.(\w+)$/.exec(username) ?? [];
  if (host.endsWith('.pooler.supabase.com'))
    return {
      name: 'the pooler of Supabase',
      direct:
        project === undefined
          ? { hostname: 'db.<project>.supabase.co', port: '5432', username: 'postgres' }
          : { hostname: `db.${project}.supabase.co`, port: '5432', username: 'postgres' },
    };
  if (/^[^.]+-pooler\..*neon\.tech$/.test(host))
    return { name: 'the pooler of Neon', direct: { hostname: hostname.replace('-pooler.', '.'), port, username } };
  if (host.endsWith('.ondigitalocean.com') && Number(port) === 25_061)
    return { name: 'a connection pool of DigitalOcean', direct: { hostname, port: String(25_060), username } };
  if (port === '6432' || port === '6543')
    return { name: 'PgBouncer, judging by its port', direct: { hostname, port: '5432', username } };
  return null;
}

interface Service {
  name: string;
  host: RegExp;
  /** By the id of a check: how it is done there. */
  remedies: Readonly<Record<string, string>>;
}

const RESTART_LIMIT = 'raise it there, and restart';

const SERVICES: readonly Service[] = [
  {
    name: 'Amazon RDS and Aurora',
    host: /\.rds\.amazonaws\.com$/i,
    remedies: {
      wal_level:
        'Set `rds.logical_replication` to 1 in the parameter group of the instance (of Aurora: of the cluster), and reboot it.',
      may_not_replicate: 'As the master user: `grant rds_replication to <role>`.',
      slots_full: `\`max_replication_slots\` is in the parameter group: ${RESTART_LIMIT}.`,
      walsenders_full: `\`max_wal_senders\` is in the parameter group: ${RESTART_LIMIT}.`,
    },
  },
  {
    name: 'Azure Database for PostgreSQL',
    host: /\.postgres\.database\.azure\.com$/i,
    remedies: {
      wal_level: 'Under Server parameters set `wal_level` to LOGICAL, save, and restart the server.',
      slots_full: `\`max_replication_slots\` is under Server parameters: ${RESTART_LIMIT}.`,
      walsenders_full: `\`max_wal_senders\` is under Server parameters: ${RESTART_LIMIT}.`,
    },
  },
  {
    name: 'Neon',
    host: /\.neon\.tech$/i,
    remedies: {
      wal_level: 'In the project, open Settings, Logical Replication, and press Enable. It restarts by itself.',
    },
  },
  {
    name: 'Supabase',
    host: /\.supabase\.(?:co|com)$/i,
    remedies: {
      unknown_host:
        'Without the IPv4 add-on, the direct address of Supabase is IPv6 only: this machine needs IPv6, or the project the add-on.',
      no_route:
        'Without the IPv4 add-on, the direct address of Supabase is IPv6 only: this machine needs IPv6, or the project the add-on.',
    },
  },
  {
    name: 'DigitalOcean',
    host: /\.ondigitalocean\.com$/i,
    remedies: { timeout: 'Add this machine to the trusted sources of the cluster, under Settings.' },
  },
];

/** How a managed service does what a check asks for, where a statement is not enough. */
export function serviceRemedy(hostname: string, id: string): string | null {
  const service = SERVICES.find(({ host }) => host.test(hostname));
  const remedy = service?.remedies[id];
  return remedy === undefined ? null : `On ${service!.name}: ${remedy}`;
}
