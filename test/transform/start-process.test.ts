import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { confinement } from '../../src/transform/confinement.ts';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { confined } from '../../src/transform/start-process.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';
import { until } from '../support/until.ts';

/** Neither there nor a zombie that nobody has collected yet. */
function isGone(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('Z');
  } catch {
    return true;
  }
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

describe('the process behind the sandbox', function () {
  this.timeout(120_000);

  const started = async () => {
    const log = recordingLog();
    const sandbox = openSandbox({ log });
    await sandbox.shape({ transform: code('(a, r) => r') }, [message('{}')], { replaces: false });
    const pids = () => log.notes.flatMap(({ fields }) => ('pid' in fields ? [Number(fields.pid)] : []));
    return { sandbox, log, pids };
  };

  it('starts with the first use, and is gone after close', async () => {
    const log = recordingLog();
    const idle = openSandbox({ log });
    await idle.close();
    expect(log.notes).to.deep.equal([]);
    const { sandbox, pids } = await started();
    expect(pids()).to.have.length(1);
    expect(isGone(pids()[0]!)).to.equal(false);
    await sandbox.close();
    await sandbox.close();
    expect(isGone(pids()[0]!)).to.equal(true);
  });

  it('has no environment', async () => {
    process.env.MILLRACE_TEST_SECRET = 'secret';
    const { sandbox, pids } = await started();
    delete process.env.MILLRACE_TEST_SECRET;
    const names = readFileSync(`/proc/${pids()[0]}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    expect(names.filter((name) => name !== '' && !name!.startsWith('NODE_CHANNEL'))).to.deep.equal([]);
    await sandbox.close();
  });

  it('is an account of its own when we are root', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const { sandbox, log, pids } = await started();
    const uids = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pids()[0]}/status`, 'utf8'))![1]!.split('\t');
    expect(new Set(uids)).to.deep.equal(new Set([String(confinement().account)]));
    expect(uids[0]).not.to.equal(String((await serverAccount()).uid));
    expect(log.notes[0]!.fields).to.include({ same_account: false });
    await sandbox.close();
  });

  it('says that it cannot be started when no more files can be opened', function () {
    if (process.platform === 'win32') this.skip();
    const script = `
      import { closeSync, openSync } from 'node:fs';
      const { startProcess } = await import(${JSON.stringify(here('../../src/transform/start-process.ts'))});
      const { LIMITS } = await import(${JSON.stringify(here('../../src/transform/protocol/limits.ts'))});
      const files = [];
      try {
        for (;;) files.push(openSync('/dev/null'));
      } catch {}
      closeSync(files.pop());
      const exited = (why) => {
        for (const file of files) closeSync(file);
        process.stdout.write(why, () => process.exit(0));
      };
      startProcess({ message() {}, exited }, LIMITS).send({ kind: 'limits', limits: LIMITS });`;
    const few = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script];
    expect(execFileSync('sh', few, { encoding: 'utf8' })).to.match(/EMFILE/);
  });

  for (const layout of ['in a folder that is a link', 'each a link of its own'] as const) {
    it(`starts with the packages ${layout}`, async () => {
      const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'millrace-links-')));
      const packages = here('../../node_modules');
      for (const room of ['transform', 'runtime', 'model'])
        cpSync(here(`../../src/${room}`), path.join(root, 'src', room), { recursive: true });
      cpSync(here('../../package.json'), path.join(root, 'package.json'));
      if (layout === 'in a folder that is a link') symlinkSync(packages, path.join(root, 'node_modules'));
      else {
        // As pnpm lays them out: each package beside links to what it needs.
        const store = path.join(root, 'store/node_modules');
        cpSync(path.join(packages, 'isolated-vm'), path.join(store, 'isolated-vm'), { recursive: true });
        symlinkSync(path.join(packages, 'node-gyp-build'), path.join(store, 'node-gyp-build'));
        mkdirSync(path.join(root, 'node_modules'));
        symlinkSync(path.join(store, 'isolated-vm'), path.join(root, 'node_modules/isolated-vm'));
      }
      const { openSandbox: openThere } = await import(path.join(root, 'src/transform/sandbox.ts'));
      const sandbox: ReturnType<typeof openSandbox> = openThere({ log: recordingLog() });
      const shaped = await sandbox.shape({ transform: code('(a, r: object) => r') }, [message('{"a":1}')], {
        replaces: false,
      });
      expect(shaped).to.deep.equal([{ kept: true, body: '{"a":1}' }]);
      await sandbox.close();
      rmSync(root, { recursive: true });
    });
  }

  it('reads no files, writes none, and starts no processes or threads', async () => {
    const probe = here('./confined-probe.ts');
    const child: ChildProcess = fork(probe, [], confined([probe], []));
    const [{ outcomes, environment }] = (await once(child, 'message')) as [
      { outcomes: Record<string, string>; environment: object },
    ];
    for (const [attempt, outcome] of Object.entries(outcomes)) expect(outcome, attempt).to.equal('ERR_ACCESS_DENIED');
    expect(Object.keys(outcomes)).to.have.length(6);
    expect(environment).to.deep.equal({});
    await once(child, 'exit');
  });

  it('dies when its parent dies, even in the middle of a loop', async () => {
    const parent = fork(here('./orphan-probe.ts'), [], { execArgv: ['--no-warnings'] });
    const [{ pid }] = (await once(parent, 'message')) as [{ pid: number }];
    expect(isGone(pid)).to.equal(false);
    parent.kill('SIGKILL');
    await until('it is gone', () => isGone(pid));
  });

  it('is replaced when it is killed, and nothing is lost', async () => {
    const { sandbox, pids } = await started();
    const inputs = Array.from({ length: 2_000 }, (_item, n) => message(`{"n":${n}}`));
    const shaping = sandbox.shape({ transform: code('(a, r) => r.n') }, inputs, { replaces: false });
    process.kill(pids()[0]!, 'SIGKILL');
    const shaped = await shaping;
    expect(shaped.map((one) => one.body)).to.deep.equal(inputs.map((_input, n) => String(n)));
    expect(pids()).to.have.length(2);
    await sandbox.close();
  });

  it('ends itself when it takes too much memory', async () => {
    const log = recordingLog();
    const sandbox = openSandbox({
      log,
      limits: { processMb: 128, isolateMb: 1_000, messageMs: 60_000, silenceMs: 60_000 },
    });
    const bomb = code('(a, r) => { const all = []; while (r.evil) all.push([all.length]); return 1 }');
    const inputs = [message('{}'), message('{"evil":true}'), message('{}')];
    const shaped = await sandbox.shape({ transform: bomb }, inputs, { replaces: false });
    expect(shaped.map((one) => one.error?.kind ?? one.body)).to.deep.equal(['1', 'killed', '1']);
    await sandbox.close();
  });

  it('takes no more memory for more messages, and has no means for it that a function could use', async () => {
    const log = recordingLog();
    const sandbox = openSandbox({ log, limits: { processMb: 256 } });
    const transform = code('(a, r) => typeof gc + "x".repeat(r.length)');
    const inputs = Array.from({ length: 1_000 }, () => message('{"length":9000}'));
    for (let round = 0; round < 40; round += 1) {
      const shaped = await sandbox.shape({ transform }, inputs, { replaces: false });
      expect(shaped.filter(({ body }) => body?.startsWith('"undefinedxxx'))).to.have.length(inputs.length);
    }
    expect(log.notes.map(({ level }) => level)).to.deep.equal(['info']);
    await sandbox.close();
  });

  it('does not end for memory that is garbage by now', async () => {
    const log = recordingLog();
    const sandbox = openSandbox({ log, limits: { processMb: 210 } });
    const transform = code('(a, r) => "x".repeat(r.length)');
    const inputs = Array.from({ length: 1_000 }, () => message('{"length":9000}'));
    for (let round = 0; round < 20; round += 1) await sandbox.shape({ transform }, inputs, { replaces: false });
    expect(log.notes.map(({ level }) => level)).to.deep.equal(['info']);
    await sandbox.close();
  });

  it('fails what is still running when it is closed', async () => {
    const sandbox = openSandbox({ log: recordingLog() });
    const running = sandbox.shape({ transform: code('() => { for (;;); }') }, [message('{}')], { replaces: false });
    const caught = running.then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    await sandbox.close();
    expect(await caught).to.equal('unavailable');
    const late = await sandbox
      .shape({ transform: code('() => 1') }, [message('{}')], { replaces: false })
      .catch((error) => error);
    expect(late).to.have.property('code', 'unavailable');
  });

  it('lets a slow function delay only its own', async () => {
    const { sandbox } = await started();
    const order: string[] = [];
    const slow = sandbox
      .shape(
        { transform: code('() => { const t = Date.now(); while (Date.now() - t < 60); return 1 }') },
        Array.from({ length: 8 }, () => message('{}')),
        { replaces: false },
      )
      .then(() => order.push('slow'));
    const quick = sandbox
      .shape({ transform: code('() => 1') }, [message('{}')], { replaces: false })
      .then(() => order.push('quick'));
    await Promise.all([slow, quick]);
    expect(order).to.deep.equal(['quick', 'slow']);
    await sandbox.close();
  });

  it('accepts no more than its queue, and takes the rest in turn', async () => {
    const sandbox = openSandbox({ log: recordingLog(), limits: { queuedMessages: 10, chunkMessages: 4 } });
    const inputs = Array.from({ length: 103 }, (_item, n) => message(`{"n":${n}}`));
    const shaped = await sandbox.shape({ transform: code('(a, r) => r.n') }, inputs, { replaces: false });
    expect(shaped.map((one) => one.body)).to.deep.equal(inputs.map((_input, n) => String(n)));
    await sandbox.close();
  });
});
