/** Who asks: a token, or a person who has logged in. */
import { z } from 'zod';
import { nameToken } from '../catalog/tokens.ts';
import { VERSION } from '../runtime/version.ts';
import { type Route, route } from './route.ts';

const whoamiRoute = route({
  method: 'GET',
  path: '/api/whoami',
  scope: 'any',
  summary: 'The token or the person that asks, what they may do, and the version of the service',
  input: z.strictObject({}),
  answer: z.looseObject({
    token: z.looseObject({ id: z.uuid(), name: z.string() }).nullable(),
    user: z.looseObject({ id: z.uuid(), email: z.string(), name: z.string().nullable() }).nullable(),
    csrf: z.string().nullable(),
    scopes: z.array(z.string()),
    version: z.string(),
  }),
  sql: null,
  run: async ({ db }, _input, { token, scopes, session }) => ({
    token: session ? null : await nameToken(db, token),
    user: session ? { id: session.userId, email: session.email, name: session.name } : null,
    csrf: session?.csrf ?? null,
    scopes: [...scopes],
    version: VERSION,
  }),
});

export const WHOAMI_ROUTES: readonly Route[] = [whoamiRoute];
