/** A server that is gone without a word (a half-open connection) keeps nobody for ever. */

import { expect } from 'chai';
import { copyIn } from '../../src/db/copy-in.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { isUnavailable } from '../../src/model/sqlstate.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { type PostgresRelay, startPostgresRelay } from '../support/postgres/postgres-relay.ts';

describe('a pool on a half-open connection', () => {
  let database: TestDatabase;
  let relay: PostgresRelay;
  let db: Database;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
    relay = await startPostgresRelay(database.url);
    db = openPool({ address: relay.url, max: 1, applicationName: 'test', path: 'role', queryTimeoutMs: 300 });
    await db.query('create table t (a int)');
  });
  after(async () => {
    relay?.swallow(false);
    await relay?.close();
    await db?.close();
    await database?.drop();
  });
  afterEach(async () => {
    relay.swallow(false);
    expect((await db.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  });

  const fails = async (work: () => Promise<unknown>): Promise<void> => {
    await db.query('select 1');
    relay.swallow(true);
    const error = await work().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.contain('Query read timeout');
  };

  it('gives a statement up, and the next one has another connection', () => fails(() => db.query('select 2')));

  it('gives a transaction up', () =>
    fails(() =>
      db.transaction(async (tx) => {
        await tx.query('select 2');
      }),
    ));

  it('asks nothing more of who did not answer in a transaction, not even to take it back', async () => {
    const asked: unknown[] = [];
    const given = db.transaction(async ({ client, query }) => {
      const send = client.query.bind(client) as (what: unknown) => Promise<unknown>;
      const hearing = (what: unknown): Promise<unknown> => {
        asked.push(typeof what === 'string' ? what : Reflect.get(Object(what), 'text'));
        return send(what);
      };
      Object.assign(client, { query: hearing });
      relay.swallow(true);
      await query('select 2');
    });
    expect(String(await given.catch((error: unknown) => error))).to.contain('Query read timeout');
    expect(asked).to.deep.equal(['select 2']);
  });

  it('gives a COPY up', () =>
    fails(() => db.session((client) => copyIn(client, { sql: 'copy t from stdin', rows: Buffer.from('1\n') }))));
});

describe('a pool that many share', () => {
  let database: TestDatabase;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
  });
  after(async () => await database.drop());

  const first = async (db: Database): Promise<unknown> =>
    await db.transaction(async () => await db.query('select 1').catch((error: unknown) => error));

  it('waits for a connection as long as it was told to', async () => {
    // Its first connection must be made in that time too.
    const hasty = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role', patienceMs: 2_000 });
    expect(String(await first(hasty))).to.contain('timeout exceeded when trying to connect');
    await hasty.close();
    const patient = openPool({
      address: database.url,
      max: 1,
      applicationName: 'test',
      path: 'role',
      patienceMs: 60_000,
    });
    const all = Array.from({ length: 20 }, () => patient.query('select pg_sleep(0.01)'));
    expect((await Promise.all(all)).every(({ rowCount }) => rowCount === 1)).to.equal(true);
    await patient.close();
  });

  it('connects with the parts of an address too, password and all', async () => {
    const url = new URL(database.url);
    const address = {
      host: url.hostname,
      port: Number(url.port),
      database: database.name,
      user: url.username,
      password: url.password,
    };
    const db = openPool({ address, max: 1, applicationName: 'test', path: 'role', patienceMs: 5_000 });
    expect((await db.query('select current_database() as name')).rows).to.deep.equal([{ name: database.name }]);
    await db.close();
  });

  it('is given up by a server that cannot be reached after ten seconds, however patient it is', async () => {
    const db = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role', patienceMs: 60_000 });
    await db.session(async (client) => {
      expect(client).to.have.property('_connectionTimeoutMillis', 10_000);
      await Promise.resolve();
    });
    await db.close();
  });

  it('loses a transaction whose process says nothing any more, and with it the locks', async () => {
    const db = openPool({
      address: database.url,
      max: 2,
      applicationName: 'test',
      path: 'role',
      idleInTransactionMs: 200,
    });
    await db.query('create table lanes (n int); insert into lanes values (1)');
    const other = db.transaction(async (tx) => {
      await tx.query('update lanes set n = 2');
      await db.query('update lanes set n = 3');
      await tx.query('select 1');
    });
    const error = await other.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isUnavailable(error), String(error)).to.equal(true);
    expect((await db.query('select n from lanes')).rows).to.deep.equal([{ n: 3 }]);
    await db.close();
  });
});

