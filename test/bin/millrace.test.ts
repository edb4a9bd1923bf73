/** The command on every Node of this machine: it becomes the Node that can run it, or says in one sentence what to do. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Node, nodes } from '../support/processes/nodes.ts';
import { until } from '../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OURS: Node = { version: process.version, program: process.execPath };
const OTHERS = nodes().filter(({ version }) => version !== OURS.version);

/** Stands where the CLI would, and says what it got. */
const ECHO = `
import { stopSignal } from '${path.join(ROOT, 'src/runtime/stop-signal.ts')}';
const said = { argv: process.argv.slice(2), cwd: process.cwd(), execArgv: process.execArgv, version: process.version, pid: process.pid, compiled: process.env.NODE_COMPILE_CACHE };
const [verb, value] = said.argv;
if (verb === 'exit') process.exit(Number(value));
if (verb === 'die') process.kill(process.pid, value);
if (verb === 'cat') process.stdin.pipe(process.stdout);
if (verb === 'wait') {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { console.log('got ' + signal); process.exit(42); });
  if (process.send) process.on('disconnect', () => process.exit(43));
  stopSignal(process).signal.addEventListener('abort', () => process.exit(44));
  setInterval(() => {}, 1000);
}
if (verb !== 'cat') console.log(JSON.stringify(said));
`;

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

interface Said {
  argv: string[];
  cwd: string;
  execArgv: string[];
  version: string;
  pid: number;
  compiled?: string;
}

describe('npm ci on Node 20', () => {
  it('warns once, of Millrace itself: packages ask for nothing that the Node which comes along does not have', () => {
    const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { engines?: { node?: string } }>;
    };
    const tooNew = Object.entries(lock.packages).filter(
      ([name, { engines }]) => name !== '' && />=? ?2[1-9]/.test(engines?.node?.split('||')[0] ?? ''),
    );
    // An update puts it back: delete these `engines` from package-lock.json, and npm is quiet again.
    expect(tooNew.map(([name]) => name)).to.deep.equal([]);
  });
});

