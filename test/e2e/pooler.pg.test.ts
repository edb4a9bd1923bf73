/**
 * The whole service behind pgbouncer: in session mode everything works, also after the pooler or the server was killed; in
 * the other modes no role starts, and says so in one sentence.
 */
import { expect } from 'chai';
import pg from 'pg';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { accountsYaml, EVERY_SINK, expectChangeTables, expectIndexes, INDEXES } from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA } from '../support/outages/ledger.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { runMain, SECRET_KEY, startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('behind pgbouncer', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let pooler: Pgbouncer;
  let service: TestService | undefined;

  before(async function () {
    if (!hasPgbouncer()) this.skip();
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
  });
  after(async () => {
    await engine?.close();
    await world?.drop();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(service?.output().slice(-6_000));
    await service?.stop();
    await stopServices();
    await pooler?.stop();
  });

  for (const word of ['all', 'migrate', 'web', 'worker', 'capture']) {
    it(`in transaction mode \`${word}\` refuses to start, names the pooler and what to do`, async () => {
      pooler = await startPgbouncer(world.messagesUrl, { pool_mode: 'transaction' });
      const { code, stderr, stdout } = await runMain(word, { DATABASE_URL: pooler.url, SECRET_KEY, HOST: '127.0.0.1' });
      expect(code, stdout).to.equal(1);
      expect(stderr.trim().split('\n')).to.deep.equal([
        'Millrace cannot start: DATABASE_URL leads to a connection pooler in transaction or statement mode, and Millrace needs sessions of its own',
        '  Use the address of Postgres itself, or the pooler in session mode (pgbouncer: pool_mode = session).',
      ]);
    });
  }

  it('in session mode everything is delivered, and goes on after the pooler and the sessions were killed', async () => {
    pooler = await startPgbouncer(world.messagesUrl, { pool_mode: 'session' });
    const yaml = world.yaml + accountsYaml(engine.url);
    service = await startService({ databaseUrl: pooler.url, yaml });
    const writers = createWriters(world.shop, 1, 2);
    const pushed = EVERY_SINK.filter((name) => !['accounts-pull', 'accounts-shaped'].includes(name));
    const arrives = async (): Promise<void> => {
      await writers.write(writers.written + 200);
      await world.settled(pushed, 30_000);
    };
    await arrives();
    await pooler.kill();
    const writing = writers.write(writers.written + 100);
    await pooler.start();
    await writing;
    await arrives();
    const admin = new pg.Client({ connectionString: world.messagesUrl });
    await admin.connect();
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
                        where datname = current_database() and application_name like 'millrace %'
                          and application_name <> 'millrace test'`);
    await admin.end();
    await arrives();
    await expectChangeTables(world);
    await expectIndexes(world, engine);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });

  it('before the database of a change table, transaction mode stops that sink alone, and says why', async () => {
    const direct = await world.archive.query<{ name: string }>('select current_database() as name');
    const archiveUrl = new URL(world.messagesUrl);
    archiveUrl.pathname = `/${direct.rows[0]!.name}`;
    pooler = await startPgbouncer(archiveUrl.href, { pool_mode: 'transaction' });
    const yaml = (world.yaml + accountsYaml(engine.url)).replace(archiveUrl.href, pooler.url);
    service = await startService({ databaseUrl: world.messagesUrl, yaml });
    const writers = createWriters(world.shop, 2, 2);
    await writers.write(50);
    const error = await until('the circuit is open', async () => {
      const { rows } = await world.messages.query<{ error: string }>(
        `select error from millrace.sink_status where sink_name = 'accounts-in-archive' and health = 'bad_destination'`,
      );
      return rows[0]?.error;
    });
    expect(error).to.match(
      /^The address of database archive leads to a connection pooler in transaction .*session mode/,
    );
    await world.settled(['accounts-index', 'accounts-in-shop', 'accounts-in-home']);
  });
});
