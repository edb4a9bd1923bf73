import { expect } from 'chai';
import { createLog } from '../../src/runtime/log.ts';
import { type Service, supervise } from '../../src/runtime/service.ts';
import { until } from '../support/until.ts';

const lines: string[] = [];
const log = createLog({ level: 'info', write: (line) => lines.push(line) });

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function recorder(name: string, events: string[], run?: (signal: AbortSignal) => Promise<void>): Service {
  return {
    name,
    run: async (signal) => {
      events.push(`run ${name}`);
      await (run ?? untilAborted)(signal);
      events.push(`end ${name}`);
    },
    close: async () => {
      events.push(`close ${name}`);
    },
  };
}

describe('supervise', () => {
  beforeEach(() => lines.splice(0));

  it('starts in order and closes last-in first-out, each ended before it is closed', async () => {
    const events: string[] = [];
    const stop = new AbortController();
    const services = ['a', 'b', 'c'].map((name) => recorder(name, events));
    const supervisor = supervise(services, { log, backoff: () => 1 });
    const running = supervisor.run(stop.signal);
    await until('all run', () => events.length === 3);
    stop.abort();
    await Promise.all([running, supervisor.close(), supervisor.close()]);
    const expected = ['run a', 'run b', 'run c', 'end c', 'close c', 'end b', 'close b', 'end a', 'close a'];
    expect(events).to.deep.equal(expected);
    expect(supervisor.state().map(({ state }) => state)).to.deep.equal(['stopped', 'stopped', 'stopped']);
  });

  it('runs a failed service again after its back-off, and leaves the others alone', async () => {
    const events: string[] = [];
    const waits: number[] = [];
    let runs = 0;
    const failing = recorder('failing', [], async (signal) => {
      runs += 1;
      if (runs === 2) return;
      if (runs < 4) throw new Error('out of luck');
      await untilAborted(signal);
    });
    const supervisor = supervise(
      [recorder('steady', events), failing],
      { log, backoff: (attempt) => attempt * 10, sleep: async (ms) => void waits.push(ms) },
      {},
    );
    const stop = new AbortController();
    const running = supervisor.run(stop.signal);
    await until('the fourth run', () => runs === 4);
    expect(waits).to.deep.equal([10, 20, 30]);
    expect(supervisor.state()[1]).to.deep.equal({ name: 'failing', state: 'running', restarts: 3 });
    expect(events).to.deep.equal(['run steady']);
    expect(lines.join('')).to.contain('out of luck').and.to.contain('ended by itself');
    stop.abort();
    await running;
  });

  it('begins the back-off anew after a steady run', async () => {
    const waits: number[] = [];
    let now = 0;
    let runs = 0;
    const service = recorder('s', [], async (signal) => {
      runs += 1;
      if (runs === 3) now += 60_000;
      if (runs < 5) throw new Error('again');
      await untilAborted(signal);
    });
    const deps = { log, backoff: (n: number) => n, now: () => now, sleep: async (ms: number) => void waits.push(ms) };
    const supervisor = supervise([service], deps);
    const running = supervisor.run(new AbortController().signal);
    await until('the fifth run', () => runs === 5);
    expect(waits).to.deep.equal([1, 2, 1, 2]);
    await supervisor.close();
    await running;
  });

  it('stops while a service waits for its next try', async () => {
    const supervisor = supervise([recorder('s', [], async () => Promise.reject(new Error('no')))], {
      log,
      backoff: () => 3_600_000,
    });
    const running = supervisor.run(new AbortController().signal);
    await until('waiting', () => supervisor.state()[0]?.state === 'waiting');
    await supervisor.close();
    await running;
  });

  it('leaves one behind that does not end, and closes the rest', async () => {
    const events: string[] = [];
    const stuck = recorder('stuck', events, () => new Promise(() => undefined));
    const supervisor = supervise([recorder('a', events), stuck], { log, backoff: () => 1 }, { graceMs: 40 });
    const running = supervisor.run(new AbortController().signal);
    await supervisor.close();
    await running;
    expect(events).to.deep.equal(['run a', 'run stuck', 'end a', 'close a']);
    expect(lines.join('')).to.contain('did not end in time').and.to.contain('stuck');
  });

  it('closes what never ran, and does not run after it was closed', async () => {
    const events: string[] = [];
    const supervisor = supervise([recorder('a', events)], { log, backoff: () => 1 });
    await supervisor.close();
    await supervisor.run(new AbortController().signal);
    expect(events).to.deep.equal(['close a']);
  });
});