describe('bin/millrace', function () {
  this.timeout(120_000);
  let dir: string;
  let launcher: string;
  const running: ChildProcess[] = [];

  before(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "millrace's bin "));
    launcher = await tree(path.join(dir, 'a clone'), process.execPath);
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  /** A tree as npm leaves it, with the echo as CLI; the path of its command. */
  async function tree(at: string, bundled: string | undefined, version = process.version.slice(1)): Promise<string> {
    for (const folder of ['bin', 'src', 'node_modules/commander'])
      await mkdir(path.join(at, folder), { recursive: true });
    for (const file of ['millrace', 'package.json'])
      await copyFile(path.join(ROOT, 'bin', file), path.join(at, 'bin', file));
    await chmod(path.join(at, 'bin/millrace'), 0o755);
    await writeFile(path.join(at, 'package.json'), '{ "type": "module" }');
    await writeFile(path.join(at, 'src/cli.ts'), ECHO);
    if (bundled !== undefined) {
      await mkdir(path.join(at, 'node_modules/node/bin'), { recursive: true });
      await writeFile(path.join(at, 'node_modules/node/package.json'), JSON.stringify({ version }));
      if (bundled !== '') await symlink(bundled, path.join(at, 'node_modules/node/bin/node'));
    }
    return path.join(at, 'bin/millrace');
  }

  function start(node: Node, args: string[], options: { cwd?: string; forked?: boolean } = {}): ChildProcess {
    const stdio =
      options.forked === true ? (['pipe', 'pipe', 'pipe', 'ipc'] as const) : (['pipe', 'pipe', 'pipe'] as const);
    const child = spawn(node.program, args, { cwd: options.cwd ?? dir, stdio: [...stdio] });
    running.push(child);
    return child;
  }

  function hear(child: ChildProcess): { out: () => string; end: Promise<Ended> } {
    const heard = { out: '', err: '' };
    child.stdout?.on('data', (chunk) => (heard.out += chunk));
    child.stderr?.on('data', (chunk) => (heard.err += chunk));
    const end = new Promise<Ended>((resolve) => {
      // `close` does not come where we close the channel ourselves.
      child.once(child.channel === undefined ? 'close' : 'exit', (code, signal) => resolve({ code, signal, ...heard }));
    });
    return { out: () => heard.out, end };
  }

  const run = async (node: Node, args: string[], options: { cwd?: string } = {}): Promise<Ended> =>
    await hear(start(node, args, options)).end;

  async function waiting(
    node: Node,
    options: { forked?: boolean } = {},
  ): Promise<{ child: ChildProcess; said: Said; end: Promise<Ended> }> {
    const child = start(node, [launcher, 'wait'], options);
    const heard = hear(child);
    const line = await until('it runs', () => heard.out().includes('\n') && heard.out());
    return { child, said: JSON.parse(line) as Said, end: heard.end };
  }

  const isThere = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  function suite(node: Node): void {
    it('runs Node 24 with its flags, and hands arguments and folder through', async () => {
      const args = ['say', 'a b', '', "it's", '--', '--x=$(y) "z"', 'ü'];
      const ended = await run(node, [launcher, ...args], { cwd: path.join(dir, 'a clone/src') });
      const said = JSON.parse(ended.out) as Said;
      expect(said).to.deep.include({ argv: args, cwd: path.join(dir, 'a clone/src'), version: process.version });
      expect(said.execArgv).to.include.members(['--disable-sigusr1', '--max-semi-space-size=8']);
      expect(ended).to.deep.include({ code: 0, signal: null, err: '' });
    });

    it('has Node keep what it compiles beside the packages, or where NODE_COMPILE_CACHE says', async () => {
      const { NODE_COMPILE_CACHE: _, ...env } = process.env;
      const compiled = async (more: NodeJS.ProcessEnv): Promise<string | undefined> => {
        const child = spawn(node.program, [launcher, 'say'], { env: { ...env, ...more } });
        return (JSON.parse((await hear(child).end).out) as Said).compiled;
      };
      expect(await compiled({})).to.equal(path.join(dir, 'a clone/node_modules/.cache/node'));
      expect(await compiled({ NODE_COMPILE_CACHE: dir })).to.equal(dir);
    });

    it('ends as the command ends', async () => {
      expect(await run(node, [launcher, 'exit', '7'])).to.deep.include({ code: 7, signal: null, err: '' });
      expect(await run(node, [launcher, 'die', 'SIGKILL'])).to.deep.include({ code: null, signal: 'SIGKILL' });
      expect(await run(node, [launcher, 'die', 'SIGTERM'])).to.deep.include({ code: null, signal: 'SIGTERM' });
    });

    it('hands standard input through to its end', async () => {
      const child = start(node, [launcher, 'cat']);
      const heard = hear(child);
      const text = 'x'.repeat(300_000);
      child.stdin!.end(text);
      expect(await heard.end).to.deep.include({ code: 0, out: text });
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      it(`hands ${signal} through`, async () => {
        const { child, said, end } = await waiting(node);
        child.kill(signal);
        const ended = await end;
        expect(ended.code).to.equal(42);
        expect(ended.out).to.contain(`got ${signal}`);
        expect(isThere(said.pid)).to.equal(false);
      });
    }

    it('keeps the channel to a parent', async () => {
      const { child, end } = await waiting(node, { forked: true });
      child.disconnect();
      expect((await end).code).to.equal(43);
    });

    it('is found through links', async () => {
      const linked = path.join(dir, `linked from ${node.version}`);
      const again = `${linked} again`;
      await symlink(launcher, linked);
      await symlink(linked, again);
      expect(JSON.parse((await run(node, [again, 'say'])).out)).to.deep.include({ argv: ['say'] });
    });
  }

  describe(`on ${OURS.version}`, () => suite(OURS));

  it('is run by the shell as it stands', async () => {
    const path_ = `${path.dirname(process.execPath)}:${process.env.PATH}`;
    const child = spawn('/bin/sh', ['-c', 'bin/millrace say hello'], {
      cwd: path.join(dir, 'a clone'),
      env: { ...process.env, PATH: path_ },
    });
    expect(JSON.parse((await hear(child).end).out)).to.deep.include({ argv: ['say', 'hello'] });
  });

  it('says that the packages are missing', async () => {
    const bare = await tree(path.join(dir, 'bare'), undefined);
    await rm(path.join(dir, 'bare/node_modules'), { recursive: true });
    const ended = await run(OURS, [bare, 'say']);
    expect(ended).to.deep.include({ code: 1, out: '', err: 'Millrace is not installed yet. Run: npm ci\n' });
  });

  if (OTHERS.length === 0) {
    it('on an older Node (skipped: this machine has no other one)', function () {
      this.skip();
    });
  }
  for (const node of OTHERS) {
    describe(`on ${node.version}`, () => {
      suite(node);

      const wanted = node.version.startsWith('v24.') ? '24.7' : '24';
      const sentence = `Millrace needs Node ${wanted}, this is ${node.version}. Run: npm ci\n`;

      it('says that it needs Node 24 where the package is missing or too old', async () => {
        const without = await tree(path.join(dir, `no node on ${node.version}`), undefined);
        expect(await run(node, [without, 'say'])).to.deep.equal({ code: 1, signal: null, out: '', err: sentence });
        const old = await tree(path.join(dir, `an old node on ${node.version}`), node.program, '24.6.0');
        expect(await run(node, [old, 'say'])).to.deep.equal({ code: 1, signal: null, out: '', err: sentence });
      });

      it('says what to do where npm ran no install scripts', async () => {
        const unpacked = await tree(path.join(dir, `scripts off on ${node.version}`), '');
        const ended = await run(node, [unpacked, 'say']);
        expect(ended).to.deep.include({ code: 1, out: '' });
        expect(ended.err).to.equal(
          `Millrace needs Node ${wanted}, this is ${node.version}. Run: npm rebuild --ignore-scripts=false\n`,
        );
      });

      it('leaves nothing running when it is killed itself', async () => {
        const { child, said, end } = await waiting(node);
        child.kill('SIGKILL');
        await until('nothing runs', () => !isThere(said.pid));
        await end;
      });
    });
  }
});
