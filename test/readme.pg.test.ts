/**
 * README.md from top to bottom: every block of commands as printed, in its order, in a fresh copy, by the oldest Node of
 * this machine. What is put in place of what is printed, and nothing else:
 *
 * - `localhost:5432`, `localhost:9200`, `localhost:7376`: other ports; the server has the password that `docker run` gives;
 * - `docker`: a program that only writes down what it was told, for the servers are there (the engine is a scripted one);
 * - `npm ci`: the packages of this tree, unless MILLRACE_README_NPM=1 (.ci/long);
 * - `ACK_ID`: what the last `receive` has answered.
 *
 * Blocks before the last `bin/millrace start` are one terminal, those after it are a second one, with nothing of the first.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { freePort } from '../src/runtime/free-port.ts';
import { type BulkServer, startBulkServer } from './support/engines/bulk-server.ts';
import { startFront } from './support/engines/front.ts';
import { type Block, blocksOf } from './support/pages.ts';
import { type Cluster, startCluster } from './support/postgres/postgres.ts';
import { nodes } from './support/processes/nodes.ts';
import { cleanEnvironment } from './support/processes/service.ts';
import { until } from './support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const START = 'bin/millrace start\n';
/** Of the welcome: what it shows last. */
const LAST_LINE = /from millrace\.(pending_messages|sink_status).*\n\n/;

