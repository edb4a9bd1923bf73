/** Connections to the source that say nothing more, and such that say little at a time. */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, type CapturedOptions, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { type PostgresRelay, startPostgresRelay } from '../support/postgres/postgres-relay.ts';

describe('a connection to the source', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let relay: PostgresRelay;
  let on: Captured;
  let sink: number;

  beforeEach(async () => {
    database = await (await sharedSource()).createDatabase();
    relay = await startPostgresRelay(database.url);
  });
  afterEach(async () => {
    await relay.leave();
    await on.close();
    await database.drop();
  });

  const through = (url: string): string => {
    const to = new URL(url);
    to.port = new URL(relay.url).port;
    return to.href;
  };
  const alter = async (setting: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`alter database ${database.name} set ${setting}`);
    await admin.end();
  };
  const begin = async (timing: NonNullable<CapturedOptions['timing']>): Promise<void> => {
    on = await captured('create table papers (id int primary key, body text)', { database, through, timing });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
  };

  it('that is dead alone is noticed, however long its server would wait', async () => {
    await alter("wal_sender_timeout = '1h'");
    await begin({ silentMs: 1_000, statementMs: 1_000 });
    await on.streaming();
    await on.source.query('insert into papers values (1)');
    await on.received(sink, 1);
    relay.stallThose(byWay({ replication: 'replication', triggers: 'millrace' }));
    await on.source.query('insert into papers values (2)');
    expect((await on.becomes('error')).reason).to.match(/silent/);
    await on.source.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'millrace%' and datname = current_database()`,
    );
    expect(await on.received(sink, 2)).to.have.length(2);
  });

  it('over which nothing comes is dead, however long its server would wait', async () => {
    await alter("wal_sender_timeout = '1h'");
    await begin({ silentMs: 1_000, statementMs: 1_000 });
    await on.streaming();
    relay.swallow(true);
    expect((await on.becomes('error')).reason).to.match(/silent|no answer/);
  });

  it('that takes its time for one large row is not dead', async () => {
    await alter("wal_sender_timeout = '0'");
    await begin({ silentMs: 500, checkMs: 600_000 });
    await on.streaming();
    const generation = async () =>
      (await on.messages.db.query('select generation from millrace_private.positions')).rows[0];
    const before = await generation();
    relay.trickle(100_000);
    await on.source.query("insert into papers values (1, repeat('x', 400000))");
    expect(await on.received(sink, 1)).to.have.length(1);
    expect(await generation()).to.deep.equal(before);
  });

  it('whose end the server does not hear is not waited for', async () => {
    relay.stallAt('X\0\0\0\x04');
    await begin({});
    await on.streaming();
    await on.source.query('insert into papers values (1)');
    expect(await on.received(sink, 1)).to.have.length(1);
  });

  it('on which the stream is asked for is given up when there is no answer', async () => {
    relay.stallAt(byWay({ replication: 'START_REPLICATION', triggers: 'savepoint millrace_look' }));
    await begin({ startMs: 1_000 });
    expect((await on.becomes('error')).reason).to.match(/no answer/);
    relay.stallAt(undefined);
    await on.streaming();
    await on.source.query('insert into papers values (1)');
    expect(await on.received(sink, 1)).to.have.length(1);
  });
});