describe('a pool where commits need not be durable', () => {
  let database: TestDatabase;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
  });
  after(async () => await database.drop());

  /** What a session of ours commits with, where the database says so. */
  const committing = async (setting: string): Promise<unknown> => {
    const admin = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    await admin.query(`alter database ${database.name} set synchronous_commit = ${setting}`);
    await admin.close();
    const db = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    const { rows } = await db.query('show synchronous_commit');
    await db.close();
    return rows[0];
  };

  it('waits for the disk all the same, before it says that something is recorded', async () => {
    expect(await committing('off')).to.deep.equal({ synchronous_commit: 'on' });
  });

  for (const setting of ['local', 'remote_write', 'on', 'remote_apply']) {
    it(`leaves ${setting} as it is`, async () => {
      expect(await committing(setting)).to.deep.equal({ synchronous_commit: setting });
    });
  }

  it('does so for a role too', async () => {
    const admin = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    const role = `careless_${process.pid}`;
    await admin.query(`create role ${role} login password 'careless'; alter role ${role} set synchronous_commit = off`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'careless';
    const db = openPool({ address: url.href, max: 1, applicationName: 'test', path: 'role' });
    try {
      expect((await db.query('show synchronous_commit')).rows).to.deep.equal([{ synchronous_commit: 'on' }]);
    } finally {
      await db.close();
      await admin.query(`drop role ${role}`);
      await admin.close();
    }
  });
});

describe('a pool where the server compiles what it takes for dear', () => {
  it('has nothing compiled: statements about thousands of tables would take seconds longer', async () => {
    const database = await (await sharedCluster()).createDatabase();
    const admin = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    await admin.query(`alter database ${database.name} set jit = on`);
    await admin.close();
    const db = openPool({ address: database.url, max: 1, applicationName: 'test' });
    try {
      expect((await db.query('show jit')).rows).to.deep.equal([{ jit: 'off' }]);
    } finally {
      await db.close();
      await database.drop();
    }
  });
});

describe('what a server says', () => {
  it('never shows the password of the connection, in any field', async () => {
    const database = await (await sharedCluster()).createDatabase();
    const password = `hu"nt'er/22`;
    const admin = openPool({ address: database.url, max: 1, applicationName: 'test' });
    const role = `echo_${process.pid}`;
    await admin.query(`create role ${role} login password '${password.replaceAll("'", "''")}'`);
    const url = new URL(database.url);
    const db = openPool({
      address: { host: url.hostname, port: Number(url.port), database: url.pathname.slice(1), user: role, password },
      max: 1,
      applicationName: 'test',
    });
    try {
      const quoted = `password=${password}, ${encodeURIComponent(password)}`.replaceAll("'", "''");
      const error = await db
        .query(`do $$ begin raise exception '%', '${quoted}' using detail = '${quoted}', hint = '${quoted}'; end $$`)
        .then(
          () => undefined,
          (thrown: Error) => thrown,
        );
      expect(error).to.include({
        message: 'password=***, ***',
        detail: 'password=***, ***',
        hint: 'password=***, ***',
      });
      expect(`${error?.stack}`).not.to.match(/hu.*nt.*er.*22/);
    } finally {
      await db.close();
      await admin.query(`drop role ${role}`);
      await admin.close();
      await database.drop();
    }
  });
});
