/** Source databases are made, edited and deleted. */
import { z } from 'zod';
import { createDatabase, editDatabase, eraseDatabase } from '../admin/edit-database.ts';
import { showDatabase } from '../admin/list-databases.ts';
import { testDraftDatabase } from '../admin/test-database.ts';
import type { RequestedDatabase } from '../catalog/declare/requested-database.ts';
import { Created } from './created.ts';
import { Database, shownDatabase } from './database-shape.ts';
import { changeBody, entryBody } from './entry-body.ts';
import { type ApiDeps, NO_BODY, REF, type Route, writing } from './route.ts';
import { tested } from './test-connection.ts';

const PATH = '/api/postgres_databases';

const Flag = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .transform((text) => text === 'true');

const Changed = Database.extend({ warnings: z.array(z.string()) });

const shownWith = async ({ db, config }: ApiDeps, { id, warnings }: { id: string; warnings: string[] }) => ({
  ...shownDatabase(config.keys, await showDatabase(db, id)),
  warnings,
});

const createRoute = writing({
  method: 'POST',
  path: PATH,
  scope: 'admin',
  summary: 'Creates a database, if Test Connection succeeds',
  input: z.strictObject({ test: z.enum(['true', 'false'], 'must be true or false').optional() }),
  body: entryBody('databases'),
  answer: Changed,
  creates: 201,
  sql: null,
  async run(deps, { test, body }, asking) {
    const tryOut = async (draft: RequestedDatabase): Promise<void> =>
      void tested(await deps.outside((on) => testDraftDatabase(on, draft)), asking);
    const apply = { ...deps.config, db: deps.db };
    const made = await createDatabase(apply, body, test === 'false' ? null : tryOut);
    return new Created(`${PATH}/${made.id}`, await shownWith(deps, made));
  },
});

const editRoutes = (['PATCH', 'PUT'] as const).map((method) =>
  writing({
    method,
    path: `${PATH}/:database`,
    scope: 'admin',
    summary: 'Changes a database: the given keys replace the stored ones, null restores the default',
    input: z.strictObject({ database: REF }),
    body: changeBody('databases'),
    answer: Changed,
    sql: null,
    async run(deps, { database: ref, body }, { ifMatch }) {
      const apply = { ...deps.config, db: deps.db };
      return await shownWith(deps, await editDatabase(apply, { ref, body, ifMatch }));
    },
  }),
);

const deleteRoute = writing({
  method: 'DELETE',
  path: `${PATH}/:database`,
  scope: 'admin',
  summary: 'Deletes a database that no sink uses, with the slot and the publication that Millrace made in it',
  input: z.strictObject({ database: REF, force: Flag, release: Flag }),
  body: NO_BODY,
  answer: z.looseObject({
    ...{ id: z.uuid(), name: z.string(), deleted: z.literal(true), success: z.literal(true) },
    ...{ left: z.array(z.string()), warnings: z.array(z.string()) },
  }),
  sql: null,
  async run({ db, config, outside }, { database: ref, ...wishes }, { ifMatch }) {
    const apply = { db, keys: config.keys };
    const gone = await outside((on) => eraseDatabase(on, apply, { ref, ...wishes, ifMatch }));
    return { ...gone, deleted: true as const, success: true as const };
  },
});

export const DATABASE_CHANGE_ROUTES: readonly Route[] = [createRoute, ...editRoutes, deleteRoute];
