/** What is wrong, and what to run: the doctor over HTTP. */
import { z } from 'zod';
import type { Check } from '../admin/doctor/check.ts';
import type { Examination } from '../admin/doctor/examine.ts';
import { showDatabase } from '../admin/list-databases.ts';
import { CheckShape, shownCheck } from './check-shape.ts';
import { type Asking, REF, type Route, route } from './route.ts';

const answer = z.looseObject({ ok: z.boolean(), checks: z.array(CheckShape) });

const shown = ({ ok, checks }: Examination, asking: Asking): z.input<typeof answer> => ({
  ok,
  checks: checks.map((check) => shownCheck(check, asking)),
});

const examineRoute = route({
  method: 'GET',
  path: '/api/doctor',
  scope: 'read',
  summary: 'Problems of the message database, sources, sinks and processes, with what to run',
  input: z.strictObject({
    database: z.string().optional(),
    sink: z.string().optional(),
    quick: z.enum(['true', 'false'], 'must be true or false').optional(),
  }),
  answer,
  sql: null,
  run: async (deps, { database, sink, quick }, asking) =>
    shown(await deps.examine({ database, sink, quick: quick === 'true' }), asking),
});

const ofDatabase = ({ subject }: Check): boolean => subject.kind === 'database';

const checksRoute = route({
  method: 'GET',
  path: '/api/postgres_databases/:database/checks',
  scope: 'read',
  summary: 'What the doctor finds in one database',
  input: z.strictObject({ database: REF }),
  answer,
  sql: null,
  async run(deps, input, asking) {
    const { name } = await showDatabase(deps.db, input.database);
    const checks = (await deps.examine({ database: name })).checks.filter(ofDatabase);
    return shown({ ok: !checks.some(({ status }) => status === 'error'), checks }, asking);
  },
});

export const DOCTOR_ROUTES: readonly Route[] = [examineRoute, checksRoute];
