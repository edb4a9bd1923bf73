/**
 * `databases:`. The address is kept apart from the settings from the start, because it is sealed at rest; no fault shows
 * any part of a URL.
 */
import { z } from 'zod';
import type { DatabaseAddress, DatabaseSettings } from '../model/declared.ts';
import { Annotations, Bool, Certificate, Identifier, int, Name, Text, toBoolean } from './schemas-scalars.ts';
import { refusal, refuse, section, withRemedy } from './section.ts';

export interface DatabaseDeclared {
  settings: DatabaseSettings;
  address: DatabaseAddress;
  /** What a source needs and a mere destination does not. */
  hasSlot: boolean;
  hasPublication: boolean;
}

const SlotName = z
  .string()
  .regex(
    /^[a-z0-9_]{1,63}$/,
    withRemedy(
      'must consist of 1 to 63 lower-case letters, digits and underscores',
      'Choose a name that Postgres takes for a slot.',
    ),
  );

const Slot = section('databases[].slot', { name: SlotName, create_if_not_exists: Bool.default(false) });

const Publication = section('databases[].publication', {
  name: Identifier,
  create_if_not_exists: Bool.default(false),
  init_sql: z
    .string()
    .refine(
      (sql) => /^\s*create\s+publication\s/i.test(sql),
      refusal('must be a `create publication` statement', 'Write the one statement that makes the publication.'),
    )
    .nullable()
    .default(null),
}).superRefine((publication, context) => {
  if ((publicationOf(publication.init_sql) ?? publication.name) !== publication.name) {
    refuse(context, ['init_sql'], {
      message: 'makes a publication of another name',
      remedy: 'Use the name that `publication.name` has.',
    });
  }
});

/** The name in a `create publication` statement, as Postgres would store it. */
function publicationOf(sql: string | null): string | undefined {
  const written = /^\s*create\s+publication\s+("(?:[^"]|"")+"|[\w$]+)/i.exec(sql ?? '')?.[1];
  return written?.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written?.toLowerCase();
}

const Ssl = z.preprocess(
  toBoolean,
  z.union(
    [
      z.literal('prefer'),
      z.boolean(),
      section('databases[].ssl', { ca: Certificate.nullable().default(null), verify: Bool.default(true) }),
    ],
    withRemedy(
      'must be prefer, true, false or { ca, verify }',
      'Write `true` for a verified connection; `ca` takes a certificate in PEM form.',
    ),
  ),
);

const shape = {
  name: Name,
  url: z
    .string()
    .superRefine((url, context) => {
      const parsed = parseUrl(url);
      if ('message' in parsed) refuse(context, [], parsed);
    })
    .optional(),
  hostname: Text.optional(),
  port: int(1, 65_535).optional(),
  database: Text.optional(),
  username: Text.optional(),
  password: z.string().optional(),
  ssl: Ssl.optional(),
  pool_size: int(1, 100).default(3),
  max_row_bytes: int(1024, 268_435_456).default(16_777_216),
  invalid_utf8: z.enum(['replace', 'park'], 'must be replace or park').default('replace'),
  slot: Slot.optional(),
  slot_name: SlotName.optional(),
  publication: Publication.optional(),
  publication_name: Identifier.optional(),
  await_database: section('databases[].await_database', {
    timeout_ms: int(0, 3_600_000).default(30_000),
    interval_ms: int(10, 60_000).default(3_000),
  }).prefault({}),
  annotations: Annotations.default({}),
};

const notOurs = (message: string, remedy: string) => ({ message, remedy });

