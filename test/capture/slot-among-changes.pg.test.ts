/** A slot that is made while tables are changed knows what was done to them. */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { eachMajor } from '../support/postgres/postgres.ts';
import { openSession, type Session } from '../support/postgres/sessions.ts';
import { until } from '../support/until.ts';

const SCHEMA = `create table items (id int primary key); create table emptied (id int primary key);
  create table wider (id int primary key); create table renamed (id int primary key, old int)`;

ofReplication('triggers have no slot').describe('a slot that is made while tables are changed', () => {
  eachMajor((cluster) => {
    it('is made again until it knows what was done to them', async () => {
      const on = await captured(SCHEMA, { cluster: cluster() });
      const source = openPool({ address: on.sourceUrl, max: 2, applicationName: 'test', path: 'role' });
      const [first, second] = [await openSession(source), await openSession(source)];
      const begin = async (session: Session): Promise<void> => {
        await session.query('begin');
        await session.query('select pg_current_xact_id()');
      };
      const waitsFor = async (session: Session): Promise<unknown> =>
        await until('the slot waits for it to end', async () => {
          const sql = 'select from pg_stat_activity a where $1 = any (pg_blocking_pids(a.pid))';
          return (await on.source.query(sql, [session.pid])).rowCount! > 0;
        });
      try {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        await begin(first);
        on.start();
        await waitsFor(first);
        await begin(second);
        // One of them in a subtransaction: its id is what rows of the catalog have.
        await on.source.query('truncate emptied');
        await on.source.query('begin; savepoint s; alter table wider add column note text; commit');
        await on.source.query('alter table renamed rename column old to new');
        await first.query('commit');
        await waitsFor(second);
        // Of the catalog as it takes it to be, Postgres makes a view here that later transactions share.
        await on.source.query('insert into items values (1)');
        await second.query('commit');
        await on.streaming();
        await on.source.query(
          "insert into emptied values (1); insert into wider values (1, 'seen'); insert into renamed values (1, 2)",
        );
        const records = (await on.received(sink, 3)).map(({ record }) => JSON.parse(record));
        expect(records).to.deep.equal([{ id: 1 }, { id: 1, note: 'seen' }, { id: 1, new: 2 }]);
        const slots = 'select from pg_replication_slots where database = current_database()';
        expect((await on.source.query(slots)).rowCount).to.equal(1);
      } finally {
        await first.close();
        await second.close();
        await source.close();
        await on.close();
      }
    });
  });
});
