/** Every key of the contract, declared by a file at start, by requests, by a file over HTTP and by commands: one meaning, one export. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse as parseYaml } from 'yaml';
import { exportConfig } from '../../src/admin/export-config.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { readCurrent } from '../../src/catalog/apply/current.ts';
import { readTypedConfiguration, resolvedText } from '../../src/catalog/declare/file.ts';
import { CA, KEYS, SECRET_KEY } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { runCli } from '../support/processes/cli.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const FILE = readFileSync(new URL('../catalog/declare/data/every-key.yaml', import.meta.url), 'utf8').replace(
  'ssl: false',
  `ssl: { ca: ${CA}, verify: ca }`,
);
const ENV = { SEARCH_KEY: 'a-key', HOOK_TOKEN: 'hook-token', HOOK_SECRET: `whsec_${'A'.repeat(32)}` };
const LISTS = {
  databases: 'postgres_databases',
  functions: 'functions',
  sinks: 'sinks',
  change_retentions: 'change_retentions',
};
const WORDS = { databases: 'database', functions: 'function', sinks: 'sink', change_retentions: 'retention' };

describe('api: every key of the contract', function () {
  this.timeout(120_000);
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-one-meaning-'));
    file = path.join(folder, 'millrace.yaml');
    mkdirSync(path.join(folder, 'functions'));
    writeFileSync(path.join(folder, 'functions/only-open.ts'), '(action, record) => record.open === true');
    writeFileSync(file, FILE);
  });
  after(async () => await rm(folder, { recursive: true, force: true }));

  interface Place {
    m: MessageDatabase;
    web: TestWeb;
  }
  /** A service, made known with nothing. */
  async function within<Result>(work: (place: Place) => Promise<Result>): Promise<Result> {
    const m = await messageDatabase();
    const web = await testWeb({ db: m.db, privateAllowed: true }, { keepHealthMs: 0 });
    try {
      return await work({ m, web });
    } finally {
      await web.close();
      await m.drop();
    }
  }
  const entries = (): Record<string, Record<string, unknown>[]> => parseYaml(resolvedText(ENV, file));
  /** Nothing of the example is there to be tested; a function needs nothing. */
  const untested = (at: string): string => (at === 'functions' ? '' : '?test=false');
  const succeeds = async (reply: ReturnType<TestWeb['call']>) => {
    const { status, text, json } = await reply;
    expect(status, text).to.be.oneOf([200, 201]);
    return json;
  };
  const runs = async (web: TestWeb, ...args: string[]): Promise<string> => {
    const remote = { MILLRACE_URL: web.url, MILLRACE_TOKEN: 'admin-token' };
    const { code, stdout, stderr } = await runCli(args, { ...ENV, ...remote });
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  /** What each has stored, secrets too, and what is shown of it. */
  const stored = async ({ m, web }: Place) => {
    const current = await readCurrent(m.db);
    const exported = parseYaml(await exportConfig({ db: m.db, keys: KEYS }, { reveal: true }));
    const settings = Object.fromEntries(
      [...current.databases, ...current.functions, ...current.sinks].map((row) => [row.name, row.settings]),
    );
    const shown = await Promise.all(
      Object.values(LISTS).map(async (list) =>
        (await succeeds(web.call('GET', `/api/${list}`))).data.map(withoutStanding),
      ),
    );
    const { api_tokens: _, ...lists } = exported as Record<string, { name: string }[]>;
    const things = Object.fromEntries(Object.entries(lists).map(([list, those]) => [list, byName(those)]));
    return { settings, things, shown: shown.map(byName) };
  };

  const WAYS: Record<string, (place: Place) => Promise<unknown>> = {
    'by requests': async ({ web }) => {
      for (const [list, at] of Object.entries(LISTS))
        for (const entry of entries()[list] ?? [])
          await succeeds(web.call('POST', `/api/${at}${untested(at)}`, { body: entry }));
    },
    'by requests that edit': async ({ web }) => {
      const minimal: Record<string, string[]> = {
        databases: ['name', 'url', 'slot', 'publication'],
        functions: ['name', 'type', 'code', 'path'],
        sinks: ['name', 'database', 'destination'],
        change_retentions: [
          'name',
          'source_database',
          'source_table_name',
          'destination_database',
          'destination_table_name',
        ],
      };
      for (const [list, at] of Object.entries(LISTS))
        for (const entry of entries()[list] ?? []) {
          const few = Object.fromEntries(
            Object.entries(entry).filter(([key]) => [...minimal[list]!, 'initial_backfill'].includes(key)),
          );
          await succeeds(web.call('POST', `/api/${at}${untested(at)}`, { body: few }));
          await succeeds(
            web.call('PATCH', `/api/${at}/${entry.name}`, {
              body: entry,
            }),
          );
        }
    },
    'by a file over HTTP': async ({ web }) =>
      await succeeds(web.call('POST', '/api/config/apply', { body: { yaml: resolvedText(ENV, file) } })),
    'by `config apply`': async ({ web }) => await runs(web, 'config', 'apply', file, '--yes'),
    'by commands, one by one': async ({ web }) => {
      for (const [list, word] of Object.entries(WORDS))
        for (const entry of parseYaml(FILE)[list] ?? []) {
          const one = path.join(folder, 'one.yaml');
          writeFileSync(one, JSON.stringify(entry));
          await runs(web, word, 'create', '-f', one, ...(list === 'functions' ? [] : ['--no-test']));
        }
    },
  };

  it('means the same however it is declared, and is exported alike', async () => {
    const byFile = async ({ m }: Place): Promise<unknown> => {
      const { config } = readTypedConfiguration({ env: ENV, loopbackOnly: true }, file);
      return await applyConfig({ db: m.db, keys: KEYS }, config, { from: 'start' });
    };
    const expected = await within(async (place) => {
      await byFile(place);
      return await stored(place);
    });
    expect(Object.keys(expected.things)).to.deep.equal(['databases', 'functions', 'sinks', 'change_retentions']);
    for (const [way, act] of Object.entries(WAYS))
      await within(async (place) => {
        await act(place);
        expect(await stored(place), way).to.deep.equal(expected);
      });
  });

  it('is planned without a change against what commands and requests have made of it', async () => {
    for (const way of ['by requests', 'by `config apply`'])
      await within(async (place) => {
        await WAYS[way]!(place);
        const exported = await runCli(['config', 'export', '--reveal'], { DATABASE_URL: place.m.url, SECRET_KEY });
        expect(exported.code, exported.stderr).to.equal(0);
        const plan = await succeeds(place.web.call('POST', '/api/config/plan', { body: { yaml: exported.stdout } }));
        const changed = plan.changes.flatMap(({ diff }: { diff: { path: string }[] }) =>
          diff.map(({ path: at }) => at),
        );
        expect(
          changed.filter((at: string) => at !== 'managed_by' && at !== 'private_ok'),
          way,
        ).to.deep.equal([]);
      });
  });
});

const STANDING = new Set([
  ...['id', 'health', 'state', 'managed_by', 'declared_from', 'status_by', 'status_reason', 'version', 'updated_by'],
  ...['inserted_at', 'updated_at', 'entry_name', 'active_backfills', 'used_by', 'warnings', 'private_ok'],
]);

const byName = <Thing extends { name: string }>(things: readonly Thing[]): Thing[] =>
  things.toSorted((a, b) => a.name.localeCompare(b.name));

const withoutStanding = (thing: { name: string }): { name: string } => ({
  name: thing.name,
  ...Object.fromEntries(Object.entries(thing).filter(([key]) => !STANDING.has(key))),
});
