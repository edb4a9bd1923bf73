import { expect } from 'chai';
import { type Jobs, migrateJobs, openJobs } from '../../src/runtime/jobs.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type MessageDatabase, messageDatabase } from '../support/message-database.ts';
import { until } from '../support/until.ts';

describe('jobs', () => {
  const log = createLog({ level: 'silent', role: 'test' });
  let m: MessageDatabase;
  let seen: unknown[];
  let jobs: Jobs;
  let stop: AbortController;

  before(async () => {
    m = await messageDatabase();
    await migrateJobs(m.db, log);
  });
  after(async () => await m.drop());
  beforeEach(() => {
    seen = [];
    stop = new AbortController();
    const task = async (payload: unknown): Promise<void> => {
      seen.push(payload);
    };
    jobs = openJobs({ db: m.db, log }, { tasks: { note: task }, concurrency: 2 });
  });

  it('are added by who asks while the runner is still on its way up', async () => {
    const added = jobs.add('note', { early: true }, { key: 'early' });
    const running = jobs.run(stop.signal);
    expect(await added).to.equal(true);
    await until('it was done', () => seen.length === 1);
    stop.abort();
    await running;
    expect(seen).to.deep.equal([{ early: true }]);
  });

  it('of one key are there once, and each is done after it was added', async () => {
    const running = jobs.run(stop.signal);
    const later = new Date(Date.now() + 60_000);
    expect(await jobs.add('note', 1, { key: 'same', runAt: later })).to.equal(true);
    expect(await jobs.add('note', 2, { key: 'same' })).to.equal(true);
    await until('the newer one was done', () => seen.length === 1);
    stop.abort();
    await running;
    expect(seen).to.deep.equal([2]);
  });

  it('are not added when there is no runner, nor after the end', async () => {
    const waiting = jobs.add('note', 0, { key: 'late' });
    await jobs.close();
    expect(await waiting).to.equal(false);
    expect(await jobs.add('note', 0, { key: 'late' })).to.equal(false);
  });
});
