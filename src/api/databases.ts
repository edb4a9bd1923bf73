/** The routes of source databases, with the keys of Sequin. */
import { z } from 'zod';
import { acceptGap } from '../admin/accept-gap.ts';
import { type ListedDatabase, showDatabase } from '../admin/list-databases.ts';
import { PAGE, pageOf } from './page.ts';
import { releaseOf } from './release.ts';
import { REF, type Route, route, writing } from './route.ts';
import { HEALTH, LEVELS } from './sink-shape.ts';

const PATH = '/api/postgres_databases';

const Database = z
  .looseObject({
    id: z.uuid(),
    name: z.string(),
    hostname: z.string(),
    database: z.string(),
    password: z.literal('********'),
    replication_slots: z.array(z.looseObject({ slot_name: z.string(), publication_name: z.string() })),
    health: z.looseObject({
      name: z.literal('Database'),
      status: z.enum(HEALTH),
      checks: z.array(z.looseObject({ name: z.string() })),
    }),
    state: z.looseObject({
      state: z.string().nullable(),
      reason: z.string().nullable(),
      remedy: z.string().nullable(),
      since: z.string().nullable(),
      epoch: z.number().nullable(),
      commit_lsn: z.string().nullable(),
      confirmed_lsn: z.string().nullable(),
    }),
    managed_by: z.enum(['file', 'api']),
    declared_from: z.string().nullable(),
    version: z.number(),
    updated_by: z.string().nullable(),
    inserted_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Database' });

function shown(database: ListedDatabase): z.input<typeof Database> {
  const { id, name, hostname, settings, state, reason, remedy, epoch, commit_lsn, confirmed_lsn } = database;
  const { slot, publication, ssl, pool_size, max_row_bytes, invalid_utf8, annotations } = settings;
  return {
    ...{ id, name, hostname, database: database.database_name, password: '********' as const },
    ...{ ssl, pool_size, max_row_bytes, invalid_utf8, annotations, slot, publication },
    replication_slots: [{ slot_name: slot.name, publication_name: publication.name }],
    health: {
      name: 'Database' as const,
      status: LEVELS[database.level],
      checks: database.reasons.map((code) => ({ name: code })),
    },
    state: {
      ...{ state, reason, remedy, since: database.state_since?.toISOString() ?? null },
      ...{ epoch, commit_lsn, confirmed_lsn },
    },
    ...{ managed_by: database.managed_by, declared_from: database.declared_from },
    ...{ version: database.version, updated_by: database.updated_by },
    inserted_at: database.inserted_at.toISOString(),
    updated_at: database.updated_at.toISOString(),
  };
}

const listRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'All source databases, and how their capture is',
  input: z.strictObject(PAGE),
  answer: z.looseObject({ data: z.array(Database), next_cursor: z.string().nullable() }),
  sql: 'millrace.database_status',
  async run(deps, page) {
    const { data, next_cursor } = pageOf(await deps.databases(), page, {});
    return { data: data.map(shown), next_cursor };
  },
});

const INPUT = z.strictObject({ database: REF });

const showRoute = route({
  method: 'GET',
  path: `${PATH}/:database`,
  scope: 'read',
  summary: 'One source database, by its name or id',
  input: INPUT,
  answer: Database,
  sql: 'millrace.database_status',
  run: async ({ db }, { database }) => shown(await showDatabase(db, database)),
});

const acceptRoute = writing({
  method: 'POST',
  path: `${PATH}/:database/accept_gap`,
  scope: 'operate',
  summary: 'Captures it again after a gap, and sends nothing of what was missed',
  input: INPUT,
  body: z.strictObject({ force: z.boolean('must be true or false').default(false) }),
  answer: z.looseObject({ epoch: z.number() }),
  sql: 'millrace.accept_gap',
  run: async ({ db }, { database, body }) => ({ epoch: await acceptGap(db, database, body) }),
});

export const DATABASE_ROUTES: readonly Route[] = [
  listRoute,
  showRoute,
  acceptRoute,
  ...releaseOf({
    ...{ path: `${PATH}/:database`, input: INPUT, type: 'database', what: 'a database', answer: Database },
    nameOf: async ({ db }, { database }) => (await showDatabase(db, database)).name,
    show: async ({ db }, name) => shown(await showDatabase(db, name)),
  }),
];
