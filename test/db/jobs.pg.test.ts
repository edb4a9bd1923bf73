import { expect } from 'chai';
import { type Jobs, migrateJobs, openJobs } from '../../src/db/jobs.ts';
import { openPool } from '../../src/db/pool.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { execute, sharedCluster } from '../support/postgres/postgres.ts';
import { startPostgresRelay } from '../support/postgres/postgres-relay.ts';
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

  /** Whether the message database accepts connections; if not, the runner's own are ended too. */
  const accept = async (connections: boolean): Promise<void> => {
    const { adminUrl } = await sharedCluster();
    const name = new URL(m.url).pathname.slice(1);
    await execute(adminUrl, `alter database ${name} allow_connections ${connections}`);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name = 'jobs'`;
    if (!connections) await execute(adminUrl, end);
  };
  for (const [end, { failing = false, closed = false }] of [
    ['well while the database is away', {}],
    ['badly while the database is away', { failing: true }],
    ['well while the database accepts no connections', { closed: true }],
  ] as const) {
    it(`that end ${end} harm nobody, and are written down when it is back`, async () => {
      const relay = await startPostgresRelay(m.url);
      const db = openPool({ address: relay.url, max: 4, applicationName: 'jobs', path: 'role' });
      const added = Promise.withResolvers<void>();
      const task = async (): Promise<void> => {
        // It may run before whoever added it has the answer, which comes by the same way.
        await added.promise;
        await (closed ? accept(false) : relay.leave());
        seen.push('away');
        if (failing) throw new Error('it failed');
      };
      const lines: string[] = [];
      const heard = createLog({ level: 'debug', role: 'test', write: (line) => lines.push(line) });
      const cut = openJobs({ db, log: heard }, { tasks: { cut: task }, concurrency: 2 });
      const running = cut.run(stop.signal);
      try {
        expect(await cut.add('cut', {}, { key: 'cut' })).to.equal(true);
        added.resolve();
        await until('it ran', () => seen.length === 1);
        const refused = (): number => lines.filter((line) => line.includes('could not be written down')).length;
        await until('writing it down has failed several times', () => refused() >= 3);
        await (closed ? accept(true) : relay.comeBack());
        await until('it is written down', async () => {
          const { rows } = await m.db.query<{ open: boolean }>(
            'select exists (select from millrace_jobs.jobs j where j.locked_at is not null) as open',
          );
          return rows[0]?.open === false;
        });
      } finally {
        stop.abort();
        await running;
        await cut.close();
        await db.close();
        await relay.close();
      }
    });
  }

  it('go on when all connections of their pool have died silently', async () => {
    const relay = await startPostgresRelay(m.url);
    const options = { address: relay.url, max: 4, least: 3, applicationName: 'jobs', path: 'role' } as const;
    const db = openPool({ ...options, queryTimeoutMs: 1_000 });
    const stalled = Promise.withResolvers<void>();
    const task = async (payload: unknown): Promise<void> => {
      seen.push(payload);
      await stalled.promise;
    };
    const many = openJobs({ db, log }, { tasks: { many: task }, concurrency: 4 });
    const running = many.run(stop.signal);
    try {
      for (const key of ['a', 'b', 'c', 'd']) await many.add('many', key, { key });
      await until('they run', () => seen.length === 4);
      // All that the pool may have are there.
      await Promise.all(Array.from({ length: 3 }, () => db.query('select pg_sleep(0.1)')));
      relay.stallThose('');
      stalled.resolve();
      await until('it is written down that they are over', async () => {
        const { rows } = await m.db.query('select from millrace_jobs.jobs j where j.locked_at is not null');
        return rows.length === 0;
      });
      expect(await many.add('many', 'e', { key: 'e' })).to.equal(true);
      await until('another one runs', () => seen.length === 5);
    } finally {
      stop.abort();
      await relay.leave();
      await running;
      await many.close();
      await db.close();
    }
  });
});
