/** The sample database: the same rows each time, on each server, and changed at random in every way. */
import { expect } from 'chai';
import { changeSample } from '../../bench/sample/changes.ts';
import { createSample, sampleTables } from '../../bench/sample/database.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';

const ROWS = 2_000;

describe('the sample database', function () {
  this.timeout(120_000);
  const opened: { database: TestDatabase; db: Database }[] = [];
  let clusters: Cluster[] = [];

  const sample = async (cluster: Cluster): Promise<Database> => {
    const database = await cluster.createDatabase();
    const db = openPool({ address: database.url, max: 4, applicationName: 'test', path: 'role' });
    opened.push({ database, db });
    await createSample(db, { rows: ROWS });
    return db;
  };
  afterEach(async () => {
    for (const { db, database } of opened.splice(0)) {
      await db.close();
      await database.drop();
    }
    for (const cluster of clusters) await cluster.stop();
    clusters = [];
  });

  /** What all its tables hold. */
  const fingerprint = async (db: Database): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for (const { name, sql } of await sampleTables(db)) {
      const { rows } = await db.query<{ all: string }>(
        `select count(*) || ' ' || md5(string_agg(t::text, ',' order by t::text collate "C")) as all from ${sql} t`,
      );
      found[name] = rows[0]!.all;
    }
    return found;
  };

  it('is the same each time', async () => {
    const cluster = await sharedCluster();
    const one = await fingerprint(await sample(cluster));
    expect(Object.keys(one)).to.have.length(15);
    expect(await fingerprint(await sample(cluster))).to.deep.equal(one);
    const { rows } = await opened[0]!.db.query(
      `select count(distinct a.atttypid)::integer as types from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'sample'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0`,
    );
    expect(rows[0]?.types).to.be.at.least(55);
  });

  it('is made on Postgres 15 too', async function () {
    if (!hasPostgres15()) return this.skip();
    clusters = [await startCluster({ major: 15 })];
    const made = await fingerprint(await sample(clusters[0]!));
    for (const text of Object.values(made)) expect(Number(text.split(' ')[0])).to.be.at.least(9);
  });

  it('is changed by writers side by side, each table of it', async () => {
    const db = await sample(await sharedCluster());
    const before = await fingerprint(db);
    const done = await changeSample(db, { seed: 7, writers: 3, rows: ROWS }, AbortSignal.timeout(1_500));
    expect(done.transactions).to.be.at.least(50);
    const after = await fingerprint(db);
    for (const [name, text] of Object.entries(before)) expect(after[name], name).not.to.equal(text);
  });
});
