/**
 * `retention.by: pg_cron` and `pg_partman` with the real extensions: set up by the service when it may, looked after by
 * nobody twice, and else said on the retention alone, with SQL that fixes it as it is printed.
 */
import { expect } from 'chai';
import pg from 'pg';
import { type Database, openPool } from '../../../../src/db/pool.ts';
import type { Sink } from '../../../../src/model/sink.ts';
import type { ChangeTableDestination } from '../../../../src/sinks/change-table/section.ts';
import { type Bench, changeTableBench } from '../../../support/fixtures/change-table.ts';
import { delivery } from '../../../support/fixtures/delivery.ts';
import { hasExtension15, partman5Obstacle, withPartman5 } from '../../../support/postgres/extensions.ts';
import { type Cluster, startCluster, type TestDatabase } from '../../../support/postgres/postgres.ts';

const signal = new AbortController().signal;
const DAY = 86_400;
type Retention = NonNullable<ChangeTableDestination['retention']>;
const CRON: Retention = { by: 'pg_cron', keep_seconds: 30 * DAY, every_seconds: 600 };
const PARTMAN: Retention = { by: 'pg_partman', keep_seconds: 30 * DAY, interval_seconds: DAY };

/** What a role without any right but its own tables meets: role `app`, the same on each database. */
async function grantApp(admin: pg.Client): Promise<void> {
  await admin.query(`do $$ begin create role app login password 'app'; exception when duplicate_object then end $$`);
  await admin.query('grant create, usage on schema public to app');
}

