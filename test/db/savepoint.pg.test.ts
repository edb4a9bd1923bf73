/** Savepoints, and snapshots: what stays of work that fails within a transaction. */

import { expect } from 'chai';
import { type Database, openPool, type Transaction } from '../../src/db/pool.ts';
import { inSavepoint, undone } from '../../src/db/savepoint.ts';
import { inSnapshot } from '../../src/db/snapshot.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';

describe('work within a transaction', () => {
  let database: TestDatabase;
  let db: Database;
  const there = async (): Promise<number[]> =>
    (await db.query<{ n: number }>('select n from t order by n')).rows.map(({ n }) => n);
  const add = (tx: Transaction, n: number): Promise<unknown> => tx.query('insert into t values ($1::int)', [n]);

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
    db = openPool({ address: database.url, max: 2, applicationName: 'test', path: 'role' });
    await db.query('create table t (n int primary key)');
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    await db.query('delete from t');
  });

  it('is undone alone when it fails, one within the other, whoever throws', async () => {
    await db.transaction(async (tx) => {
      await inSavepoint(tx, () => add(tx, 1));
      await inSavepoint(tx, async () => {
        await add(tx, 2);
        const refused = await inSavepoint(tx, () => add(tx, 1)).catch((error: unknown) => String(error));
        expect(refused).to.contain('duplicate key');
        const ours = inSavepoint(tx, async () => {
          await add(tx, 3);
          throw new Error('of our own');
        });
        expect(await ours.catch(String)).to.equal('Error: of our own');
      });
      expect(await undone(tx, () => add(tx, 4))).to.have.property('rowCount', 1);
      await add(tx, 5);
    });
    expect(await there()).to.deep.equal([1, 2, 5]);
  });

  it('takes settings along, which end with it', async () => {
    const path = async (tx: Transaction) =>
      (await tx.query<{ v: string }>("select current_setting('a.b', true) v")).rows;
    await db.transaction(async (tx) => {
      const begin = "set local a.b = 'in'";
      expect(await inSavepoint(tx, () => path(tx), { begin, end: "set local a.b = 'out'" })).to.deep.equal([
        { v: 'in' },
      ]);
      expect(await path(tx)).to.deep.equal([{ v: 'out' }]);
      await inSavepoint(tx, () => add(tx, 1), { begin })
        .then(() => inSavepoint(tx, () => add(tx, 1), { begin }))
        .catch(String);
      await tx.query("set local a.b = 'out'");
      await inSavepoint(tx, () => add(tx, 1), { begin }).catch(String);
      expect(await path(tx)).to.deep.equal([{ v: 'out' }]);
    });
  });

  it('sees one state in a snapshot, and commits nothing but an ending', async () => {
    const seen = await db.session((client) =>
      inSnapshot(client, { statementMs: 5_000 }, async () => {
        const count = async () => (await client.query<{ n: number }>('select count(*)::int as n from t')).rows[0]!.n;
        const first = await count();
        await db.query('insert into t values (1)');
        const writing = client.query('savepoint s; insert into t values (2)').catch((error: unknown) => String(error));
        expect(await writing).to.contain('read-only transaction');
        await client.query('rollback to savepoint s');
        return [first, await count()];
      }),
    );
    expect(seen).to.deep.equal([0, 0]);
    const ending = (n: number | undefined) => (n === undefined ? undefined : `insert into t values (${n})`);
    for (const n of [7, undefined]) await db.session((client) => inSnapshot(client, { ending }, async () => n));
    const failing = db.session((client) => inSnapshot(client, { ending }, () => Promise.reject(new Error('no'))));
    expect(await failing.catch(String)).to.equal('Error: no');
    expect(await there()).to.deep.equal([1, 7]);
  });
});
