/**
 * The console is there however one has installed: by each npm, without install scripts, with the build of an older clone, and in the
 * orders of Heroku and of an image. A real `npm ci` each, by what .ci/nodes has fetched: pending without MILLRACE_BUILDS=1, with which that runs it.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../src/runtime/free-port.ts';
import { type Cluster, startCluster } from '../support/postgres/postgres.ts';
import { cleanEnvironment } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NPMS = path.join(ROOT, 'node_modules/.cache/npm');
const NODE_20 = path.join(ROOT, 'node_modules/.cache/nodes/20/node_modules/node/bin/node');
const MILLRACE = path.join('bin', 'millrace');
const DEADLINE_MS = 300_000;

for (const version of [10, 11, 12]) {
  const npm = path.join(NPMS, String(version), 'node_modules/npm/bin/npm-cli.js');

  describe(`the console, installed by npm ${version}`, function () {
    this.timeout(2 * DEADLINE_MS);
    let dir: string;
    let clone: string;
    let running: ChildProcess | undefined;
    let cluster: Cluster | undefined;

    before(async function () {
      // Minutes of real installations, with what .ci/nodes fetches.
      if (process.env.MILLRACE_BUILDS !== '1') this.skip();
      dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-builds-'));
      await chmod(dir, 0o755);
      clone = path.join(dir, 'millrace');
    });
    afterEach(async () => {
      await stop();
      await cluster?.stop();
      cluster = undefined;
    });
    after(async () => {
      if (dir) await rm(dir, { recursive: true, force: true });
    });

    /** With `node` and this npm before all others. */
    async function environment(program: string): Promise<NodeJS.ProcessEnv> {
      const bin = await mkdtemp(path.join(dir, 'bin-'));
      await symlink(program, path.join(bin, 'node'));
      await writeFile(path.join(bin, 'npm'), `#!/bin/sh\nexec '${program}' '${npm}' "$@"\n`);
      await chmod(path.join(bin, 'npm'), 0o755);
      const others = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
      return { ...cleanEnvironment(), HOME: dir, PATH: [bin, ...others].join(':'), HOST: '127.0.0.1' };
    }

    /** What git has, or would take, of these files and folders. */
    async function copySources(...names: string[]): Promise<void> {
      const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', '--', ...names], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      for (const file of listed.split('\0').filter((name) => name !== '' && !name.startsWith('test/')))
        await cp(path.join(ROOT, file), path.join(clone, file));
    }
    async function freshClone(): Promise<void> {
      await rm(clone, { recursive: true, force: true });
      await copySources('.');
    }

    async function run(env: NodeJS.ProcessEnv, command: string, ...words: string[]): Promise<string> {
      const asked = promisify(execFile)(command, words, { cwd: clone, env, maxBuffer: 2 ** 26 });
      const { stdout, stderr } = await asked.catch((error: unknown) => {
        const { stdout: out = '', stderr: bad = '' } = error as { stdout?: string; stderr?: string };
        throw new Error(`${command} ${words.join(' ')}\n${out.slice(-3_000)}\n${bad.slice(-3_000)}`);
      });
      return stdout + stderr;
    }
    /** One process of a platform, on a database of its own. */
    async function ofPlatform(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
      cluster = await startCluster();
      return {
        ...env,
        ...{ NODE_ENV: 'production', DATABASE_URL: cluster.adminUrl },
        ...{ SECRET_KEY: 't5KzQw8RyB1nVh4Xc7LsJf0Gd3MpUa6E', ADMIN_PASSWORD: 'a password for the platform' },
      };
    }
    const buildId = (): Promise<string> => readFile(path.join(clone, 'dist/console/build-id'), 'utf8');

    /** Starts it, and asks for the page until it answers. */
    async function firstAnswer(env: NodeJS.ProcessEnv, command: string, words: string[]) {
      const port = await freePort();
      const child = spawn(command, words, {
        ...{ cwd: clone, env: { ...env, PORT: String(port) }, detached: true },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running = child;
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
      const base = `http://127.0.0.1:${port}`;
      const answer = (status: number): Promise<string> =>
        until(
          `${status} for the page of the console`,
          async () => {
            if (child.exitCode !== null) throw new Error(`it ended:\n${printed.slice(-3_000)}`);
            const reply = await fetch(base, { headers: { accept: 'text/html' } }).catch(() => undefined);
            return reply?.status === status && (await reply.text());
          },
          DEADLINE_MS,
        );
      return { base, answer };
    }

    /** Until the page is there, with what it loads first. */
    async function shows(env: NodeJS.ProcessEnv, command: string, ...words: string[]): Promise<void> {
      const { base, answer } = await firstAnswer(env, command, words);
      const page = await answer(200);
      const script = /<script[^>]+src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
      const asset = await fetch(`${base}${script}`);
      expect([asset.status, asset.headers.get('content-type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
    }

    /** Ctrl-C. */
    async function stop(): Promise<void> {
      const child = running;
      running = undefined;
      if (child?.pid === undefined || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      process.kill(-child.pid, 'SIGINT');
      await ended;
    }

    it('is built by npm ci, and anew by a start where it is that of an older clone', async () => {
      await freshClone();
      const env = await environment(NODE_20);
      await run(env, 'npm', 'ci', '--no-audit', '--no-fund');
      const built = await buildId();
      await shows(env, 'npm', 'start');
      await stop();
      await writeFile(path.join(clone, 'dist/console/build-id'), 'of another one');
      await writeFile(path.join(clone, 'dist/console/index.html'), '<title>old</title>');
      await run(env, 'npm', 'run', 'build');
      expect(await buildId()).to.equal(built);
      await writeFile(path.join(clone, 'dist/console/build-id'), 'of another one');
      await writeFile(path.join(clone, 'dist/console/index.html'), '');
      await shows(env, 'npm', 'start');
      expect(await buildId()).to.equal(built);
    });

    it('is built by the first start after npm ci --ignore-scripts', async () => {
      await freshClone();
      // The Node 24 of the packages is what an install script brings.
      const env = await environment(process.execPath);
      await run(env, 'npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts');
      expect(existsSync(path.join(clone, 'dist'))).to.equal(false);
      await shows(env, 'npm', 'start');
      expect(await buildId()).to.match(/^[0-9a-f]{16}$/);
    });

    it('outlives what Heroku does: npm ci, build, prune, the release phase, the web role alone', async () => {
      await freshClone();
      const env = await environment(process.execPath);
      await run(env, 'npm', 'ci', '--no-audit', '--no-fund');
      const built = await buildId();
      expect(await run(env, 'npm', 'run', '--silent', 'build')).to.equal('');
      await run(env, 'npm', 'prune', '--omit=dev', '--no-audit', '--no-fund');
      expect([existsSync(path.join(clone, 'node_modules/vite')), await buildId()]).to.deep.equal([false, built]);
      const dyno = { ...(await ofPlatform(env)), DYNO: 'web.1' };
      await run(dyno, MILLRACE, 'migrate');
      await shows(dyno, MILLRACE, 'start', 'web');
      // An installation without tools leaves what is there; npm 10 has written the lock file anew, so it may be told.
      await stop();
      expect(await run(env, 'npm', 'run', '--silent', 'prepare')).to.match(
        /^(Vite is not installed .* already stays\n)?$/,
      );
      expect(await buildId()).to.equal(built);
    });

    it('is in an image, where the packages come before the sources, and those of production are installed alone', async () => {
      const env = await environment(process.execPath);
      const packages = async (...words: string[]): Promise<void> => {
        await rm(clone, { recursive: true, force: true });
        await copySources('package.json', 'package-lock.json', '.npmrc');
        await run(env, 'npm', 'ci', '--no-audit', '--no-fund', ...words);
        expect(existsSync(path.join(clone, 'dist'))).to.equal(false);
      };
      await packages();
      await copySources('src');
      await run(env, 'npm', 'run', '--silent', 'build');
      expect(await buildId()).to.match(/^[0-9a-f]{16}$/);
      const dist = path.join(dir, 'dist');
      await cp(path.join(clone, 'dist'), dist, { recursive: true });

      await packages('--omit=dev', '--omit=optional');
      await copySources('bin', 'migrations', 'sql', 'src');
      const container = await ofPlatform(env);
      await run(container, MILLRACE, 'migrate');
      const { base, answer } = await firstAnswer(container, MILLRACE, ['start', 'web']);
      expect(await answer(503)).to.contain('The console is not built: npm run build');
      expect((await fetch(`${base}/api/whoami`)).status).to.equal(401);
      await stop();
      await cp(dist, path.join(clone, 'dist'), { recursive: true });
      await shows(container, MILLRACE, 'start', 'web');
    });

    it('fails no installation without developers’ packages, on any Node, and leaves the build that is there', async () => {
      await freshClone();
      const env = await environment(process.execPath);
      const install = () => run(env, 'npm', 'ci', '--omit=dev', '--no-audit', '--no-fund');
      expect(await install()).to.contain('Vite is not installed (npm ci): the console is not built\n');
      await mkdir(path.join(clone, 'dist/console'), { recursive: true });
      await writeFile(path.join(clone, 'dist/console/build-id'), 'of another one');
      const stays = 'Vite is not installed (npm ci): the console that is built already stays\n';
      expect(await install()).to.contain(stays);
      // Another Node would compile packages anew, for which it needs more than this machine may have.
      expect(await run(await environment(NODE_20), 'npm', 'run', '--silent', 'prepare')).to.equal(stays);
      expect(await buildId()).to.equal('of another one');
    });
  });
}
