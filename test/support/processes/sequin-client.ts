/**
 * A client of the configuration that sends and expects what Sequin's command line does: a context names the server, the file is
 * read, put in order and its variables replaced here, and of the answers only status 200 is a success.
 */
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse, stringify } from 'yaml';
import { promised } from '../until.ts';

export interface Context {
  name: string;
  /** With its port. */
  hostname: string;
  tls: false;
  api_token: string;
}

export interface Ran {
  code: 0 | 1;
  printed: string;
}

/** What a file is read with. */
export interface Surroundings {
  env: Record<string, string>;
  /** Of the file: `file:` of a function is beside it. */
  folder: string;
}

interface Answered {
  status: number;
  body: string;
}

const HEADERS_MS = 10_000;
const ALL_MS = 30_000;

class Refused extends Error {}

export function sequinClient(context: Context, surroundings: Surroundings) {
  const send = async (method: string, at: string, given?: object): Promise<Record<string, unknown>> => {
    const { status, body } = await exchange(context, `${method} ${at}`, given);
    if (status !== 200) throw new Refused(tellError(JSON.parse(body)));
    return JSON.parse(body);
  };
  const plan = async (file: string): Promise<{ changed: number; printed: string }> => {
    const { changes } = (await send('POST', '/api/config/plan', { yaml: resolved(file, surroundings) })) as {
      changes: { resource_type: string; action: string; old?: unknown; new?: unknown }[];
    };
    // A list of objects, whose maps are compared; null is nothing.
    const differing = changes.filter(({ old, new: after }) => !isDeepStrictEqual(old ?? {}, after ?? {}));
    const count = (action: string): number => differing.filter((change) => change.action === action).length;
    const printed = changes.map((change) => `${change.resource_type} ${change.action}`);
    const total = `Plan: ${count('create')} to add, ${count('update')} to change, ${count('delete')} to destroy.`;
    return {
      changed: count('create') + count('update') + count('delete'),
      printed: changes.length === 0 ? 'No changes detected' : [...printed, total].join('\n'),
    };
  };
  return {
    plan: (file: string) => run(async () => (await plan(file)).printed),
    apply: (file: string) =>
      run(async () => {
        const { changed, printed } = await plan(file);
        if (changed === 0) return `${printed}\nNo changes detected, exiting.`;
        const { resources } = await send('POST', '/api/config/apply', { yaml: resolved(file, surroundings) });
        return `${printed}\nApplied ${(resources as unknown[]).length} resources`;
      }),
    export: (showSensitive: boolean) =>
      run(async () => {
        const { yaml } = await send('GET', `/api/config/export?show-sensitive=${showSensitive}`);
        return yaml as string;
      }),
  };
}

async function run(command: () => Promise<string>): Promise<Ran> {
  try {
    return { code: 0, printed: await command() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { code: 1, printed: error.message };
  }
}

/** The summary, then every other key. */
function tellError({ summary, ...rest }: Record<string, unknown>): string {
  const others = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return [`Error: ${String(summary)}`, ...others].join('\n');
}

/** With the headers of Go's client, and no other. */
async function exchange({ hostname, api_token }: Context, line: string, given?: object): Promise<Answered> {
  const [method, at] = line.split(' ') as [string, string];
  const body = given === undefined ? undefined : Buffer.from(JSON.stringify(given));
  const [host, port] = hostname.split(':') as [string, string];
  const headers = {
    Host: hostname,
    'User-Agent': 'Go-http-client/1.1',
    ...(body ? { 'Content-Length': body.length } : {}),
    Authorization: `Bearer ${api_token}`,
    ...(body ? { 'Content-Type': 'application/json' } : {}),
    'Accept-Encoding': 'gzip',
  };
  const begun = performance.now();
  const within = (ms: number, what: string): void => {
    if (performance.now() - begun > promised(ms)) throw new Error(`${line}: ${what} took too long`);
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ host, port, method, path: at, headers }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
  within(HEADERS_MS, 'the header');
  const answered = await bodyOf(response);
  within(ALL_MS, 'the answer');
  return { status: response.statusCode!, body: answered };
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  if (response.headers['content-encoding'] !== 'gzip') return await text(response);
  return gunzipSync(Buffer.concat(await response.toArray())).toString();
}

/** As it is sent: keys in order, no anchors, files in place, variables replaced, but not in code. */
function resolved(file: string, { env, folder }: Surroundings): string {
  const withFiles = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withFiles);
    if (typeof value === 'string') {
      return value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => env[braced ?? bare] ?? '');
    }
    if (typeof value !== 'object' || value === null) return value;
    const pairs = Object.entries(value).map(([key, item]): [string, unknown] => {
      if (key === 'code') return [key, item];
      if (key === 'file') return ['code', readFileSync(path.join(folder, item), 'utf8')];
      return [key, withFiles(item)];
    });
    return Object.fromEntries(pairs);
  };
  const whole = withFiles(parse(file, { merge: true }));
  return stringify(whole, { sortMapEntries: true, aliasDuplicateObjects: false });
}
