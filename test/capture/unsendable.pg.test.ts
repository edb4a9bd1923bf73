/** A change that Postgres cannot send stops its source until somebody acts: what is said leads out of it. */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { AS_PLAIN } from '../support/postgres/plain-role.ts';
import { openSession, type Session } from '../support/postgres/sessions.ts';
import { until } from '../support/until.ts';

/** As the remedy says. */
async function skip(on: Captured, remedy: string): Promise<void> {
  const drop = /select pg_drop_replication_slot\('[^']+'\)/.exec(remedy)![0];
  const isDropped = async (): Promise<boolean> =>
    await on.source.query(drop).then(
      () => true,
      // In use by the try that is under way.
      ({ code }) => code !== '55006',
    );
  await until('the slot is dropped', isDropped);
  await on.becomes('needs_resync');
  await on.messages.db.query("select millrace.accept_gap('shop')");
  await on.streaming();
}

describe('a change that Postgres cannot send', function () {
  this.timeout(120_000);

  ofReplication('triggers know no row filter').it('is said, and skipped by what the remedy says', async function () {
    // Publishing as the test's own role is what this needs.
    if (AS_PLAIN) return this.skip();
    const on = await captured(
      'create table items (id int primary key, n int); create publication own for table items where (100 / id > 1)',
      { settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } } },
    );
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query('insert into items values (1, 1)');
      await on.received(sink, 1);
      await on.source.query('insert into items values (0, 1)');
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.equal('Postgres cannot send the next change: division by zero');
      expect(remedy).to.match(/a row filter of the publication fails on it: correct that first/);
      await on.keepsState();
      await on.source.query('alter publication own set table items');
      await skip(on, remedy);
      await on.source.query('insert into items values (2, 2)');
      expect((await on.received(sink, 2)).map(({ record }) => record)).to.deep.equal([
        '{"id":1,"n":1}',
        '{"id":2,"n":2}',
      ]);
    } finally {
      await on.close();
    }
  });

  ofReplication('triggers have no slot').it(
    'is that of a table that was truncated while the slot was made',
    async () => {
      const on = await captured('create table items (id int primary key); create table gone (id int primary key)');
      const source = openPool({ address: on.sourceUrl, max: 2, applicationName: 'test', path: 'role' });
      const sessions = await Promise.all(Array.from({ length: 2 }, () => openSession(source)));
      const [first, second] = sessions as [Session, Session];
      try {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        const begin = async (session: Session): Promise<void> => {
          await session.query('begin');
          await session.query('select pg_current_xact_id()');
        };
        const waitsFor = async (session: Session): Promise<unknown> =>
          await until('the slot waits for it to end', async () => {
            const sql = 'select from pg_stat_activity a where $1 = any (pg_blocking_pids(a.pid))';
            return (await on.source.query(sql, [session.pid])).rowCount! > 0;
          });
        await begin(first);
        on.start();
        await waitsFor(first);
        await begin(second);
        await on.source.query('truncate gone');
        await first.query('commit');
        await waitsFor(second);
        // Of the catalog as it is now, Postgres makes a view that the following transactions share.
        await on.source.query('insert into items values (1)');
        await second.query('commit');
        await on.streaming();
        await on.source.query('insert into gone values (1)');
        const { reason, remedy } = await on.becomes('error');
        expect(reason).to.match(/^Postgres cannot send the next change: could not map filen(umber|ode) /);
        expect(remedy).to.match(/a table was truncated or rewritten while the slot was made/);
        await skip(on, remedy);
        await on.source.query('insert into gone values (2)');
        expect((await on.received(sink, 1)).map(({ record }) => record)).to.deep.equal(['{"id":2}']);
      } finally {
        for (const session of sessions) await session.close();
        await source.close();
        await on.close();
      }
    },
  );
});
