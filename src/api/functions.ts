/** The routes of functions: those that are declared, and trying one on messages. */
import { z } from 'zod';
import { createFunction, type EditFunctionDeps, editFunction, eraseFunction } from '../admin/edit-function.ts';
import { fitting, type ListedFunction, listFunctions, showFunction, withCode } from '../admin/list-functions.ts';
import { Created } from './created.ts';
import { changeBody, entryBody } from './entry-body.ts';
import { PAGE, pageOf } from './page.ts';
import { releaseOf } from './release.ts';
import { type ApiDeps, NO_BODY, REF, type Route, shared, writing } from './route.ts';
import { STANDING } from './standing-shape.ts';
import { TRY_FUNCTION } from './try-function.ts';

const PATH = '/api/functions';
const TYPES = ['transform', 'routing', 'filter', 'path'] as const;

const FunctionShape = z
  .looseObject({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    type: z.enum(TYPES),
    sink_type: z.string().nullable(),
    code: z.string().nullable(),
    path: z.string().nullable(),
    used_by: z.array(z.string()),
    ...STANDING,
    version: z.number(),
    updated_by: z.string().nullable(),
    inserted_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Function' });

function shown({ id, name, settings, ...row }: ListedFunction): z.input<typeof FunctionShape> {
  const { description = null, type, sink_type, code, path } = settings;
  const { used_by, managed_by, declared_from, entry_name, version, updated_by } = row;
  return {
    ...{ id, name, description, type, sink_type, code, path, used_by },
    ...{ managed_by, declared_from, entry_name, version, updated_by },
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const listRoute = shared({
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'All functions, with the sinks that use them',
  input: z.strictObject({ type: z.enum(TYPES, `must be one of ${TYPES.join(', ')}`).optional(), ...PAGE }),
  answer: z.looseObject({ data: z.array(FunctionShape), next_cursor: z.string().nullable() }),
  sql: null,
  async run({ db }, { limit, cursor, ...filter }) {
    const rows = (await listFunctions(db)).filter(
      ({ settings }) => filter.type === undefined || settings.type === filter.type,
    );
    const asked = pageOf(rows, { limit, cursor }, filter).data;
    const { data, next_cursor } = pageOf(rows, { limit: fitting(asked), cursor }, filter);
    return { data: (await withCode(db, data)).map(shown), next_cursor };
  },
});

const INPUT = z.strictObject({ function: REF });

const showRoute = shared({
  method: 'GET',
  path: `${PATH}/:function`,
  scope: 'read',
  summary: 'One function, by its name or id',
  input: INPUT,
  answer: FunctionShape,
  sql: null,
  run: async ({ db }, { function: ref }) => shown(await showFunction(db, ref)),
});

const editing = ({ db, config, functions }: ApiDeps): EditFunctionDeps => ({ db, keys: config.keys, functions });

const createRoute = writing({
  method: 'POST',
  path: PATH,
  scope: 'admin',
  summary: 'Creates a function, once it compiles and has processed a made-up message',
  input: z.strictObject({}),
  ...{ body: entryBody('functions'), answer: FunctionShape },
  creates: 201,
  sql: null,
  async run(deps, { body }) {
    const { id, warnings } = await createFunction(editing(deps), { body });
    return new Created(`${PATH}/${id}`, { ...shown(await showFunction(deps.db, id)), warnings });
  },
});

const editRoutes = (['PATCH', 'PUT'] as const).map((method) =>
  writing({
    method,
    path: `${PATH}/:function`,
    scope: 'admin',
    summary:
      'Changes a function: the given keys replace the stored ones, null restores the default. It applies to messages that are not shaped yet',
    input: INPUT,
    ...{ body: changeBody('functions'), answer: FunctionShape },
    sql: null,
    async run(deps, { function: ref, body }, { ifMatch }) {
      const { id, warnings } = await editFunction(editing(deps), { ref, body, ifMatch });
      return { ...shown(await showFunction(deps.db, id)), warnings };
    },
  }),
);

const deleteRoute = writing({
  method: 'DELETE',
  path: `${PATH}/:function`,
  scope: 'admin',
  summary: 'Deletes a function that no sink uses',
  input: INPUT,
  body: NO_BODY,
  answer: z.looseObject({ id: z.uuid(), name: z.string(), deleted: z.literal(true), success: z.literal(true) }),
  sql: null,
  async run(deps, { function: ref }, { ifMatch }) {
    const gone = await eraseFunction(editing(deps), { ref, ifMatch });
    return { ...gone, deleted: true as const, success: true as const };
  },
});

export const FUNCTION_ROUTES: readonly Route[] = [
  listRoute,
  showRoute,
  createRoute,
  ...editRoutes,
  deleteRoute,
  TRY_FUNCTION,
  ...releaseOf({
    ...{ path: `${PATH}/:function`, input: INPUT, type: 'function', what: 'a function', answer: FunctionShape },
    find: async ({ db }, { function: ref }) => await showFunction(db, ref),
    show: async ({ db }, id) => shown(await showFunction(db, id)),
  }),
];
