/**
 * The routes of the configuration as a whole, with the bodies and answers of Sequin's, so that its tools work here. The text is
 * as whoever sends it made it: no variable is replaced, and no file is read.
 */
import { z } from 'zod';
import { applyDeclaration, planDeclaration } from '../admin/apply-config.ts';
import { exportConfig } from '../admin/export-config.ts';
import { type Configuration, parseConfiguration } from '../catalog/declare/file.ts';
import type { By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';
import { type ApiDeps, type Route, route, writing } from './route.ts';

const MAX_BYTES = 8 * 1024 * 1024;
/** Tries for the locks of the catalog, about a second each: whoever asks begins to doubt after ten. */
const ATTEMPTS = 5;

const wishes = {
  yaml: z.string(),
  prune: z.boolean().default(false),
  adopt: z.array(z.string()).max(1_000).default([]),
};

const Entry = z.record(z.string(), z.unknown()).nullable();
const Change = z.object({
  resource_type: z.string(),
  name: z.string(),
  action: z.enum(['create', 'update', 'delete']),
  old: Entry,
  new: Entry,
  diff: z.array(z.object({ path: z.string(), old: z.unknown(), new: z.unknown() })),
});
const shared = {
  changes: z.array(Change),
  actions: z.array(z.object({ description: z.string() })),
  warnings: z.array(z.string()),
  generation: z.number(),
};

const plan = writing({
  method: 'POST',
  path: '/api/config/plan',
  scope: 'admin',
  summary: 'What applying a millrace.yaml would change',
  input: z.strictObject({}),
  body: z.strictObject(wishes),
  maxBytes: MAX_BYTES,
  answer: z.looseObject({
    ...shared,
    losses: z.array(z.string()),
    summary: z.object({ create: z.number(), update: z.number(), delete: z.number() }),
  }),
  sql: null,
  run: async ({ config }, { body: { yaml, prune, adopt } }, { by }) =>
    await inWords(async () => ({
      ...(await planDeclaration(config, read(yaml, config), {
        ...{ prune, adopt, asker: askerOf(by), privateOk: config.privateOk === true },
      })),
    })),
});

const apply = writing({
  method: 'POST',
  path: '/api/config/apply',
  scope: 'admin',
  summary: 'Applies a millrace.yaml in one transaction',
  input: z.strictObject({}),
  body: z.strictObject({
    ...wishes,
    force: z.boolean().default(false),
    generation: z.int().optional(),
  }),
  maxBytes: MAX_BYTES,
  answer: z.looseObject({
    ...shared,
    resources: z.array(z.object({ resource_type: z.string(), name: z.string() })),
  }),
  sql: null,
  run: async ({ config }, { body: { yaml, ...options } }, { by }) =>
    await inWords(async () => ({
      ...(await applyDeclaration(config, read(yaml, config), {
        ...options,
        ...{
          attempts: ATTEMPTS,
          asker: askerOf(by),
          from: by.kind === 'cli' ? 'cli' : 'http',
          privateOk: config.privateOk === true,
        },
      })),
    })),
});

const exported = route({
  method: 'GET',
  path: '/api/config/export',
  scope: 'admin',
  summary: 'Everything declared, as a millrace.yaml with its secrets masked',
  // Secrets stay masked whatever it says.
  input: z.strictObject({ 'show-sensitive': z.enum(['true', 'false'], 'must be true or false').optional() }),
  answer: z.looseObject({ yaml: z.string() }),
  sql: null,
  run: async ({ config }) => ({ yaml: await exportConfig(config, { reveal: false }) }),
});

const askerOf = ({ kind, name }: By): string | undefined => (kind === 'token' ? name : undefined);

function read(yaml: string, { loopbackOnly }: ApiDeps['config']): Configuration {
  return parseConfiguration({ env: null, loopbackOnly }, yaml, { name: 'yaml' });
}

/** Faults by field: the sentence that has them all is for a terminal. */
async function inWords<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'bad_configuration') throw error;
    const faults = [...error.faults];
    const count = faults.length === 1 ? 'One field is' : `${faults.length} fields are`;
    throw new MillraceError('invalid_configuration', `${count} not valid; nothing was applied`, { faults });
  }
}

export const CONFIG_ROUTES: readonly Route[] = [plan, apply, exported];
