/** Where a server has no connection to spare, a pool goes on with those it has, and waits in order for more. */
import { expect } from 'chai';
import pg from 'pg';
import { type Database, openPool } from '../../src/db/pool.ts';
import { sizeOf, takeLeast } from '../../src/db/room.ts';
import { SharingPool } from '../../src/db/sharing-pool.ts';
import { statement } from '../../src/db/statement.ts';
import { isFull, isUnavailable } from '../../src/model/sqlstate.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const COUNT = statement('db/count-room');

for (const major of [18, 15] as const) {
  describe(`a pool at the limit of Postgres ${major}`, () => {
    let cluster: Cluster;
    let database: TestDatabase;
    let admin: pg.Client;
    let opened: Database[];
    const role = `limited_${process.pid}`;
    before(async function () {
      if (major === 15 && !hasPostgres15()) this.skip();
      cluster = major === 18 ? await sharedCluster() : await startCluster({ major });
      database = await cluster.createDatabase();
      admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      await admin.query(`create role ${role} login password 'limited'`);
    });
    after(async () => {
      await admin?.query(`drop role ${role}`);
      await admin?.end();
      await database?.drop();
      if (major === 15) await cluster?.stop();
    });
    beforeEach(() => {
      opened = [];
    });
    afterEach(async () => {
      for (const db of opened) await db.close();
      await admin.query(`alter role ${role} connection limit -1; alter database ${database.name} connection limit -1`);
    });

    const url = (): string => {
      const own = new URL(database.url);
      own.username = role;
      own.password = 'limited';
      return own.href;
    };
    let refusals: number;
    const open = (options: { max: number; least?: number; patienceMs?: number }): Database => {
      refusals = 0;
      const db = openPool({
        address: url(),
        applicationName: 'test',
        onFull: (error) => {
          expect(isFull(error) && isUnavailable(error), String(error)).to.equal(true);
          refusals += 1;
        },
        ...options,
      });
      opened.push(db);
      return db;
    };
    const sessions = async (): Promise<number> => {
      const sql = 'select count(*)::integer as n from pg_stat_activity where usename = $1';
      return (await admin.query<{ n: number }>(sql, [role])).rows[0]!.n;
    };
    const noneLeft = (): Promise<boolean> => until('no session is left', async () => (await sessions()) === 0);
    const hold = async (count: number): Promise<() => Promise<void>> => {
      const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url() }));
      for (const client of clients) await client.connect();
      return async () => {
        await Promise.all(clients.map((client) => client.end()));
      };
    };

    it('answers all with the connections that it has', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 2`);
      const db = open({ max: 4, least: 1 });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => db.query<{ n: number }>('select $1::integer as n, pg_sleep(0.001)', [n])),
      );
      expect(answers.map(({ rows }) => rows[0]!.n)).to.deep.equal(Array.from({ length: 200 }, (_, n) => n));
      expect(await sessions()).to.be.within(1, 2);
      expect(refusals).to.be.within(1, 12);
    });

    it('keeps those that it has while others are refused', async () => {
      await admin.query(`alter role ${role} connection limit 2`);
      for (let round = 0; round < 10; round++) {
        await noneLeft();
        const pool = new SharingPool({ connectionString: url(), max: 4 }, { patienceMs: 60_000 });
        let removed = 0;
        pool.on('remove', () => (removed += 1));
        await Promise.all(Array.from({ length: 6 }, (_, n) => pool.query('select $1::integer as n', [n])));
        expect(await sessions()).to.be.within(1, 2);
        expect(removed).to.equal(0);
        await pool.end();
      }
    });

    it('has a connection as soon as there is one, and tells when its patience is over', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 2`);
      const let_go = await hold(2);
      const hasty = open({ max: 2, least: 1, patienceMs: 200 });
      const error: unknown = await hasty.query('select 1').catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', '53300');
      const patient = open({ max: 2, least: 1, patienceMs: 20_000 });
      const answers = Promise.all(Array.from({ length: 20 }, () => patient.query('select 1')));
      await until('it was refused', () => refusals > 0);
      await let_go();
      expect(await answers).to.have.lengthOf(20);
      // One tries for all, and not each of them again and again.
      expect(refusals).to.be.lessThan(25);
    });

    it('gives a session and a transaction their turn too', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 1`);
      const db = open({ max: 4, least: 1 });
      const work = Array.from({ length: 10 }, (_, n) =>
        n % 2
          ? db.transaction((tx) => tx.query('select pg_sleep(0.005)'))
          : db.session((client) => client.query('select 1')),
      );
      expect(await Promise.all(work)).to.have.lengthOf(10);
      expect(db.pool.totalCount).to.equal(1);
    });

    it('is an error at once for a pool that shares nothing', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 1`);
      const let_go = await hold(1);
      const error: unknown = await open({ max: 1 })
        .query('select 1')
        .catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', '53300');
      await let_go();
    });

    it('ends with what waits for a connection', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 1`);
      const let_go = await hold(1);
      const db = open({ max: 1, least: 1, patienceMs: 60_000 });
      const waiting = db.query('select 1').catch((thrown: unknown) => thrown);
      await until('it was refused', () => refusals > 0);
      await db.close();
      expect(isUnavailable(await waiting), String(await waiting)).to.equal(true);
      await let_go();
    });

    it('becomes smaller where little is left, gives back what is over, and keeps what it needs', async () => {
      await noneLeft();
      const db = open({ max: 4, least: 2 });
      await Promise.all(Array.from({ length: 4 }, () => db.query('select pg_sleep(0.05)')));
      await until('it has all that it wants', () => db.pool.totalCount === 4);
      const resized = (to: number) => (): boolean => {
        (db.pool as SharingPool).resize(to);
        return db.pool.totalCount === to;
      };
      await until('three are left, though nobody asks for any', resized(3));
      const busy = Promise.all(Array.from({ length: 3 }, () => db.query('select pg_sleep(0.2)')));
      await until('all are in use', () => db.pool.idleCount === 0);
      await until('two are left of those that are in use', resized(2));
      await busy;
    });

    it('has all that it needs, or gives back what it got and waits', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 3`);
      const let_go = await hold(1);
      const db = open({ max: 4, least: 3, patienceMs: 1_500 });
      const taking = takeLeast(db.pool, 3, new AbortController().signal);
      await until('it was refused', () => refusals > 0);
      await until('it gave back what it had', () => db.pool.totalCount === 0);
      await let_go();
      await taking;
      expect([db.pool.totalCount, db.pool.idleCount]).to.deep.equal([3, 3]);
    });

    it('serves all who stand in line as soon as there is room, though nobody gives one back', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 4`);
      const let_go = await hold(3);
      const db = open({ max: 4, least: 3, patienceMs: 120_000 });
      let isTaken = false;
      const taking = takeLeast(db.pool, 3, new AbortController().signal).then(() => (isTaken = true));
      await until('it was refused', () => refusals > 0);
      await let_go();
      await until('it has the three that it needs', () => isTaken);
      await taking;
    });

    it('is as large as the limit leaves from the start', async () => {
      await noneLeft();
      await admin.query(`alter role ${role} connection limit 6`);
      const let_go = await hold(2);
      const db = open({ max: 4, least: 1 });
      await db.query('select 1');
      // Of six, two are held, one is this pool's, three are for others.
      await until('it has looked', () => db.pool.options.max === 1);
      await let_go();
    });

    const room = async (db: pg.Client): Promise<number> => (await db.query<{ room: number }>(COUNT.text)).rows[0]!.room;

    it('counts what the role, the database and the server leave', async () => {
      await noneLeft();
      const client = new pg.Client({ connectionString: url() });
      await client.connect();
      const unlimited = await room(client);
      expect(unlimited).to.be.within(100, 197);
      await admin.query(`alter role ${role} connection limit 5`);
      expect(await room(client)).to.equal(4);
      const let_go = await hold(2);
      expect(await room(client)).to.equal(2);
      await admin.query(`alter database ${database.name} connection limit 5`);
      // The admin's counts there too.
      expect(await room(client)).to.equal(1);
      expect(await room(admin)).to.be.greaterThan(100);
      await let_go();
      await client.end();
    });
  });
}

describe('the size of a pool', () => {
  it('leaves three to others, but is never below what it needs nor above what it wants', () => {
    const share = { wanted: 4, least: 2 };
    expect(sizeOf(share, { total: 0, room: 20 })).to.equal(4);
    expect(sizeOf(share, { total: 2, room: 4 })).to.equal(3);
    expect(sizeOf(share, { total: 4, room: 2 })).to.equal(3);
    expect(sizeOf(share, { total: 4, room: 0 })).to.equal(2);
    expect(sizeOf(share, { total: 0, room: -3 })).to.equal(2);
  });
});
