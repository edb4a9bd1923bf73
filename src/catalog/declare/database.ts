/**
 * `databases:`. The address is kept apart from the settings from the start, because it is sealed at rest; no fault shows
 * any part of a URL.
 */
import { z } from 'zod';
import { isFault, type ReadAddress, readAddress, tlsOf } from '../../model/database-address.ts';
import { type DatabaseAddress, type DatabaseSettings, MOST_ROW_BYTES } from '../../model/declared.ts';
import type { Finding } from '../../model/finding.ts';
import {
  Annotations,
  Bool,
  Certificate,
  Identifier,
  int,
  Name,
  refuseMask,
  Text,
  toBoolean,
} from '../../model/scalars.ts';
import { refusal, refuse, section, withRemedy } from '../../model/section.ts';
import { hostRefusal } from '../../runtime/addresses.ts';

export interface DatabaseDeclared {
  settings: DatabaseSettings;
  address: DatabaseAddress;
  /** What a source needs and a mere destination does not. */
  hasSlot: boolean;
  hasPublication: boolean;
  /** Warnings, with paths from the entry on. */
  notes: Finding[];
}

/** Of a database that names none. */
export const DEFAULT_SLOT = 'millrace';

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

const Verify = z.preprocess(
  toBoolean,
  z.union([z.boolean(), z.literal('ca')], withRemedy('must be true, false or ca', 'Write one of the three.')),
);

const Ssl = z.preprocess(
  toBoolean,
  z.union(
    [
      z.literal('prefer'),
      z.boolean(),
      section('databases[].ssl', {
        ca: Certificate.nullable().default(null),
        verify: Verify.optional(),
        channel_binding: Bool.default(false),
      }).superRefine(({ ca, verify }, context) => {
        if (ca !== null && verify === false) {
          const remedy = 'Remove `verify`, or write `verify: ca` so that the name in the certificate does not count.';
          refuse(context, ['verify'], { message: 'is false, although `ca` is given to verify by', remedy });
        }
        if (ca === null && verify === 'ca') {
          const remedy = 'Add `ca`: everybody can have a certificate of a public authority.';
          refuse(context, ['verify'], { message: 'is `ca`, and there is no `ca`', remedy });
        }
      }),
    ],
    withRemedy(
      'must be prefer, true, false or { ca, verify }',
      'Write `true` for a verified connection; `ca` takes a certificate in PEM form.',
    ),
  ),
);

function refuseHost(context: z.core.$RefinementCtx, host: string): void {
  const refusal = hostRefusal(host);
  if (refusal)
    refuse(context, [], { message: `cannot be connected to: ${refusal.message}`, remedy: `${refusal.remedy}.` });
}

const shape = {
  name: Name,
  url: z
    .string()
    .superRefine((url, context) => {
      const read = readAddress(url);
      if (isFault(read)) {
        refuse(context, [], read);
        return;
      }
      refuseHost(context, read.host);
      refuseMask(read.password ?? '', context);
    })
    .optional(),
  hostname: Text.superRefine((host, context) => refuseHost(context, host)).optional(),
  port: int(1, 65_535).optional(),
  database: Text.optional(),
  username: Text.optional(),
  password: z.string().superRefine(refuseMask).optional(),
  ssl: Ssl.optional(),
  pool_size: int(1, 100).default(3),
  max_row_bytes: int(1024, MOST_ROW_BYTES).default(16_777_216),
  invalid_utf8: z.enum(['replace', 'park'], 'must be replace or park').default('replace'),
  capture: z.enum(['replication', 'triggers'], 'must be replication or triggers').default('replication'),
  trigger_errors: z.enum(['fail', 'skip'], 'must be fail or skip').default('fail'),
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
  primary: notOurs('Millrace reads changes from a primary only', 'Give the address of the primary as `url`.'),
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
    notes: passwordNotes(input, address),
    settings: {
      name: input.name,
      // The defaults are not stored: a database that was declared before there was a choice is the same database.
      ...(input.capture === 'replication' ? {} : { capture: input.capture }),
      ...(input.trigger_errors === 'fail' ? {} : { trigger_errors: input.trigger_errors }),
      slot: input.slot ?? { name: input.slot_name ?? DEFAULT_SLOT, create_if_not_exists: false },
      publication: input.publication ?? {
        name: input.publication_name ?? 'millrace',
        create_if_not_exists: false,
        init_sql: null,
      },
      ssl,
      pool_size: input.pool_size,
      max_row_bytes: input.max_row_bytes,
      invalid_utf8: input.invalid_utf8,
      await_database: input.await_database,
      annotations: input.annotations,
    },
  };
});

/** A variable that is not set becomes an empty text in files of other systems. */
function passwordNotes({ url, password }: Input, address: DatabaseAddress): Finding[] {
  if (address.password !== '' || (url === undefined && password === undefined)) return [];
  const message = url === undefined ? 'is empty' : 'has an empty password';
  return [
    {
      path: [url === undefined ? 'password' : 'url'],
      message: `${message}: no password is sent`,
      remedy: 'Write it, or leave the key out where the server asks for none.',
    },
  ];
}

type Address = Pick<DatabaseDeclared, 'address'> & { ssl: DatabaseSettings['ssl'] };
type Input = z.output<z.ZodObject<typeof shape>>;

function addressOf(input: Input, context: z.core.$RefinementCtx): Address {
  const parts = (['hostname', 'port', 'database', 'username', 'password'] as const).filter(
    (key) => input[key] !== undefined,
  );
  if (input.url !== undefined) {
    for (const key of parts) {
      refuse(context, [key], { message: 'is given together with `url`', remedy: `Put it into \`url\`, or remove it.` });
    }
    const read = readAddress(input.url);
    if (!isFault(read)) {
      const { host, port, database, user = 'postgres', password = 'postgres' } = read;
      return { address: { host, port, database, user, password }, ssl: sslOf(input, read, context) };
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
  return { address, ssl: sslOf(input, { tls: undefined, channelBinding: false }, context) };
}

type InUrl = Pick<ReadAddress, 'tls' | 'channelBinding'>;

/** From `ssl` and what the URL says; beside an sslmode of the URL, `ssl` may only give the certificate. */
function sslOf({ ssl }: Input, inUrl: InUrl, context: z.core.$RefinementCtx): DatabaseSettings['ssl'] {
  const ca = typeof ssl === 'object' ? ssl.ca : null;
  const verify = typeof ssl === 'object' ? ssl.verify : undefined;
  if (inUrl.tls !== undefined && ssl !== undefined && (ca === null || verify !== undefined)) {
    refuse(context, ['ssl'], {
      message: 'is given together with sslmode in `url`',
      remedy: 'Keep one of them; beside sslmode, `ssl: { ca }` may give the certificate.',
    });
  }
  if (typeof ssl === 'object' && inUrl.tls === undefined) {
    return { ca, verify: verify ?? true, ...(ssl.channel_binding ? { channel_binding: true as const } : {}) };
  }
  if (ssl !== undefined && typeof ssl !== 'object') return ssl;
  const tls = tlsOf(inUrl, { ca, name: '`ca`' });
  if (!isFault(tls)) return tls;
  const remedy = 'Write `sslmode=verify-full` in `url`, or remove `ca`.';
  refuse(context, ['ssl', 'ca'], { message: 'is given, and sslmode in `url` verifies nothing', remedy });
  return 'prefer';
}
