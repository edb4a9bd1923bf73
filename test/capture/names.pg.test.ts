/** Names that are no UTF-8, as a SQL_ASCII database may have them: they stop nothing, and what to do is said. */
import { expect } from 'chai';
import pg from 'pg';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { sharedSource } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

describe('names that are no UTF-8', function () {
  this.timeout(120_000);
  const name = `names_${process.pid}`;
  /** A statement with the byte e9 wherever `~` stands. */
  const raw = (sql: string): string =>
    `do $do$ begin execute convert_from(decode(replace('${Buffer.from(sql).toString('hex')}', '7e', 'e9'), 'hex'), 'SQL_ASCII'); end $do$`;

  const names = ofReplication('the publication is what its remedy is about');
  names.it(
    'of a table and of a column: all others are captured, and the table too once it is published by hand',
    async () => {
      const cluster = await sharedSource();
      const admin = new pg.Client({ connectionString: cluster.adminUrl });
      await admin.connect();
      await admin.query(`create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`);
      const url = new URL(cluster.adminUrl);
      url.pathname = `/${name}`;
      const database = { name, url: url.href, drop: async () => undefined };
      const on = await captured('create table plain (id int primary key)', { database, timing: { checkMs: 150 } });
      try {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await on.source.query(raw('create table caf~ (id int primary key)'));
        await on.source.query(raw('create table odd (id int primary key, stra~e int)'));
        const left = await until('a notice', async () =>
          (await on.notices(sink)).find(({ code, table }) => code === 'not_published' && table === 'public.caf\ufffd'),
        );
        expect(left.message).to.contain('its name has bytes that are no UTF-8');
        expect(left.remedy).to.contain('Rename it');
        await on.source.query('insert into odd values (1, 2); insert into plain values (1)');
        expect((await on.received(sink, 2)).map(({ record }) => record)).to.deep.equal([
          '{"id":1,"stra\ufffde":2}',
          '{"id":1}',
        ]);
        expect(await backfilled(on.messages.db, "'all', 'odd'")).to.include({
          state: 'failed',
          reason: 'public.odd has a column whose name is no UTF-8: its rows cannot be asked for',
          remedy: 'Rename the column. The changes of the table are captured all the same.',
        });
        await on.source.query(raw('alter publication millrace_test add table only public.caf~'));
        await until('it is known', async () => (await on.notices(sink)).every(({ code }) => code !== 'not_published'));
        await on.source.query(raw('insert into caf~ values (7)'));
        expect((await on.received(sink, 3))[2]!.record).to.equal('{"id":7}');
        expect((await on.state()).state).to.equal('streaming');
      } finally {
        await on.close();
        await admin.query(`drop database if exists ${name} with (force)`);
        await admin.end();
      }
    },
  );
});