/** One entry of `databases:`. */
export const Database = section('databases[]', shape, {
  use_local_tunnel: notOurs('Millrace has no tunnel', 'Remove it; the database must be reachable from here.'),
  ipv6: notOurs('Millrace does not need it: IPv6 addresses work as they are', 'Remove it.'),
  primary: notOurs('Millrace reads changes from a primary only', 'Give the address of the primary as `url`.'),
  tables: notOurs(
    'Millrace has no list of tables here',
    'Name the tables in the publication, or under `source` of a sink.',
  ),
}).transform((input, context): DatabaseDeclared => {
  if (input.slot !== undefined && input.slot_name !== undefined) {
    refuse(context, ['slot_name'], { message: 'is given together with `slot`', remedy: 'Keep `slot`.' });
  }
  if (input.publication !== undefined && input.publication_name !== undefined) {
    refuse(context, ['publication_name'], {
      message: 'is given together with `publication`',
      remedy: 'Keep `publication`.',
    });
  }
  const { address, ssl } = addressOf(input, context);
  return {
    address,
    hasSlot: (input.slot ?? input.slot_name) !== undefined,
    hasPublication: (input.publication ?? input.publication_name) !== undefined,
    settings: {
      name: input.name,
      slot: input.slot ?? { name: input.slot_name ?? 'millrace', create_if_not_exists: false },
      publication: input.publication ?? {
        name: input.publication_name ?? 'millrace',
        create_if_not_exists: false,
        init_sql: null,
      },
      ssl: input.ssl ?? ssl ?? 'prefer',
      pool_size: input.pool_size,
      max_row_bytes: input.max_row_bytes,
      invalid_utf8: input.invalid_utf8,
      await_database: input.await_database,
      annotations: input.annotations,
    },
  };
});

type Address = { address: DatabaseAddress; ssl: DatabaseSettings['ssl'] | undefined };
type Input = z.output<z.ZodObject<typeof shape>>;

function addressOf(input: Input, context: z.core.$RefinementCtx): Address {
  const parts = (['hostname', 'port', 'database', 'username', 'password'] as const).filter(
    (key) => input[key] !== undefined,
  );
  if (input.url !== undefined) {
    for (const key of parts) {
      refuse(context, [key], { message: 'is given together with `url`', remedy: `Put it into \`url\`, or remove it.` });
    }
    const parsed = parseUrl(input.url);
    if ('address' in parsed) {
      if (parsed.ssl !== undefined && input.ssl !== undefined) {
        refuse(context, ['ssl'], { message: 'is given together with sslmode in `url`', remedy: 'Keep one of them.' });
      }
      return parsed;
    }
  } else {
    if (input.hostname === undefined) {
      const remedy = 'Add `url: postgres://user:password@host:5432/database`, or `hostname` and `database`.';
      refuse(context, [parts.length === 0 ? 'url' : 'hostname'], { message: 'is missing', remedy });
    } else if (input.database === undefined) {
      refuse(context, ['database'], { message: 'is missing', remedy: 'Add `database:`, the name of the database.' });
    }
  }
  const address = {
    host: input.hostname ?? '',
    port: input.port ?? 5432,
    database: input.database ?? '',
    user: input.username ?? 'postgres',
    password: input.password ?? 'postgres',
  };
  return { address, ssl: undefined };
}

const SSL_MODES: Record<string, DatabaseSettings['ssl']> = {
  disable: false,
  allow: 'prefer',
  prefer: 'prefer',
  require: { ca: null, verify: false },
  'verify-ca': true,
  'verify-full': true,
};

/** The parts of `postgres://user:password@host:port/database?sslmode=...`, or what is wrong with it. */
export function parseUrl(text: string): Address | { message: string; remedy: string } {
  const remedy = 'Write postgres://user:password@host:5432/database; %-encode `@ : / ? # %` in user and password.';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return { message: 'must be a postgres:// URL', remedy };
  }
  for (const key of url.searchParams.keys()) {
    if (key === 'sslmode' || key === 'host') continue;
    return {
      message: 'has a parameter that is not understood',
      remedy: 'Only `sslmode` and `host` may follow the `?`; use the keys `ssl` and `pool_size` instead.',
    };
  }
  const mode = url.searchParams.get('sslmode');
  const ssl = mode === null ? undefined : SSL_MODES[mode];
  if (mode !== null && ssl === undefined) {
    return { message: 'has an unknown sslmode', remedy: `Use one of: ${Object.keys(SSL_MODES).join(', ')}.` };
  }
  try {
    const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
    const database = decodeURIComponent(url.pathname.slice(1));
    if (host === '') return { message: 'names no host', remedy };
    if (database === '' || database.includes('/')) return { message: 'names no database', remedy };
    const address = {
      host,
      port: url.port === '' ? 5432 : Number(url.port),
      database,
      user: decodeURIComponent(url.username) || 'postgres',
      password: decodeURIComponent(url.password) || 'postgres',
    };
    return { address, ssl };
  } catch {
    return { message: 'has a `%` that is not an encoded character', remedy };
  }
}