describe('README.md', function () {
  this.timeout(300_000);
  let dir: string;
  let clone: string;
  let env: NodeJS.ProcessEnv;
  let mapping: [string, string][];
  let cluster: Cluster;
  let engine: BulkServer;
  let front: Awaited<ReturnType<typeof startFront>>;
  let running: ChildProcess | undefined;
  let ackId = '';

  before(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-readme-'));
    await chmod(dir, 0o755);
    clone = path.join(dir, 'millrace');
    await copyTree();
    cluster = await startCluster();
    engine = await startBulkServer();
    front = await startFront(engine);
    const port = await freePort();
    env = { ...cleanEnvironment(), HOME: dir, PATH: await programs(), HOST: '127.0.0.1', PORT: String(port) };
    mapping = [
      ['localhost:5432', `localhost:${cluster.port}`],
      ['localhost:9200', `localhost:${front.port}`],
      ['localhost:7376', `localhost:${port}`],
    ];
  });
  after(async () => {
    await stop();
    await front?.close();
    await engine?.close();
    await cluster?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** What git has, or would take; no folder that somebody's work has left. */
  async function copyTree(): Promise<void> {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of listed.split('\0').filter((name) => name !== '' && !name.startsWith('test/'))) {
      await cp(path.join(ROOT, file), path.join(clone, file));
    }
  }

  /** PATH without our own `node`. */
  async function programs(): Promise<string> {
    const bin = path.join(dir, 'bin');
    await mkdir(bin);
    const [oldest] = nodes().toSorted((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
    await symlink(oldest!.program, path.join(bin, 'node'));
    await writeFile(path.join(bin, 'docker'), `#!/bin/sh\necho "$*" >> '${path.join(dir, 'docker.log')}'\n`);
    if (process.env.MILLRACE_README_NPM !== '1') {
      const install = `#!/bin/sh\n[ "$*" = ci ] && ln -s '${path.join(ROOT, 'node_modules')}' node_modules\n`;
      await writeFile(path.join(bin, 'npm'), install);
      await chmod(path.join(bin, 'npm'), 0o755);
    }
    await chmod(path.join(bin, 'docker'), 0o755);
    const others = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
    return [bin, ...others].join(':');
  }

  const placed = (text: string): string =>
    mapping.reduce((all, [printed, there]) => all.replaceAll(printed, there), text.replaceAll('ACK_ID', ackId));

  /** In a terminal: what was exported there before is still exported. */
  async function inTerminal(name: string, text: string): Promise<string> {
    const kept = path.join(dir, `terminal-${name}`);
    const script = `[ ! -e '${kept}' ] || . '${kept}'\ncd '${clone}'\nset -e\n${placed(text)}\ndeclare -px > '${kept}'\n`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env }).catch((error: unknown) => {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${text}\n${stdout}\n${stderr}`);
    });
    ackId = /"ack_id":"([^"]+)"/.exec(stdout)?.[1] ?? / ([0-9a-f]{32}-\d+) /.exec(stdout)?.[1] ?? ackId;
    return stdout;
  }

  async function startService(): Promise<string> {
    await stop();
    const kept = path.join(dir, 'terminal-1');
    // A group of its own, as a terminal gives it.
    const script = `[ ! -e '${kept}' ] || . '${kept}'\ncd '${clone}'\nexec ${START}`;
    const child = spawn('bash', ['-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running = child;
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    return await until(
      'the welcome',
      () => {
        if (child.exitCode !== null) throw new Error(`it ended:\n${printed}`);
        return LAST_LINE.test(printed) && printed;
      },
      120_000,
    );
  }

  /** Ctrl-C; the exit code. */
  async function stop(): Promise<number | null> {
    const child = running;
    running = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGINT');
    return await ended;
  }

  const blocks = blocksOf('README.md').filter(({ language }) => language !== '');
  const lastStart = blocks.findLastIndex(({ text }) => text === START);
  const [before_, after_] = [blocks.slice(0, lastStart), blocks.slice(lastStart + 1)];

  async function obey({ language, text }: Block, terminal: string): Promise<string> {
    if (language === 'yaml') {
      await writeFile(path.join(clone, 'millrace.yaml'), placed(text));
      return '';
    }
    if (language === 'sql') {
      const statements = text.trim().split('\n');
      let printed = '';
      for (const one of statements) printed += await inTerminal(terminal, `bin/millrace sql "${one}"`);
      return printed;
    }
    expect(language).to.equal('sh');
    return await inTerminal(terminal, text);
  }

  it('starts everything with two commands', async () => {
    const [install, start] = blocks;
    expect(install).to.include({ language: 'sh', text: 'npm ci\n' });
    expect(start).to.include({ language: 'sh', text: START });
    await obey(install!, '1');
    const printed = await startService();
    // Where the output is no terminal, a line before it reads the token.
    const commands = printed.split('\n').filter((line) => /^ *(TOKEN=|curl )/.test(line));
    expect(await inTerminal('2', commands.join('\n'))).to.contain('"record"');
    expect(await stop()).to.equal(0);
  });

  it('gets from an empty database to a service that runs', async () => {
    for (const block of before_.slice(2)) {
      await obey(block, '1');
      if (block.text.includes('docker run')) await asDockerDoes();
    }
    expect(await readFile(path.join(dir, 'docker.log'), 'utf8')).to.contain('postgres:18 -c wal_level=logical');
    expect(engine.engine.documents('products').size).to.equal(0);
    const printed = await startService();
    expect(printed).to.contain(`database shop on localhost:${cluster.port} as `);
    const looks = printed.split('\n').filter((line) => line.trimStart().startsWith('bin/millrace sql'));
    expect(looks).to.have.length(2);
    const streams = async (): Promise<boolean> => / streaming /.test(await inTerminal('1', looks[0]!));
    await until('it captures', streams, 30_000);
    expect(await inTerminal('1', looks[1]!))
      .to.contain('products-index')
      .and.contain('products-worker');
  });

  it('shows a change in the index, receives it and acknowledges it', async () => {
    const printed: string[] = [];
    for (const block of after_) {
      const waits = block.text.includes('_search');
      const look = async (): Promise<string | false> => {
        const text = await obey(block, '2');
        return (!waits || text.includes('mill wheel')) && text;
      };
      printed.push(await until(block.text, look, 30_000));
    }
    const all = printed.join('\n');
    expect(all).to.contain('{"name":"mill wheel","price":12.5}').and.contain('products-index');
    expect(all).to.contain('"record":{"id":1,"product_name":"mill wheel","price":12.50}');
    expect(all).to.contain('"success":true');
    expect(await stop()).to.equal(0);
  });

  /** The database, the user and the password of its `docker run`. */
  async function asDockerDoes(): Promise<void> {
    const client = new pg.Client({ connectionString: cluster.adminUrl });
    await client.connect();
    await client.query("alter role postgres password 'secret'");
    await client.query('create database shop');
    await client.end();
  }
});
