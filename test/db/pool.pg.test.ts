/** A server that is gone without a word (a half-open connection) keeps nobody for ever. */

import { finished } from 'node:stream/promises';
import { expect } from 'chai';
import { from as copyFrom } from 'pg-copy-streams';
import { type Database, openPool } from '../../src/db/pool.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres.ts';
import { type PostgresRelay, startPostgresRelay } from '../support/postgres-relay.ts';

describe('a pool on a half-open connection', () => {
  let database: TestDatabase;
  let relay: PostgresRelay;
  let db: Database;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
    relay = await startPostgresRelay(database.url);
    db = openPool({ address: relay.url, max: 1, applicationName: 'test', queryTimeoutMs: 300 });
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

  it('gives a COPY up', () =>
    fails(() =>
      db.session(async (client) => {
        const copy = client.query(copyFrom('copy t from stdin'));
        copy.end('1\n');
        await finished(copy);
      }),
    ));
});
