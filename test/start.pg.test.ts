import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { promised, until } from './support/until.ts';

const run = promisify(execFile);
const source = (file: string): string => fileURLToPath(new URL(`../src/${file}`, import.meta.url));

interface Started {
  process: ChildProcess;
  printed: () => string;
}

interface Process {
  pid: number;
  args: string;
}

/** The whole service as a user starts it: `node src/main.ts all` in an empty folder. */
describe('start', function () {
  this.timeout(120_000);
  let dir: string;
  const running: ChildProcess[] = [];

  before(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-start-'));
    await chmod(dir, 0o755);
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await until('nothing runs', async () => (await inFolder()).length === 0, 20_000);
    await rm(dir, { recursive: true, force: true });
  });

  function environment(): NodeJS.ProcessEnv {
    const {
      DATABASE_URL: _,
      PORT: __,
      SECRET_KEY: ___,
      CONFIG_FILE_PATH: ____,
      CONFIG_FILE_YAML: _____,
      ...rest
    } = process.env;
    return rest;
  }

  function start(): Started {
    // A group of its own, as a terminal gives it.
    const child = spawn(process.execPath, [source('main.ts'), 'all'], { cwd: dir, env: environment(), detached: true });
    running.push(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    return { process: child, printed: () => text };
  }

  async function welcomed(started: Started): Promise<string> {
    return await until(
      `the welcome`,
      () => {
        if (started.process.exitCode !== null) throw new Error(`ended: ${started.printed()}`);
        return started.printed().includes('from millrace.pending_messages') && started.printed();
      },
      60_000,
    );
  }

  async function processes(): Promise<(Process & { ppid: number })[]> {
    const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,args=']);
    return stdout.split('\n').flatMap((line) => {
      const [, pid, ppid, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return args === undefined ? [] : [{ pid: Number(pid), ppid: Number(ppid), args }];
    });
  }

  /** The embedded server and its guard name the folder; everything else hangs on their parent. */
  const inFolder = async (): Promise<Process[]> => (await processes()).filter(({ args }) => args.includes(dir));

  async function roles(started: Started): Promise<Process[]> {
    const all = await processes();
    return all.filter(({ ppid, args }) => ppid === started.process.pid && args.includes('main.ts'));
  }

  async function state(): Promise<{
    apiToken: string;
    postgresPort: number;
    httpPort: number;
    postgresPassword: string;
  }> {
    return JSON.parse(await readFile(path.join(dir, '.millrace', 'state.json'), 'utf8'));
  }

  async function sql(statement: string, database = 'playground'): Promise<string> {
    const args = [source('cli.ts'), 'sql', '--database', database, statement];
    return (await run(process.execPath, args, { cwd: dir, env: environment() })).stdout;
  }

  it('runs everything, and prints commands that work', async () => {
    const started = start();
    const text = await welcomed(started);
    const { apiToken, postgresPort, httpPort } = await state();
    expect(text).to.contain(`http://127.0.0.1:${httpPort}`).and.to.contain(`127.0.0.1:${postgresPort}`);
    expect(text, 'what is no terminal may be a log').not.to.contain(apiToken);
    const lines = text.split('\n').map((line) => line.trim());
    const receive = lines.filter((line) => line.startsWith('TOKEN=') || line.startsWith('curl ')).join('\n');
    const received = await run('/bin/sh', ['-c', receive], { cwd: dir, env: environment() });
    expect(received.stdout).to.match(/^{"data":\[/);
    expect((await roles(started)).map(({ args }) => args.split(' ').at(-1))).to.have.members([
      'web',
      'worker',
      'capture',
    ]);
    const psql = text.split('\n').filter((line) => line.trimStart().startsWith('psql'));
    for (const command of psql) await run('/bin/sh', ['-c', command], { cwd: dir, env: environment() });
    expect(await sql("insert into orders (customer_id, status) values (1, 'shipped')")).to.equal('INSERT 1\n');
    expect(await sql('select count(*) > 120 as grew from orders')).to.contain(' t');
    await expectPlain();
  });

  /** No session of the service has a superuser's rights; a person's prompt has them in databases that are not ours. */
  async function expectPlain(): Promise<void> {
    const users = await sql(
      `select string_agg(distinct a.usename || ' ' || r.rolsuper, ', ') as users
         from pg_stat_activity a join pg_roles r on r.rolname = a.usename
        where a.application_name like 'millrace%' and a.application_name <> 'millrace sql'`,
      'postgres',
    );
    expect(users).to.contain(' millrace false, playground false\n');
  }

  it('starts a role anew that was killed, and only that one', async () => {
    const started = running.at(-1);
    const all = { process: started, printed: () => '' } as Started;
    const before = await roles(all);
    const victim = before.find(({ args }) => args.endsWith('worker'));
    process.kill(victim!.pid, 'SIGKILL');
    const after = await until('another worker', async () => {
      const now = await roles(all);
      return now.some(({ args, pid }) => args.endsWith('worker') && pid !== victim?.pid) && now;
    });
    const others = (list: Process[]) => list.filter(({ args }) => !args.endsWith('worker')).map(({ pid }) => pid);
    expect(others(after)).to.have.members(others(before));
  });

  it('starts the embedded server anew when it was killed', async () => {
    const server = (await inFolder()).find(({ args }) => args.includes('/postgres -D'));
    process.kill(server!.pid, 'SIGKILL');
    const count = await until(
      'it answers',
      () => sql('select count(*) as n from orders').catch(() => undefined),
      20_000,
    );
    expect(count).to.contain('(1 row)');
  });

  it('ends within ten seconds of Ctrl-C, which reaches the whole group, and leaves nothing running', async () => {
    const child = running.at(-1);
    const before = performance.now();
    process.kill(-child!.pid!, 'SIGINT');
    process.kill(-child!.pid!, 'SIGINT');
    const [code] = await once(child ?? process, 'exit');
    expect(code).to.equal(0);
    expect(performance.now() - before).to.be.lessThan(promised(10_000));
    expect(await inFolder()).to.deep.equal([]);
    expect((await processes()).filter(({ ppid }) => ppid === child?.pid)).to.deep.equal([]);
  });

  it('goes on where it stopped, and leaves nothing running when it is killed', async () => {
    const first = await state();
    const started = start();
    await welcomed(started);
    expect(await state()).to.deep.equal(first);
    expect(await sql('select count(*) > 120 as kept from orders')).to.contain(' t');
    const pids = (await roles(started)).map(({ pid }) => pid);
    expect(pids).to.have.length(3);
    started.process.kill('SIGKILL');
    await until(
      'nothing runs',
      async () => {
        const left = (await processes()).filter(({ pid, args }) => pids.includes(pid) && args.includes('main.ts'));
        return left.length === 0 && (await inFolder()).length === 0;
      },
      20_000,
    );
  });

  it('names every fault of its settings and starts nothing', async () => {
    const env = { ...environment(), PORT: 'x', LOG_LEVEL: 'loud' };
    const failed = await run(process.execPath, [source('main.ts'), 'all'], { cwd: dir, env }).catch(
      (error: unknown) => error,
    );
    expect(failed).to.have.property('code', 1);
    expect(failed)
      .to.have.property('stderr')
      .that.matches(/PORT: .*\n.*LOG_LEVEL: /);
    expect(await inFolder()).to.deep.equal([]);
  });
});
