/** What the role that answers was started with. */
import { z } from 'zod';
import { type Route, route } from './route.ts';

const settingsRoute = route({
  method: 'GET',
  path: '/api/settings',
  scope: 'admin',
  summary: 'The settings of the web role that answers, secrets masked',
  input: z.strictObject({}),
  answer: z.looseObject({ data: z.array(z.looseObject({ name: z.string(), value: z.string().nullable() })) }),
  sql: null,
  run: async ({ settings }) => ({ data: settings().map((one) => ({ ...one })) }),
});

export const SETTING_ROUTES: readonly Route[] = [settingsRoute];
