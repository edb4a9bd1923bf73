/** What to run in a source before it can be captured. */
import { z } from 'zod';
import { readSetup } from '../admin/read-setup.ts';
import { setupSql } from '../admin/setup-sql.ts';
import { Identifier, int } from '../model/scalars.ts';
import { REF, type Route, route, writing } from './route.ts';

const PATH = '/api/postgres_databases';

const Setup = z.looseObject({
  version: z.number().nullable(),
  statements: z.array(z.string()),
  sql: z.string(),
});

const VERSION = int(14, 99).optional();
const SlotName = z
  .string()
  .regex(/^[a-z0-9_]{1,63}$/, 'must consist of 1 to 63 lower-case letters, digits and underscores');

const storedRoute = route({
  method: 'GET',
  path: `${PATH}/:database/setup_sql`,
  scope: 'read',
  summary: 'The SQL for an administrator to run in a source: a role with the least rights, the publication, the slot',
  input: z.strictObject({ database: REF, version: VERSION }),
  answer: Setup,
  sql: null,
  run: async ({ outside }, { database, version }) => ({
    ...setupSql(await outside((on) => readSetup(on, database, version))),
  }),
});

const draftRoute = writing({
  method: 'POST',
  path: `${PATH}/setup_sql`,
  scope: 'read',
  summary: 'The same for a database that is not stored yet',
  input: z.strictObject({}),
  body: z.strictObject({
    version: VERSION,
    database: Identifier,
    username: Identifier.default('millrace'),
    capture: z.enum(['replication', 'triggers'], 'must be replication or triggers').default('replication'),
    slot: z.strictObject({ name: SlotName, create_if_not_exists: z.boolean().default(false) }).optional(),
    slot_name: SlotName.optional(),
    publication_name: Identifier.default('millrace'),
    schemas: z.array(Identifier).min(1, 'is empty').max(100, 'has more than 100').default(['public']),
  }),
  answer: Setup,
  sql: null,
  run: async (_deps, { body }) => ({
    ...setupSql({
      ...{ version: body.version ?? null, database: body.database, role: body.username, schemas: body.schemas },
      capture: body.capture,
      slot: body.slot ?? { name: body.slot_name ?? 'millrace', create_if_not_exists: false },
      publication: { name: body.publication_name, create_if_not_exists: false, init_sql: null },
    }),
  }),
});

export const SETUP_ROUTES: readonly Route[] = [storedRoute, draftRoute];
