import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { initialise } from '../../src/db/embedded/initdb.ts';
import { isAlive } from '../../src/db/embedded/orphan.ts';
import { choosePlace } from '../../src/db/embedded/place.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../../src/db/embedded/server.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { openState } from '../../src/runtime/state.ts';
import { hasPostgres15, sharedCluster, startCluster } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

async function query(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function failure(work: Promise<unknown>): Promise<MillraceError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(MillraceError);
  return error as MillraceError;
}

describe('embedded postgres', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    while (cleanups.length > 0) await cleanups.pop()?.();
  });

  async function folder(mode = 0o755): Promise<string> {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-embedded-'));
    await chmod(dir, mode);
    cleanups.push(() => rm(dir, { recursive: true, force: true }));
    return dir;
  }

  async function start(dir: string, more: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
    const options = { dir, password: 'p@ss/word', settings: { fsync: 'off' }, log: () => undefined, ...more };
    const server = await startEmbedded(options);
    cleanups.push(() => server.stop());
    return server;
  }

  /** `mayFail`: it is quiet about it. */
  async function holder(dir: string, mayFail = false): Promise<{ parent: ChildProcess; port: number; pid: number }> {
    const script = new URL('../support/postgres/embedded-holder.ts', import.meta.url).pathname;
    const stdio = ['ignore', 'pipe', mayFail ? 'ignore' : 'inherit'] as const;
    const parent = spawn(process.execPath, [script, dir, 'p@ss/word'], { stdio: [...stdio] });
    cleanups.push(async () => parent.kill('SIGKILL'));
    let text = '';
    parent.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const ended = once(parent, 'exit').then(() => Promise.reject(new Error('the holder ended')));
    await Promise.race([ended, until('the holder started its server', () => text.includes('\n'), 60_000)]);
    return { parent, ...JSON.parse(text) };
  }

  it('is an 18 with logical decoding, UTF8, C.UTF-8 and scram, on the loopback only', async () => {
    const cluster = await sharedCluster();
    const database = await cluster.createDatabase();
    const rows = await query(
      database.url,
      `select current_setting('wal_level') as wal, current_setting('server_version_num')::int / 10000 as major,
         current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listen,
         current_setting('unix_socket_directories') as sockets,
         (select datctype from pg_database where datname = current_database()) as ctype,
         (select left(rolpassword, 13) from pg_authid where rolname = 'postgres') as password`,
    );
    expect(rows).to.deep.equal([
      {
        wal: 'logical',
        major: 18,
        encoding: 'UTF8',
        listen: '127.0.0.1',
        sockets: '',
        ctype: 'C.UTF-8',
        password: 'SCRAM-SHA-256',
      },
    ]);
    const wrong = new URL(database.url);
    wrong.password = 'wrong';
    const refused = await query(wrong.href, 'select 1').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(pg.DatabaseError).and.to.have.property('code', '28P01');
    await query(database.url, 'create table t as select 7 as n');
    const copy = await cluster.createDatabase({ template: database.name });
    expect(await query(copy.url, 'select n from t')).to.deep.equal([{ n: 7 }]);
    // Other files' slots may still be there.
    const slot = `of_${copy.name}`;
    const slots = `select slot_name from pg_replication_slots where slot_name = '${slot}'`;
    await query(copy.url, `select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
    expect(await query(copy.url, slots)).to.deep.equal([{ slot_name: slot }]);
    await copy.drop();
    await database.drop();
    expect(await query(cluster.adminUrl, slots)).to.deep.equal([]);
  });

  it('goes on where the first start stopped, and stops twice without harm', async () => {
    const dir = await folder();
    const first = await start(dir);
    await query(first.adminUrl, 'create table kept as select 42 as n');
    await Promise.all([first.stop(), first.stop()]);
    await first.exited;
    expect(isAlive(first.pid)).to.equal(false);
    const second = await start(dir, { port: first.port });
    expect(second.port).to.equal(first.port);
    expect(await query(second.adminUrl, 'select n from kept')).to.deep.equal([{ n: 42 }]);
    await second.stop();
    const later = await failure(startEmbedded({ dir, password: 'other', log: () => undefined }));
    expect(later.message).to.contain('another password');
    expect(later.message).not.to.contain('other\n');
  });

  it('is stopped by its guard when we are killed', async () => {
    const { parent, pid } = await holder(await folder());
    parent.kill('SIGKILL');
    await until('the server ended', () => !isAlive(pid));
  });

  it('stops a server left over by a killed run, and goes on with its data', async () => {
    const dir = await folder();
    const { parent, port, pid } = await holder(dir);
    const url = `postgres://postgres:${encodeURIComponent('p@ss/word')}@127.0.0.1:${port}/postgres`;
    await query(url, 'create table kept as select 42 as n');
    parent.kill('SIGKILL');
    await until('the parent ended', () => parent.signalCode !== null);
    const lines: string[] = [];
    const server = await start(dir, { port, log: (line) => lines.push(line) });
    await until('the old server is gone', () => !isAlive(pid), 2_000);
    expect(lines.join()).to.contain('left over');
    expect(await query(server.adminUrl, 'select n from kept')).to.deep.equal([{ n: 42 }]);
  });

  it('goes on after its server was killed, although the pid file names a living stranger', async () => {
    const dir = await folder();
    const first = await start(dir);
    await query(first.adminUrl, 'create table kept as select 42 as n');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const file = path.join(dir, 'data', 'postmaster.pid');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [String(process.pid), ...lines.slice(1)].join('\n'));
    const second = await start(dir);
    expect(await query(second.adminUrl, 'select n from kept')).to.deep.equal([{ n: 42 }]);
  });

  it('leaves the server of another living service alone', async () => {
    const dir = await folder();
    const { parent, pid } = await holder(dir);
    const error = await failure(startEmbedded({ dir, password: 'p@ss/word', log: () => undefined }));
    expect(error.message).to.contain(`process ${parent.pid}`);
    expect(isAlive(pid)).to.equal(true);
    parent.kill('SIGKILL');
    await until('the server ended', () => !isAlive(pid));
  });

  it('leaves it alone also after others were started in its folder at the same moment', async () => {
    const dir = await folder();
    await (await start(dir)).stop();
    const both = await Promise.allSettled([holder(dir, true), holder(dir, true)]);
    const ready = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(ready).to.have.length(1);
    const { parent, pid } = ready[0]!;
    const error = await failure(startEmbedded({ dir, password: 'p@ss/word', log: () => undefined }));
    expect(error.message).to.contain(`process ${parent.pid}`);
    expect(isAlive(pid)).to.equal(true);
  });

  it('makes no second data folder for who starts in the same folder at the same moment', async () => {
    const dir = await folder();
    await start(dir, { temporary: true });
    const account = await serverAccount();
    const place = await choosePlace(account, dir, {});
    const { code, message } = await failure(initialise(account, place, { password: 'other', sync: false }));
    expect([code, message]).to.deep.equal([
      'bad_setting',
      'Another Millrace was started in this folder at the same moment',
    ]);
    expect((await readdir(dir)).filter((name) => name.startsWith('data'))).to.deep.equal(['data']);
  });

  it('takes another port when the wanted one is in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    cleanups.push(async () => taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const server = await start(await folder(), { port });
    expect(server.port).not.to.equal(port);
    expect(await query(server.adminUrl, 'select 1 as n')).to.deep.equal([{ n: 1 }]);
  });

  it('moves to a folder that its account can reach, and only then', async () => {
    const parent = await folder(0o700);
    const lines: string[] = [];
    const dir = path.join(parent, 'project', '.millrace');
    await mkdir(dir, { recursive: true });
    const server = await start(dir, { temporary: true, log: (line) => lines.push(line) });
    expect(await query(server.adminUrl, 'select 1 as n')).to.deep.equal([{ n: 1 }]);
    const root = process.getuid?.() === 0;
    expect(server.moved).to.equal(root);
    expect(server.dir === dir).to.equal(!root);
    expect(lines.some((line) => line.includes(server.dir))).to.equal(root);
    await server.stop();
    expect(await stat(server.dir).catch(() => undefined)).to.equal(undefined);
  });

  it('starts as root whatever the umask is', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const umask = process.umask(0o077);
    try {
      for (const mode of [0o755, 0o700]) {
        const home = path.join(await folder(mode), '.millrace');
        await openState(home);
        const server = await start(path.join(home, 'postgres'), { temporary: true });
        expect(await query(server.adminUrl, 'select 1 as n')).to.deep.equal([{ n: 1 }]);
        expect(server.moved).to.equal(mode === 0o700);
        await server.stop();
      }
    } finally {
      process.umask(umask);
    }
  });

  it('goes on with its data whoever may enter their folder by now, and where its project has moved to', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const parent = await folder(0o700);
    const dir = path.join(parent, 'project', '.millrace');
    await mkdir(dir, { recursive: true });
    const first = await start(dir);
    cleanups.push(() => rm(first.dir, { recursive: true, force: true }));
    await query(first.adminUrl, 'create table kept as select 42 as n');
    await first.stop();
    await chmod(parent, 0o755);
    const second = await start(dir);
    expect(await query(second.adminUrl, 'select n from kept')).to.deep.equal([{ n: 42 }]);
    await second.stop();

    await chmod(parent, 0o700);
    await rename(path.join(parent, 'project'), path.join(parent, 'moved'));
    const moved = path.join(parent, 'moved', '.millrace');
    cleanups.push(async () => await rm((await choosePlace(await serverAccount(), moved, {})).dir, { recursive: true }));
    const { message, remedy } = await failure(start(moved, { formerly: first.dir }));
    expect(message).to.match(/^The embedded Postgres ran before, and its data are not in .*millrace-/);
    execFileSync('sh', ['-c', /cp -a \S+ \S+/.exec(remedy!)![0]]);
    const third = await start(moved, { formerly: first.dir });
    expect(await query(third.adminUrl, 'select n from kept')).to.deep.equal([{ n: 42 }]);
    await third.stop();
  });

  it('does not begin from scratch where its account cannot reach its data any more', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const parent = await folder();
    const dir = path.join(parent, '.millrace');
    await (await start(dir)).stop();
    await chmod(parent, 0o700);
    const { message } = await failure(start(dir));
    expect(message).to.contain('cannot reach any more');
    await chmod(parent, 0o755);
    await (await start(dir)).stop();
  });

  it("shows the server's own words when it does not start", async () => {
    const dir = await folder();
    const error = await failure(start(dir, { settings: { shared_buffers: 'plenty' } }));
    expect(error.message).to.contain('invalid value for parameter "shared_buffers": "plenty"');
    expect(error.remedy).to.contain('server.log');
  });

  it('runs a 15 of the machine', async function () {
    if (!hasPostgres15()) this.skip();
    const cluster = await startCluster({ major: 15, settings: { max_slot_wal_keep_size: '2MB' } });
    cleanups.push(() => cluster.stop());
    const rows = await query(
      cluster.adminUrl,
      "select current_setting('server_version_num')::int / 10000 as major, current_setting('max_slot_wal_keep_size') as keep",
    );
    expect(rows).to.deep.equal([{ major: 15, keep: '2MB' }]);
  });
});
