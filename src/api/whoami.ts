/** Who asks, as far as this service knows. */
import { z } from 'zod';
import { nameToken } from '../catalog/tokens.ts';
import { VERSION } from '../runtime/version.ts';
import { type Route, route } from './route.ts';

const whoamiRoute = route({
  method: 'GET',
  path: '/api/whoami',
  scope: 'any',
  summary: 'The token that asks, what it may do, and the version of the service',
  input: z.strictObject({}),
  answer: z.looseObject({
    token: z.looseObject({ id: z.uuid(), name: z.string() }).nullable(),
    scopes: z.array(z.string()),
    version: z.string(),
  }),
  sql: null,
  run: async ({ db }, _input, { token, scopes }) => ({
    token: await nameToken(db, token),
    scopes: [...scopes],
    version: VERSION,
  }),
});

export const WHOAMI_ROUTES: readonly Route[] = [whoamiRoute];
