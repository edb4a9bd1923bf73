/** A publication of all tables has ours too, in which triggers note changes: they are no changes of anybody, and keep nobody from writing. */
import { expect } from 'chai';
import { byRow, isAscending, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { AS_PLAIN, toPlainRole } from '../../support/postgres/plain-role.ts';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';

const SCHEMA = 'create table rows (id int primary key, value text)';

describe('a publication of all tables', function () {
  this.timeout(120_000);
  eachMajor((cluster, major) => {
    const publications = [
      'create publication millrace_test for all tables',
      ...(major >= 15 ? ['create publication millrace_test for tables in schema public, millrace_capture'] : []),
    ];
    for (const publication of publications) {
      let it_: SwitchedSource;
      afterEach(async () => await it_?.close());
      const begin = async (way: 'triggers' | 'replication'): Promise<SwitchedSource> => {
        const own = AS_PLAIN ? `${toPlainRole('alter schema millrace_capture owner to')};` : '';
        const isThere = publication.includes('millrace_capture') ? `create schema millrace_capture; ${own}` : '';
        it_ = await switchedSource(`${SCHEMA}; ${isThere} ${publication}`, way, { cluster: cluster() });
        it_.on.start();
        await it_.on.streaming();
        return it_;
      };
      it(`is captured by triggers, and by replication after a switch and before it: ${publication}`, async () => {
        const { on, sink, declare, goneOver, warnings } = await begin('replication');
        await on.source.query("insert into rows values (1, 'by the slot')");
        await on.received(sink, 1);
        await declare('triggers');
        await on.source.query("insert into rows values (2, 'either')");
        await goneOver('triggers');
        await on.source.query("update rows set value = 'noted' where id = 1; delete from rows where id = 2");
        await on.received(sink, 4);
        await declare('replication');
        await goneOver('replication');
        await on.source.query("update rows set value = 'by the slot again'");
        const rows = await on.received(sink, 5);
        expect(byRow(rows)).to.deep.equal(
          new Map([
            [
              '["1"]',
              [
                'insert {"id":1,"value":"by the slot"}',
                'update {"id":1,"value":"noted"}',
                'update {"id":1,"value":"by the slot again"}',
              ],
            ],
            ['["2"]', ['insert {"id":2,"value":"either"}', 'delete {"id":2,"value":"either"}']],
          ]),
        );
        expect(isAscending(rows)).to.equal(true);
        await until('nothing is awaited', async () => (await warnings()).length === 0);
        expect((await on.state()).state).to.equal('streaming');
      });
    }
  });
});
