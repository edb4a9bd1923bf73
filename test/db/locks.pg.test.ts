/** Who may connect, and nothing else, can stop none of it, whatever numbers it guesses: our locks are not for everybody. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { freeStorage } from '../../src/catalog/apply/remove-sink.ts';
import { migrateSchema } from '../../src/db/migrate.ts';
import { append } from '../../src/messages/append.ts';
import { readPosition } from '../../src/messages/position.ts';
import { createChangeTable } from '../../src/sinks/change-table/table.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { removeSink } from '../support/fixtures/remove-sink.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';
import { openSession, type Session, untilBlocked } from '../support/postgres/sessions.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

/** What was ours once, what is the library's for migrations, and the creation of change tables. */
const GUESSES = [
  '7376000000000001',
  '7376000000000002',
  '7241865325823964',
  `hashtextextended('millrace: create a change table', 0)`,
];
const silent = { log: { info: () => undefined, warn: () => undefined } };

describe('locks', () => {
  let m: MessageDatabase;
  let stranger: Session;
  before(async () => {
    m = await messageDatabase();
    stranger = await openSession(m.db);
    const { rows } = await m.db.query(`select from pg_roles where rolname = 'millrace_stranger'`);
    if (rows.length === 0) await m.db.query('create role millrace_stranger');
    await stranger.query('set role millrace_stranger');
  });
  after(async () => {
    await stranger.close();
    await m.drop();
  });

  it('of functions are none that anybody could take', async () => {
    const { rows } = await m.db.query(
      `select p.oid::regprocedure::text as name from pg_proc p
        where p.pronamespace in ('millrace'::regnamespace, 'millrace_private'::regnamespace) and p.prosrc ~ 'advisory'`,
    );
    expect(rows, 'see migrations/0002_catalog_tables.sql').to.deep.equal([]);
  });

  it('cannot be taken by a role without rights', async () => {
    const { no } = await addPullSink(m.db, { name: 'closed' });
    const statements = ['lock_appliers', 'lock_catalog', 'lock_migrations', `lock_${no}`, `turn_${no}`].map(
      (name) => `lock table millrace_private.${name} in access share mode`,
    );
    for (const statement of [...statements, `select millrace_private.lock_consumer(${no}, 'alone')`]) {
      await stranger.query('begin');
      const code = await stranger.query(statement).catch((error: { code: string }) => error.code);
      expect(code, statement).to.equal('42501');
      await stranger.query('rollback');
    }
  });

  it('that stop our processes are not kept by who leaves a transaction open', async () => {
    const { name } = await addPullSink(m.db, { name: 'left-open' });
    const person = await openSession(m.db);
    const patience = async (): Promise<number> => {
      const setting = "current_setting('idle_in_transaction_session_timeout')::interval";
      const { rows } = await person.query<{ ms: string }>(`select extract(epoch from ${setting}) * 1000 as ms`);
      return Number(rows[0]!.ms);
    };
    const cases: string[][] = [];
    for (const call of [
      `millrace.pause('${name}')`,
      `millrace.retry('${name}', '{1}')`,
      `millrace.discard('${name}', '{1}')`,
      `millrace.accept_gap('shop')`,
    ]) {
      for (const own of ['0', '10min', '7s']) {
        await person.query(`set idle_in_transaction_session_timeout = '${own}'`);
        await person.query(`begin; select ${call}`);
        const meanwhile = await patience();
        await person.query('rollback');
        cases.push([call, own, String(meanwhile), String(await patience())]);
      }
    }
    await person.query("set idle_in_transaction_session_timeout = '50ms'");
    await person.query(`begin; select millrace.pause('${name}')`);
    await until('it is ended', async () => {
      const { rows } = await m.db.query('select from pg_stat_activity where pid = $1', [person.pid]);
      return rows.length === 0;
    });
    await person.close();
    for (const [call, own, meanwhile, after] of cases) {
      expect(meanwhile, `${call} ${own}`).to.equal(own === '7s' ? '7000' : '30000');
      expect(after, `${call} ${own}`).to.equal({ '0': '0', '10min': '600000' }[own!] ?? '7000');
    }
    const { rows } = await m.db.query('select status from millrace_private.sinks where name = $1', [name]);
    expect(rows).to.deep.equal([{ status: 'active' }]);
  });

  it('that strangers guess stop neither receive and its answers, nor capture, catalog, migrations, change tables', async () => {
    const { no } = await addPullSink(m.db, { name: 'orders', maxPerGroup: 2 });
    await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 1 }, { group: 2 }]);
    for (const guess of GUESSES) await stranger.query(`select pg_advisory_lock(${guess})`);
    for (const guess of [7376, 7377]) await stranger.query(`select pg_advisory_lock(${guess}, ${no})`);
    await stranger.query(`select pg_advisory_lock(hashint8extended(1, ${no}))`);

    const pull = pullFrom(m.db, no);
    const batch = await pull.receive(10);
    expect(batch.ids).to.have.length(3);
    expect(await pull.nack(batch.ackIds.slice(0, 1))).to.equal(1);
    expect(await pull.ack(batch.ackIds)).to.equal(3);
    const rest = await pull.receive(10);
    expect(await pull.ack(rest.ackIds)).to.equal(1);

    const { rows } = await m.db.query<{ no: number; generation: number; catalog: number }>(
      `select p.database_no as no, p.generation, c.generation as catalog
         from millrace_private.positions p, millrace_private.catalog_state c`,
    );
    const [{ no: databaseNo, generation, catalog }] = rows as [(typeof rows)[0]];
    const position = { commitLsn: 100n, commitIdx: 0, confirmedLsn: 100n, nextId: 1 };
    const writer = { databaseNo, generation, catalogGeneration: catalog };
    await append(m.db, writer, { rows: undefined, parked: [], position });
    expect((await readPosition(m.db, databaseNo))?.commitLsn).to.equal(100n);

    const config = parse('functions: [{ name: just-id, type: path, path: record.id }]').config;
    await applyConfig({ db: m.db, keys: KEYS }, config);
    const { no: removed } = await addPullSink(m.db, { name: 'removed' });
    await removeSink(m.db, 'removed');
    expect(await freeStorage(m.db, 5_000)).to.equal(true);
    const left = await m.db.query(`select from pg_class where relname ~ '_${removed}$'`);
    expect(left.rowCount, 'the lock of a removed consumer').to.equal(0);
    await migrateSchema(silent, { address: m.url, max: 1, applicationName: 'millrace test' });
    await m.db.transaction((tx) => createChangeTable(tx, { schema: 'public', name: 'orders_events' }));
  });

  it('of migrations let one after the other run, also from nothing', async () => {
    const database = await (await sharedCluster()).createDatabase();
    const options = { address: database.url, max: 1, applicationName: 'millrace test' };
    const done = await Promise.all([1, 2, 3].map(() => migrateSchema(silent, options)));
    expect(done.filter((names) => names.length > 0)).to.have.length(1);
    await database.drop();
  });

  describe('in a transaction that acknowledges and then receives', () => {
    it('lead to no deadlock: the other one gets nothing for now, and loses nothing', async () => {
      const { no } = await addPullSink(m.db, { name: 'twice' });
      await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 1 }, { group: 2 }]);
      const pull = pullFrom(m.db, no);
      const first = await pull.receive(1);
      const second = await pull.receive(1);
      const [a, b] = [await openSession(m.db), await openSession(m.db)];
      const received: { ids: number[] }[] = [];
      for (const [session, { ackIds }] of [
        [a, first],
        [b, second],
      ] as const) {
        await session.query('begin');
        expect(await pullFrom(session, no).ack(ackIds)).to.equal(1);
      }
      // Both hold X shared, and each would need it alone: the next row of each group is behind one that the other sees.
      received.push(...(await Promise.all([pullFrom(a, no).receive(10), pullFrom(b, no).receive(10)])));
      await Promise.all([a.query('commit'), b.query('commit')]);
      await until('all come', async () => {
        received.push(await pull.receive(10));
        return received.flatMap(({ ids }) => ids).length === 2;
      });
      await Promise.all([a.close(), b.close()]);
      expect(await pull.stored()).to.have.length(2);
    });

    it('get what there is when nobody is in the way', async () => {
      const { no } = await addPullSink(m.db, { name: 'alone' });
      await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
      const a = await openSession(m.db);
      const pull = pullFrom(a, no);
      await a.query('begin');
      expect(await pull.ack((await pull.receive(1)).ackIds)).to.equal(1);
      expect((await pull.receive(10)).ids).to.have.length(1);
      await a.query('commit');
      await a.close();
    });

    it('wait no longer than a moment for a receive of somebody else', async () => {
      const { no } = await addPullSink(m.db, { name: 'behind' });
      await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }]);
      const [a, b] = [await openSession(m.db), await openSession(m.db)];
      const mine = await pullFrom(m.db, no).receive(1);
      await a.query('begin');
      await b.query('begin');
      expect(await pullFrom(b, no).ack(mine.ackIds)).to.equal(1);
      const waiting = pullFrom(a, no).receive(10);
      await untilBlocked(m.db, a, b);
      // A waits for the acknowledgement of B, and B would wait for A.
      expect((await pullFrom(b, no).receive(1)).ids).to.deep.equal([]);
      await b.query('commit');
      expect((await waiting).ids).to.have.length(2);
      await a.query('commit');
      await Promise.all([a.close(), b.close()]);
    });
  });
});
