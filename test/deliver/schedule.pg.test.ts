import { expect } from 'chai';
import type { Jobs } from '../../src/db/jobs.ts';
import { DELIVERIES, openDeliveries } from '../../src/deliver/schedule.ts';
import { LANE_TTL_MS } from '../../src/deliver/settle.ts';
import type { Sink } from '../../src/model/sink.ts';
import { STALL_MS } from '../../src/roles/worker.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { addPullSink, addPushSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

describe('the schedule of lanes', () => {
  let on: MessageDatabase;
  before(async () => {
    on = await messageDatabase();
  });
  after(async () => await on.drop());

  it('asks for a lane again when another worker took its job and is gone, and not with each of a flood of news', async () => {
    const { no } = await addPullSink(on.db, { name: 'shaped', lanes: 1 });
    const log = createLog({ level: 'silent', role: 'test' });
    const sandbox = openSandbox({ log });
    let added = 0;
    // Jobs that somebody else runs: nothing comes back to us.
    const jobs: Jobs = {
      name: 'jobs',
      run: () => Promise.resolve(),
      close: () => Promise.resolve(),
      add: () => {
        added += 1;
        return Promise.resolve(true);
      },
    };
    const deliveries = openDeliveries({
      jobs: () => jobs,
      targets: {
        get: () => Promise.resolve(undefined),
        isCurrent: () => Promise.resolve(true),
        refresh: () => undefined,
        close: () => Promise.resolve(),
      },
      lane: { db: on.db, sandbox, log, now: Date.now, random: Math.random },
      owner: 'us',
    });
    try {
      for (let news = 0; news < 50; news += 1) deliveries.onNews([no]);
      await until('the first job', () => added > 0);
      expect(added).to.equal(1);
      await until('another job, without a sweep', () => {
        deliveries.onNews([no]);
        return added > 1;
      });
    } finally {
      await deliveries.close();
      await sandbox.close();
    }
  });

  it('opens a change table when it is declared, before there is anything to write', async () => {
    const { no } = await addPushSink(on.db, { name: 'declared', kind: 'change_table' });
    const log = createLog({ level: 'silent', role: 'test' });
    const sandbox = openSandbox({ log });
    const added: unknown[] = [];
    let up = false;
    const jobs: Jobs = {
      name: 'jobs',
      run: () => Promise.resolve(),
      close: () => Promise.resolve(),
      add: (_task, payload) => {
        if (up) added.push(payload);
        return Promise.resolve(up);
      },
    };
    const deliveries = openDeliveries(
      {
        jobs: () => jobs,
        targets: {
          get: () => Promise.resolve(undefined),
          isCurrent: () => Promise.resolve(true),
          refresh: () => undefined,
          close: () => Promise.resolve(),
        },
        lane: { db: on.db, sandbox, log, now: Date.now, random: Math.random },
        owner: 'us',
      },
      { ...DELIVERIES, sweepMs: 20 },
    );
    const stop = new AbortController();
    const running = deliveries.run(stop.signal);
    up = true;
    try {
      await until('its lane is asked for, as soon as the jobs are up', () => added.length > 0);
      expect(added).to.deep.equal([{ sink: no, lane: 0 }]);
      deliveries.onCatalog();
      await until('and again, when the catalog has changed', () => {
        if (added.length === 1) deliveries.onCatalog();
        return added.length > 1;
      });
    } finally {
      stop.abort();
      await running;
      await sandbox.close();
      await on.db.query('delete from millrace_private.sinks where no = $1', [no]);
    }
  });

  it('asks at once for a lane whose lease ended under way, without waiting for a sweep', async () => {
    const { no, name } = await addPushSink(on.db, { name: 'lapsed', kind: 'search_index' });
    await appendMessages(on.db, no, [{ group: 1 }]);
    const log = createLog({ level: 'silent', role: 'test' });
    const sandbox = openSandbox({ log });
    const added: (Date | undefined)[] = [];
    const jobs: Jobs = {
      name: 'jobs',
      run: () => Promise.resolve(),
      close: () => Promise.resolve(),
      add: (_task, _payload, { runAt }) => {
        added.push(runAt);
        return Promise.resolve(true);
      },
    };
    const sink: Sink = {
      batchSize: 10,
      batchBytes: 1_000,
      async send(batch) {
        await on.db.query('update millrace_private.lanes set until = clock_timestamp() where sink_no = $1', [no]);
        return { outcomes: batch.map(() => ({ kind: 'done' })) };
      },
      test: () => Promise.resolve(undefined),
      close: () => Promise.resolve(),
    };
    const target = laneSink({ no, name, sink });
    const deliveries = openDeliveries({
      jobs: () => jobs,
      targets: {
        get: () => Promise.resolve(target),
        isCurrent: () => Promise.resolve(true),
        refresh: () => undefined,
        close: () => Promise.resolve(),
      },
      lane: { db: on.db, sandbox, log, now: Date.now, random: Math.random },
      owner: 'us',
    });
    await deliveries.task({ sink: no, lane: 0 }, new AbortController().signal);
    expect(added).to.deep.equal([undefined]);
    await sandbox.close();
  });

  it('leaves a lane to the next sweep when the message database does not answer, and hides no other fault', async () => {
    const log = createLog({ level: 'silent', role: 'test' });
    const sandbox = openSandbox({ log });
    const run = async (fault: Error): Promise<unknown> => {
      let added = 0;
      const jobs: Jobs = {
        name: 'jobs',
        run: () => Promise.resolve(),
        close: () => Promise.resolve(),
        add: () => {
          added += 1;
          return Promise.resolve(true);
        },
      };
      const deliveries = openDeliveries({
        jobs: () => jobs,
        targets: {
          get: () => Promise.reject(fault),
          isCurrent: () => Promise.resolve(true),
          refresh: () => undefined,
          close: () => Promise.resolve(),
        },
        lane: { db: on.db, sandbox, log, now: Date.now, random: Math.random },
        owner: 'us',
      });
      const ended = await deliveries.task({ sink: 1, lane: 0 }, new AbortController().signal).then(
        () => 'waits',
        (error: unknown) => error,
      );
      expect(added).to.equal(0);
      return ended;
    };
    expect(await run(new Error('timeout exceeded when trying to connect'))).to.equal('waits');
    const broken = new Error('a mistake of ours');
    expect(await run(broken)).to.equal(broken);
    await sandbox.close();
  });

  it('has a stalled worker off its lanes within 45 s: its transactions end first, then its leases, then a sweep', () => {
    expect(STALL_MS).to.be.lessThan(LANE_TTL_MS - LANE_TTL_MS / 3);
    expect(LANE_TTL_MS + DELIVERIES.sweepMs).to.be.at.most(45_000);
  });

  it('a quiet lane gives its place up while others wait for one, and lingers otherwise', async () => {
    const { no, name } = await addPullSink(on.db, { name: 'quiet', lanes: 1 });
    const log = createLog({ level: 'silent', role: 'test' });
    const sandbox = openSandbox({ log });
    const sink = {
      batchSize: 1,
      batchBytes: 1,
      send: () => Promise.reject(new Error('there is nothing to send')),
      test: () => Promise.resolve(undefined),
      close: () => Promise.resolve(),
    };
    const target = laneSink({ no, name, sink, shapes: true });
    const msOf = async (crowded: boolean): Promise<number> => {
      const begun = performance.now();
      await runOnce(
        { db: on.db, sandbox },
        { target, lane: 1, owner: `us ${crowded}`, runMs: 60_000, lingerMs: 2_000, crowded: () => crowded },
      );
      return performance.now() - begun;
    };
    expect(await msOf(true)).to.be.lessThan(1_800);
    expect(await msOf(false)).to.be.at.least(2_000);
    await sandbox.close();
  });
});
