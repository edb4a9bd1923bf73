import { expect } from 'chai';
import { openDeliveries } from '../../src/deliver/schedule.ts';
import type { Jobs } from '../../src/runtime/jobs.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { addPullSink } from '../support/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/message-database.ts';
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
      db: on.db,
      jobs: () => jobs,
      targets: { get: () => Promise.resolve(undefined), refresh: () => undefined, close: () => Promise.resolve() },
      lane: { db: on.db, sandbox, log, now: Date.now, random: Math.random, onSettled: () => undefined },
      log,
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
});
