/** What runs all roles, when one of its processes ends in a way that the process itself cannot tell. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runAll } from '../../src/roles/all.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { createLog } from '../../src/runtime/log.ts';
import { readSettings } from '../../src/runtime/settings.ts';
import { SECRET_KEY } from '../support/processes/service.ts';

const GIVEN = 'postgres://ann:hush-hush@127.0.0.1:9/shop?sslmode=disable';

describe('all roles', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'millrace-all-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  /** With a migration that does nothing else. */
  async function start(migration: string, url = GIVEN, more: NodeJS.ProcessEnv = {}): Promise<boolean> {
    const entry = path.join(home, 'main.mjs');
    await writeFile(entry, migration);
    const env = { DATABASE_URL: url, SECRET_KEY, PORT: String(await freePort()), HOST: '127.0.0.1', ...more };
    const deps = { log: createLog({ level: 'silent', role: 'all' }), signal: new AbortController().signal };
    return await runAll(readSettings(env), deps, { entry, home, env, print: () => undefined, terminal: false });
  }

  it('leave it to a migration that fails to say why', async () => {
    expect(await start('process.exit(1)')).to.equal(false);
  });

  it('take every address that the message database is reached by', async () => {
    for (const url of [
      'postgres://ann:hush-hush@/shop?host=/run/nowhere',
      'postgres://?host=127.0.0.1&port=9&dbname=shop',
    ])
      expect(await start('process.exit(1)', url), url).to.equal(false);
  });

  it('have the same port when any will do', async () => {
    expect(await start('process.exit(Number(process.env.PORT) > 0 ? 1 : 3)', GIVEN, { PORT: '0' })).to.equal(false);
  });

  it('tell a wrong address to listen on from a port that is taken', async () => {
    const why = await start('', GIVEN, { HOST: '192.0.2.1' }).catch(String);
    expect(why).to.match(/HOST is not an address of this machine/);
  });

  it('say how a migration ended that was killed', async () => {
    const why = await start(`process.kill(process.pid, 'SIGKILL')`).catch(String);
    expect(why).to.match(/the migration ended by itself \(SIGKILL\)/);
  });
});