function asApp(url: string): string {
  const address = new URL(url);
  address.username = 'app';
  address.password = 'app';
  return address.href;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

const noticesOf = async (bench: Bench) =>
  (
    await bench.messages.db.query<{ code: string; message: string; remedy: string }>(
      `select n.code, n.message, n.remedy from millrace_private.notices n
         join millrace_private.sinks s on s.no = n.sink_no where s.id = $1`,
      [bench.retentionId],
    )
  ).rows;

let lastId = 0;
/** Writes one entry, which looks at everything again. */
async function write(bench: Bench, sink: Sink): Promise<void> {
  lastId += 1;
  const batch = [{ ...delivery(lastId, String(lastId)), committedAt: new Date().toISOString() }];
  await bench.keep(batch);
  expect(await sink.send(batch, signal)).to.deep.equal({ outcomes: [{ kind: 'done' }] });
}

/** The SQL of a remedy, without the words before it. */
const sqlOf = (remedy: string): string => remedy.slice(remedy.indexOf(':\n') + 2);

describe('a retention by pg_cron', () => {
  let cluster: Cluster;
  let cron: pg.Client;
  let archive: TestDatabase;
  let admin: pg.Client;
  const opened: Bench[] = [];

  before('needs postgresql-15-cron', async function () {
    if (!hasExtension15('pg_cron')) this.skip();
    const settings = { shared_preload_libraries: 'pg_cron', 'cron.database_name': 'postgres' };
    cluster = await startCluster({ major: 15, settings });
    cron = await connected(urlOf('postgres'));
    await grantApp(cron);
  });
  beforeEach(async () => {
    archive = await cluster.createDatabase();
    admin = await connected(archive.url);
    await grantApp(admin);
  });
  afterEach(async () => {
    await admin.end();
    for (const bench of opened.splice(0)) await bench.drop();
    await archive.drop();
    await cron.query('drop extension if exists pg_cron');
    await cron.query('drop table if exists orders_events, millrace_progress');
    await cron.query('drop owned by app cascade');
    await grantApp(cron);
  });
  after(async () => {
    await cron?.end();
    await cluster?.stop();
  });

  function urlOf(database: string): string {
    const url = new URL(cluster.adminUrl);
    url.pathname = `/${database}`;
    return url.href;
  }
  async function benchAt(url: string): Promise<Bench> {
    const bench = await changeTableBench({ url });
    opened.push(bench);
    return bench;
  }
  const open = (bench: Bench, retention = CRON, rest: Partial<ChangeTableDestination> = {}): Promise<Sink> =>
    bench.open({ retention, ...rest }, { recheckMs: 0, beside: async (name) => beside(bench, name) });
  function beside(bench: Bench, name: string): Database {
    const url = new URL(bench.destinationUrl);
    url.pathname = `/${name}`;
    return openPool({ address: url.href, max: 1, applicationName: 'millrace test', path: 'role' });
  }
  const jobs = async () =>
    (await cron.query('select jobname, schedule, command, database, username from cron.job order by jobid')).rows;

  it('makes the table and schedules the job in the database that has it, once', async () => {
    const bench = await benchAt(urlOf('postgres'));
    const sink = await open(bench);
    const job = {
      jobname: 'millrace "public"."orders_events"',
      schedule: '*/10 * * * *',
      command: `delete from "public"."orders_events" where committed_at < now() - interval '30 days'`,
      database: 'postgres',
      username: 'postgres',
    };
    expect(await jobs()).to.deep.equal([job]);
    await write(bench, sink);
    await open(bench);
    expect(await jobs(), 'after another start').to.deep.equal([job]);
    expect(await noticesOf(bench)).to.deep.equal([]);
    await open(bench, { by: 'pg_cron', keep_seconds: 7 * DAY, every_seconds: 7_200 });
    expect(await jobs(), 'another keep').to.deep.equal([
      { ...job, schedule: '0 */2 * * *', command: job.command.replace('30 days', '7 days') },
    ]);
  });

  it('schedules it from the database that has pg_cron, for one that has not', async () => {
    await cron.query('create extension pg_cron');
    const bench = await benchAt(archive.url);
    for (const _start of [1, 2]) await open(bench);
    const [job, ...others] = await jobs();
    expect(others).to.deep.equal([]);
    expect(job).to.include({ database: archive.name, jobname: `millrace "${archive.name}" "public"."orders_events"` });
    expect(await noticesOf(bench)).to.deep.equal([]);
  });

  for (const where of ['the same', 'another'] as const) {
    it(`goes on without the right to schedule, and says what to run: ${where} database`, async () => {
      const bench = await benchAt(asApp(where === 'the same' ? urlOf('postgres') : archive.url));
      const sink = await open(bench);
      await write(bench, sink);
      const [notice, ...others] = await noticesOf(bench);
      expect(others).to.deep.equal([]);
      expect(notice).to.include({ code: 'policy_missing' });
      expect(notice!.message).to.include('pg_cron');
      expect(notice!.remedy).to.match(/-- In database postgres, as a superuser/);
      await cron.query(sqlOf(notice!.remedy));
      await write(bench, sink);
      expect(await noticesOf(bench)).to.deep.equal([]);
      expect((await jobs()).map(({ username }) => username)).to.deep.equal(['app']);
    });
  }

  it('only looks when the table is not its own, and prints what is missing', async () => {
    await cron.query('create extension pg_cron');
    const bench = await benchAt(urlOf('postgres'));
    await open(bench, undefined, { retention: null });
    const sink = await open(bench, CRON, { create_if_not_exists: false });
    expect(await jobs()).to.deep.equal([]);
    const [notice] = await noticesOf(bench);
    expect(notice!.message).to.match(/is missing$/);
    await cron.query(sqlOf(notice!.remedy));
    await write(bench, sink);
    expect(await noticesOf(bench)).to.deep.equal([]);
    await cron.query(`select cron.alter_job(jobid, active := false) from cron.job`);
    await write(bench, sink);
    const [off] = await noticesOf(bench);
    expect(off!.message).to.match(/is switched off$/);
    await cron.query(off!.remedy);
    await write(bench, sink);
    expect(await noticesOf(bench)).to.deep.equal([]);
  });
});

for (const version of [4, 5] as const) {
  describe(`a retention by pg_partman ${version}`, () => {
    let cluster: Cluster;
    let archive: TestDatabase;
    let admin: pg.Client;
    let bench: Bench;
    let files: Awaited<ReturnType<typeof withPartman5>> | undefined;

    before(`needs pg_partman ${version}`, async function () {
      const obstacle = version === 5 ? partman5Obstacle() : undefined;
      if (obstacle !== undefined) console.log(`    ${obstacle}`);
      if (obstacle !== undefined || (version === 4 && !hasExtension15('pg_partman'))) this.skip();
      if (version === 5) files = await withPartman5();
      cluster = await startCluster(files ? { settings: files.settings } : { major: 15 });
    });
    beforeEach(async () => {
      archive = await cluster.createDatabase();
      admin = await connected(archive.url);
      await grantApp(admin);
    });
    afterEach(async () => {
      await admin.end();
      await bench.drop();
      await archive.drop();
    });
    after(async () => {
      await cluster?.stop();
      await files?.remove();
    });

    const config = async () =>
      (
        await admin.query(
          `select parent_table, retention, retention_keep_table, infinite_time_partitions from partman.part_config`,
        )
      ).rows;
    const open = (rest: Partial<ChangeTableDestination> = {}): Promise<Sink> =>
      bench.open({ retention: PARTMAN, ...rest }, { recheckMs: 0 });
    const kept = (retention: string) => [
      { parent_table: 'public.orders_events', retention, retention_keep_table: false, infinite_time_partitions: true },
    ];

    it('makes the table partitioned and keeps what was declared, once', async () => {
      bench = await changeTableBench({ url: archive.url });
      const sink = await open();
      await write(bench, sink);
      await open();
      expect(await config()).to.deep.equal(kept('30 days'));
      expect(await noticesOf(bench)).to.deep.equal([]);
      const { rows } = await admin.query(
        `select count(*)::int as partitions, (select count(*)::int from orders_events) as entries
           from pg_inherits where inhparent = 'orders_events'::regclass`,
      );
      expect(rows).to.deep.equal([{ partitions: 9, entries: 1 }]);
      await open({ retention: { ...PARTMAN, keep_seconds: 7 * DAY } });
      expect(await config(), 'another keep').to.deep.equal(kept('7 days'));
      await open({ retention: { ...PARTMAN, interval_seconds: 7 * DAY } });
      expect((await noticesOf(bench)).map(({ message }) => message)).to.deep.equal([
        'the partitions of "public"."orders_events" have another size than 7 days',
      ]);
    });

    it('waits without the right to make it, and goes on after the SQL that it says', async () => {
      bench = await changeTableBench({ url: asApp(archive.url) });
      const sink = await open();
      const circuit = await sink.test(signal);
      expect(circuit).to.include({ reason: 'bad_destination' });
      expect((await admin.query(`select to_regclass('orders_events') as made`)).rows).to.deep.equal([{ made: null }]);
      await admin.query(sqlOf(circuit!.error));
      await write(bench, sink);
      expect(await config()).to.deep.equal(kept('30 days'));
      expect(await noticesOf(bench)).to.deep.equal([]);
    });

    it('looks after a partitioned table that is there already, and says so of one that is not', async () => {
      bench = await changeTableBench({ url: archive.url });
      await bench.open();
      const plain = await open();
      await write(bench, plain);
      expect((await noticesOf(bench))[0]!.message).to.equal(
        '"public"."orders_events" is not partitioned, so pg_partman drops nothing of it',
      );
      await admin.query('drop table orders_events');
      await admin.query('create schema partman');
      await admin.query('create extension pg_partman schema partman');
      await open();
      await admin.query('delete from partman.part_config');
      const sink = await open({ create_if_not_exists: false });
      await write(bench, sink);
      const [notice] = await noticesOf(bench);
      expect(notice!.message).to.equal('pg_partman does not look after "public"."orders_events": not in part_config');
      expect(notice!.remedy).to.include('create_parent');
    });
  });
}
