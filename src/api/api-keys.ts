/** API tokens, with the paths of Sequin's. */
import { z } from 'zod';
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey, showApiKey } from '../admin/api-keys.ts';
import { Name } from '../model/scalars.ts';
import { isScope, SCOPES } from '../model/scope.ts';
import { PAGE, pageOf } from './page.ts';
import { type Route, route, writing } from './route.ts';
import { EXPIRY } from './time.ts';

const PATH = '/api/api_keys';

const Time = z.string().nullable();

const SHAPE = {
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().nullable(),
  scopes: z.array(z.string()),
  weak: z.boolean(),
  managed_by: z.enum(['file', 'api']),
  declared_from: z.string().nullable(),
  created_by: z.string().nullable(),
  expires_at: Time,
  last_used_at: Time,
  revoked_at: Time,
  inserted_at: z.string(),
};
const ApiKeyShape = z.looseObject(SHAPE).meta({ id: 'ApiKey' });

function shown({ created_at, expires_at, last_used_at, revoked_at, ...key }: ApiKey): z.input<typeof ApiKeyShape> {
  return {
    ...key,
    expires_at: expires_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
    inserted_at: created_at.toISOString(),
  };
}

/** Scopes of a token or a person. */
export const SCOPE_LIST = z
  .array(z.string().refine(isScope, `is not a scope: write ${SCOPES.join(', ')} or consume:<sink name>`))
  .min(1, 'must name at least one scope')
  .max(1_000, 'has more than 1000 scopes');

const listRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'admin',
  summary: 'All API tokens, without the tokens themselves',
  input: z.strictObject(PAGE),
  answer: z.looseObject({ data: z.array(ApiKeyShape), next_cursor: z.string().nullable() }),
  sql: null,
  async run({ db }, page) {
    const { data, next_cursor } = pageOf(await listApiKeys(db), page, {});
    return { data: data.map(shown), next_cursor };
  },
});

const INPUT = z.strictObject({ id: z.uuid('must be the id of an API token') });

const showRoute = route({
  method: 'GET',
  path: `${PATH}/:id`,
  scope: 'admin',
  summary: 'One API token, without the token itself',
  input: INPUT,
  answer: ApiKeyShape,
  sql: null,
  run: async ({ db }, { id }) => shown(await showApiKey(db, id)),
});

const createRoute = writing({
  method: 'POST',
  path: PATH,
  scope: 'admin',
  summary: 'Creates an API token; only this answer contains it',
  input: z.strictObject({}),
  body: z.strictObject({
    name: Name,
    scopes: SCOPE_LIST,
    expires_at: EXPIRY.nullish(),
  }),
  answer: z.looseObject({ ...SHAPE, token: z.string() }).meta({ id: 'NewApiKey' }),
  sql: null,
  async run({ db }, { body: { name, scopes, expires_at } }, { by }) {
    const expiresAt = expires_at == null ? null : new Date(expires_at);
    const { token, ...key } = await createApiKey(db, { name, scopes, expiresAt }, by);
    return { ...shown(key), token };
  },
});

const revokeRoute = writing({
  method: 'DELETE',
  path: `${PATH}/:id`,
  scope: 'admin',
  summary: 'Revokes an API token at once; a token in the file stays revoked until its text there changes',
  input: INPUT,
  body: z.strictObject({}),
  answer: z.looseObject({ success: z.literal(true), id: z.uuid() }),
  sql: null,
  async run({ db }, { id }, { by }) {
    await revokeApiKey(db, id, by);
    return { success: true as const, id };
  },
});

export const API_KEY_ROUTES: readonly Route[] = [listRoute, showRoute, createRoute, revokeRoute];
