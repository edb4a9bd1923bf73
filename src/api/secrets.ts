/** Secrets under a changed SECRET_KEY. */
import { z } from 'zod';
import { rotateSecrets } from '../catalog/rotate-secrets.ts';
import { NO_BODY, type Route, writing } from './route.ts';

/** Tries for the locks of the catalog, about a second each: whoever asks begins to doubt after ten. */
const ATTEMPTS = 5;

const rotateRoute = writing({
  method: 'POST',
  path: '/api/secrets/rotate',
  scope: 'admin',
  summary: 'Seals secrets that were sealed with a key of SECRET_KEY_PREVIOUS again with SECRET_KEY',
  input: z.strictObject({}),
  body: NO_BODY,
  answer: z.looseObject({ sealed: z.number(), kept: z.number(), key_id: z.string() }),
  sql: null,
  async run({ db, config: { keys } }) {
    return { ...(await rotateSecrets(db, keys, { attempts: ATTEMPTS })), key_id: keys.current.id };
  },
});

export const SECRET_ROUTES: readonly Route[] = [rotateRoute];
