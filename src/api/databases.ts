/** The routes of source databases, with the keys of Sequin. */
import { z } from 'zod';
import { acceptGap } from '../admin/accept-gap.ts';
import { showDatabase } from '../admin/list-databases.ts';
import { DATABASE_CHANGE_ROUTES } from './database-changes.ts';
import { Database, shownDatabase } from './database-shape.ts';
import { databaseMetricsRoute } from './metrics.ts';
import { PAGE, pageOf } from './page.ts';
import { releaseOf } from './release.ts';
import { REF, type Route, route, shared, writing } from './route.ts';
import { slotsRoute } from './source-slots.ts';

const PATH = '/api/postgres_databases';

const listRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'All databases, with the state of their capture',
  input: z.strictObject(PAGE),
  answer: z.looseObject({ data: z.array(Database), next_cursor: z.string().nullable() }),
  sql: 'millrace.database_status',
  async run(deps, page) {
    const { data, next_cursor } = pageOf(await deps.databases(), page, {});
    return { data: data.map((database) => shownDatabase(deps.config.keys, database)), next_cursor };
  },
});

const INPUT = z.strictObject({ database: REF });

const showRoute = shared({
  method: 'GET',
  path: `${PATH}/:database`,
  scope: 'read',
  summary: 'One database, by its name or id',
  input: INPUT,
  answer: Database,
  sql: 'millrace.database_status',
  run: async ({ db, config }, { database }) => shownDatabase(config.keys, await showDatabase(db, database)),
});

const acceptRoute = writing({
  method: 'POST',
  path: `${PATH}/:database/accept_gap`,
  scope: 'operate',
  summary: 'Captures a database again after a gap, without sending what was missed',
  input: INPUT,
  body: z.strictObject({ force: z.boolean('must be true or false').default(false) }),
  answer: z.looseObject({ epoch: z.number() }),
  sql: 'millrace.accept_gap',
  run: async ({ db }, { database, body }) => ({ epoch: await acceptGap(db, database, body) }),
});

export const DATABASE_ROUTES: readonly Route[] = [
  listRoute,
  showRoute,
  ...DATABASE_CHANGE_ROUTES,
  databaseMetricsRoute,
  slotsRoute,
  acceptRoute,
  ...releaseOf({
    ...{ path: `${PATH}/:database`, input: INPUT, type: 'database', what: 'a database', answer: Database },
    find: async ({ db }, { database }) => await showDatabase(db, database),
    show: async ({ db, config }, id) => shownDatabase(config.keys, await showDatabase(db, id)),
  }),
];
