import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { roleProcess } from '../../src/runtime/role-process.ts';
import { type Stoppable, stopSignal } from '../../src/runtime/stop-signal.ts';
import { until } from '../support/until.ts';

const support = (file: string): string => fileURLToPath(new URL(`../support/processes/${file}`, import.meta.url));

describe('role process', () => {
  let dir: string;
  let notes: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-role-'));
    notes = path.join(dir, 'notes');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const noted = (): string[] => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []);
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const childPid = async (): Promise<number> =>
    await until('the child started', () => Number(noted()[0]?.replace('start ', '')) || undefined);

  function role(name: string, graceMs = 5_000) {
    return roleProcess(name, { entry: support('role-child.ts'), env: { ...process.env, NOTES: notes }, graceMs });
  }

  it('is told by its channel, and has ended when run returns', async () => {
    const stop = new AbortController();
    const running = role('steady').run(stop.signal);
    const pid = await childPid();
    process.kill(pid, 'SIGINT');
    stop.abort();
    await running;
    expect(noted()).to.deep.equal([`start ${pid}`, 'told', 'exit 0']);
    expect(isRunning(pid)).to.equal(false);
  });

  it('has no debugger that a signal could open', async function () {
    if (!existsSync('/proc/self/cmdline')) this.skip();
    const stop = new AbortController();
    const running = role('steady').run(stop.signal);
    const args = readFileSync(`/proc/${await childPid()}/cmdline`, 'utf8').split('\0');
    expect(args).to.include('--disable-sigusr1');
    stop.abort();
    await running;
  });

  it('fails when the child ends by itself, or was told by somebody else', async () => {
    const failure = await role('crash')
      .run(new AbortController().signal)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).and.to.have.property('message', 'the role crash ended by itself (code 1)');
    await rm(notes);
    const running = role('steady').run(new AbortController().signal);
    process.kill(await childPid(), 'SIGTERM');
    const ended = await running.catch((error: unknown) => error);
    expect(ended).to.be.instanceOf(Error).and.to.have.property('message', 'the role steady ended by itself (code 0)');
  });

  it('kills what does not end in its grace', async () => {
    const stop = new AbortController();
    const running = role('blocked', 50).run(stop.signal);
    const pid = await childPid();
    stop.abort();
    await running;
    expect(noted()).to.deep.equal([`start ${pid}`, 'told']);
    expect(isRunning(pid)).to.equal(false);
  });

  for (const name of ['steady', 'slow']) {
    it(`ends when its parent was killed (${name})`, async () => {
      const env = { ...process.env, NOTES: notes };
      const parent: ChildProcess = spawn(process.execPath, [support('role-parent.ts'), name], { env, stdio: 'ignore' });
      await childPid();
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      const last = await until('the child ended', () => noted().find((line) => line.startsWith('exit')));
      expect(last).to.equal(name === 'slow' ? 'exit 1' : 'exit 0');
    });
  }

  it('takes signals on its own, and as a child only the word of its parent', () => {
    const alone = Object.assign(new EventEmitter(), {
      channel: undefined,
      connected: false,
      env: {},
      ppid: 7,
      exit: () => undefined,
    });
    const child = Object.assign(new EventEmitter(), {
      channel: {},
      connected: true,
      env: {},
      ppid: 7,
      exit: () => undefined,
    });
    const told = (target: Stoppable & EventEmitter, ...events: string[]): boolean => {
      const stop = stopSignal(target);
      for (const event of events) target.emit(event);
      return stop.signal.aborted;
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(told(alone, name, name)).to.equal(true);
    expect(told(child, 'SIGINT', 'SIGHUP')).to.equal(false);
    expect(told(child, 'SIGTERM')).to.equal(true);
    expect(told(child, 'disconnect')).to.equal(true);
    child.connected = false;
    expect(told(child)).to.equal(true);
  });

  it('ends under npm when the shell is gone that npm started it in', async () => {
    const target = Object.assign(new EventEmitter(), {
      connected: false,
      env: { npm_lifecycle_event: 'start' },
      ppid: 7,
      exit: () => undefined,
    });
    const stop = stopSignal(target);
    expect(stop.signal.aborted).to.equal(false);
    target.ppid = 1;
    await until('it was told', () => stop.signal.aborted, 2_000);
  });
});
