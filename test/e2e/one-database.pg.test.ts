/**
 * What a Heroku app has: one database, which is source and message database at once, on a server without logical replication, and
 * a role that owns its tables and is nothing else, with 20 connections. The release phase, then three roles, each of which is
 * restarted; all of it as app.json and the Procfile start it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { asPlainOwner } from '../support/postgres/plain-role.ts';
import { type Cluster, startCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import {
  cleanEnvironment,
  createService,
  runMain,
  SECRET_KEY,
  stopServices,
  type TestService,
} from '../support/processes/service.ts';
import { TOKEN } from '../support/processes/world.ts';
import { pullByHttp } from '../support/pull/client.ts';
import { until } from '../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONNECTIONS = 20;
const ROUNDS = 40;

describe('one database without logical replication, as a role that owns its tables', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let database: TestDatabase;
  let databaseUrl: string;
  let app: pg.Client;
  const roles: TestService[] = [];

  before(async () => {
    cluster = await startCluster({
      settings: { wal_level: 'replica', max_wal_senders: '0', max_replication_slots: '0' },
    });
    database = await cluster.createDatabase();
    databaseUrl = await asPlainOwner(database);
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `alter role plain_owner connection limit ${CONNECTIONS}; alter schema public owner to plain_owner`,
    );
    await admin.end();
    app = new pg.Client({ connectionString: databaseUrl });
    await app.connect();
    await app.query(`create table orders (id int primary key, state text not null);
      create table notes (text text)`);
  });
  after(async () => {
    await stopServices();
    await app?.end();
    await cluster?.stop();
  });

  const yaml = () => `
api_tokens:
  - { name: tests, token: ${TOKEN} }
databases:
  - name: shop
    url: \${DATABASE_URL}
    ssl: false
    capture: triggers
    publication: { name: shop, create_if_not_exists: true }
sinks:
  - { name: orders, database: shop, source: { include_tables: [orders, notes] }, destination: { type: pull } }
change_retentions:
  - { name: kept, source_database: shop, source_table_schema: public, source_table_name: orders, destination_database: shop, destination_table_schema: public, destination_table_name: orders_events, create_if_not_exists: true }
`;

  it('is set up by the release phase alone', async () => {
    const { code, stderr } = await runMain(
      'migrate',
      { DATABASE_URL: databaseUrl, SECRET_KEY, CONFIG_FILE_YAML: Buffer.from(yaml()).toString('base64') },
      60_000,
    );
    expect(code, stderr).to.equal(0);
    for (const word of ['capture', 'worker', 'web'] as const) {
      const service = await createService({ databaseUrl, word });
      await service.start();
      roles.push(service);
    }
  });

  it('delivers every change once, while each role is killed and started again', async () => {
    const seen: string[] = [];
    const client = () => pullByHttp(roles[2]!.url, 'orders');
    const take = async (): Promise<void> => {
      const got = await client().receive(100);
      seen.push(...got.map(({ message }) => `${message.action} ${message.record.id} ${message.record.state}`));
      if (got.length > 0) await client().ack(got.map(({ ack_id }) => ack_id));
    };
    const wanted: string[] = [];
    for (let n = 1; n <= ROUNDS; n++) {
      await app.query('begin');
      await app.query("insert into orders values ($1, 'new')", [n]);
      await app.query("update orders set state = 'paid' where id = $1", [n]);
      await app.query('commit');
      wanted.push(`insert ${n} new`, `update ${n} paid`);
      const role = roles[n / 10 - 1];
      if (role === undefined || n % 10 !== 0) continue;
      await role.kill();
      await app.query('delete from orders where id = $1', [n]);
      wanted.push(`delete ${n} paid`);
      await role.start();
    }
    await until('all of it came', async () => {
      await take();
      return seen.length >= wanted.length;
    });
    expect(seen.toSorted()).to.deep.equal(wanted.toSorted());
    for (let n = 1; n <= ROUNDS; n++)
      expect(seen.filter((one) => one.includes(` ${n} `)).map((one) => one.split(' ')[0])).to.deep.equal(
        wanted.filter((one) => one.includes(` ${n} `)).map((one) => one.split(' ')[0]),
      );
  });

  it('keeps its changes in a table beside, and tells nobody of its own tables', async () => {
    const { rows: orders } = await app.query<{ n: number }>('select count(*)::integer as n from orders');
    const entries = async (): Promise<number> =>
      (await app.query<{ n: number }>('select count(*)::integer as n from orders_events')).rows[0]!.n;
    await until('every change is kept', async () => (await entries()) >= 2 * ROUNDS + (ROUNDS - orders[0]!.n));
    expect(await entries()).to.equal(2 * ROUNDS + (ROUNDS - orders[0]!.n));
    const { rows } = await app.query<{ table: string }>(
      `select distinct tgrelid::regclass::text as table from pg_trigger where tgname like '!millrace%' order by 1`,
    );
    expect(rows.map(({ table }) => table)).to.include.members(['notes', 'orders']);
    expect(rows.filter(({ table }) => table.startsWith('millrace'))).to.deep.equal([]);
  });

  it('has connections left, and health without a fault', async () => {
    const { rows } = await app.query<{ n: number }>(
      "select count(*)::integer as n from pg_stat_activity where usename = 'plain_owner'",
    );
    expect(rows[0]!.n).to.be.at.most(CONNECTIONS - 2);
    const state = async () => (await app.query('select state, reason from millrace.database_status')).rows[0];
    expect(await state()).to.deep.equal({ state: 'streaming', reason: null });
  });

  it('goes on with another DATABASE_URL, for which Heroku restarts the roles without a release phase', async () => {
    for (const role of roles) await role.kill();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query("alter role plain_owner password 'rotated'").finally(() => admin.end());
    const rotated = Object.assign(new URL(databaseUrl), { password: 'rotated' }).href;
    const procfile = readFileSync(path.join(ROOT, 'Procfile'), 'utf8');
    const yaml64 = Buffer.from(yaml()).toString('base64');
    const capture = spawn('sh', ['-c', /^capture: (.*)$/m.exec(procfile)![1]!], {
      ...{ cwd: ROOT, detached: true, stdio: 'ignore' },
      env: { ...cleanEnvironment(), DATABASE_URL: rotated, SECRET_KEY, CONFIG_FILE_YAML: yaml64 },
    });
    const ended = once(capture, 'exit');
    try {
      const [worker, web] = await Promise.all(
        (['worker', 'web'] as const).map((word) => createService({ databaseUrl: rotated, word })),
      );
      await Promise.all([worker!.start(), web!.start()]);
      await app.query("insert into orders values (1000, 'rotated')");
      const client = pullByHttp(web!.url, 'orders');
      await until('it is received', async () =>
        (await client.receive(100)).some(({ message }) => message.record.id === 1000),
      );
      await until(
        'it is kept',
        async () => (await app.query("select from orders_events where record_pk = '1000'")).rows.length > 0,
      );
    } finally {
      // As Heroku does: every process of the dyno.
      process.kill(-capture.pid!, 'SIGTERM');
    }
    expect(await ended).to.deep.equal([0, null]);
  });
});
