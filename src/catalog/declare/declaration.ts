/**
 * The declaration as a whole. Each entry is checked by itself and then against the others, so that one broken entry
 * hides no fault of another; nothing is returned unless all is well. One schema per thing, for the file and for requests.
 */

import { z } from 'zod';
import type { DatabaseAddress, DatabaseSettings, FunctionSettings, SinkSettings } from '../../model/declared.ts';
import type { Finding } from '../../model/finding.ts';
import { Text } from '../../model/scalars.ts';
import { findingsOf, section } from '../../model/section.ts';
import { Database } from './database.ts';
import type { Entries, Entry } from './entry.ts';
import { codeFault, DeclaredFunction, type FunctionDeclared } from './function.ts';
import { withEndpoints } from './http-endpoints.ts';
import { checkReferences, textAt } from './references.ts';
import { DeclaredRetention } from './retention.ts';
import { DeclaredSink } from './sink.ts';
import { withoutTaken } from './taken.ts';
import { DeclaredToken } from './token.ts';
import { DeclaredUser } from './user.ts';

/**
 * All that a user declares, checked. Secrets are in `address`, `secret` and nowhere else; tokens are hashes. A secret that is the
 * mask keeps the one that is stored.
 */
export interface Declared {
  databases: { settings: DatabaseSettings; address: DatabaseAddress }[];
  functions: FunctionSettings[];
  /** Entries of `sinks:`, then of `change_retentions:`. */
  sinks: { settings: SinkSettings; secret: string | null }[];
  /** `hash` null: the one that is stored. */
  tokens: { name: string; hash: Buffer | null; prefix: string | null; scopes: string[]; weak: boolean }[];
  /** Those who are made where nobody has their address. */
  users?: { email: string; password: string; scopes: string[] }[];
}

export interface Checked {
  declared: Declared;
  faults: Finding[];
  warnings: Finding[];
}

const asSinks = { message: 'is an older form', remedy: 'Declare each as a sink with `destination: { type: pull }`.' };
const list = z.array(z.unknown()).nullable().optional();

const Root = section(
  'the file',
  {
    users: list,
    account: section('account', { name: Text.optional() }).nullable().optional(),
    api_tokens: list,
    databases: list,
    functions: list,
    transforms: list,
    sinks: list,
    http_endpoints: list,
    change_retentions: list,
  },
  {
    webhooks: { message: 'takes requests in, which Millrace does not', remedy: 'Write them into a table.' },
    http_push_consumers: {
      message: 'is an older form',
      remedy: 'Declare each as a sink with `destination: { type: webhook, url: ... }`.',
    },
    http_pull_consumers: asSinks,
    sequin_streams: asSinks,
    wal_pipelines: { message: 'is an older form', remedy: 'Use `change_retentions`.' },
    sequences: { message: 'is an older form', remedy: 'Name the tables under `source` of each sink.' },
  },
);

export interface CheckOptions {
  /** Reads a function's `file`; without it (a request) there are no files. Throws what `fs` throws. */
  readFile?: ((path: string) => string) | undefined;
  /** Only this machine reaches the port: then a token may be weak. */
  loopbackOnly?: boolean | undefined;
}

export function checkDeclaration(given: unknown, options: CheckOptions = {}): Checked {
  const taken = withoutTaken(given);
  const { raw, faults } = withEndpoints(taken.raw);
  const { warnings } = taken;
  const add = (found: Finding[]): void => {
    for (const fault of found) faults.push(fault);
  };
  const root = Root.safeParse(raw ?? {});
  if (!root.success) add(findingsOf(root.error, raw ?? {}, []));
  const read = <Value>(key: string, schema: z.ZodType<Value>): Entry<Value>[] =>
    listAt(raw, key).map((item, index) => {
      const path = [key, index];
      const parsed = schema.safeParse(item);
      if (!parsed.success) add(findingsOf(parsed.error, item, path));
      return { path, name: textAt(item, 'name'), value: parsed.data, raw: item };
    });
  const entries: Entries = {
    users: read('users', DeclaredUser),
    api_tokens: read('api_tokens', DeclaredToken),
    databases: read('databases', Database),
    functions: [...read('functions', DeclaredFunction), ...read('transforms', DeclaredFunction)],
    sinks: [...read('sinks', DeclaredSink), ...read('change_retentions', DeclaredRetention)],
  };
  add(readFiles(entries.functions, options.readFile));
  const references = checkReferences(entries, options);
  const notes = [...(entries.users ?? []), ...entries.databases, ...entries.sinks].flatMap(({ path, value }) =>
    (value?.notes ?? []).map((note) => ({ ...note, path: [...path, ...note.path] })),
  );
  return {
    declared: declaredOf(entries),
    faults: [...faults, ...references.faults],
    warnings: [...warnings, ...notes, ...references.warnings],
  };
}

function listAt(raw: unknown, key: string): unknown[] {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, key)) return [];
  const value: unknown = Reflect.get(raw, key);
  return Array.isArray(value) ? value : [];
}

/** Of a request: there are no files. */
export const withoutFiles = (entries: Entry<FunctionDeclared>[]): Finding[] => readFiles(entries, undefined);

function readFiles(entries: Entry<FunctionDeclared>[], readFile: ((path: string) => string) | undefined): Finding[] {
  return entries.flatMap(({ path, value }) => {
    if (value === undefined || value.file === null || value.settings.type === 'path') return [];
    const at = [...path, ...value.codePath];
    if (readFile === undefined) {
      return [
        { path: at, message: 'needs a configuration file to be relative to', remedy: 'Write the code as `code:`.' },
      ];
    }
    try {
      value.settings.code = readFile(value.file);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      const remedy = 'Give a readable text file; its path is relative to this file.';
      return [{ path: at, message: `names a file that cannot be read${reason}`, remedy }];
    }
    const fault = codeFault(value.settings.code);
    return fault === undefined ? [] : [{ path: at, ...fault }];
  });
}

export function declaredOf(entries: Entries): Declared {
  const values = <Value>(list: Entry<Value>[]): Value[] =>
    list.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const users = values(entries.users ?? []).flatMap(({ email, password, scopes }) =>
    password === null ? [] : [{ email, password, scopes }],
  );
  return {
    ...(users.length === 0 ? {} : { users }),
    databases: values(entries.databases).map(({ settings, address }) => ({ settings, address })),
    functions: values(entries.functions).map(({ settings }) => settings),
    sinks: values(entries.sinks).map(({ settings, secret }) => ({ settings, secret })),
    tokens: values(entries.api_tokens).map(({ name, hash, prefix, scopes, weakness }) => ({
      name,
      hash,
      prefix,
      scopes,
      weak: weakness !== undefined,
    })),
  };
}
