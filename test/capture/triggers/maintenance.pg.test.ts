/** What the user does with his database while changes are read waits for no reader of ours. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { eachMajor } from '../../support/postgres/postgres.ts';

describe('maintenance of a source whose changes triggers note', function () {
  this.timeout(180_000);
  eachMajor((cluster) => {
    let on: Captured;
    let sink: number;

    beforeEach(async () => {
      on = await captured('create table rows (id int primary key, value text)', {
        cluster: cluster(),
        settings: { capture: 'triggers' },
        timing: { checkMs: 200, recheckMs: 100 },
      });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query("insert into rows values (1, 'before')");
      await on.received(sink, 1);
    });
    afterEach(async () => {
      await on?.close();
    });

    it('vacuums and freezes all of it, or ids of transactions would run out in the end', async () => {
      await on.source.query("set lock_timeout = '20s'");
      for (const sql of ['vacuum (freeze)', 'vacuum full', 'analyze', 'reindex schema millrace_capture'])
        await on.source.query(sql);
      await on.source.query("update rows set value = 'after'");
      expect((await on.received(sink, 2)).map(({ record }) => record)).to.deep.equal([
        '{"id":1,"value":"before"}',
        '{"id":1,"value":"after"}',
      ]);
    });

    it('drops the schema of the notes while they are read, and waits for no more than a moment', async () => {
      await on.source.query("set lock_timeout = '20s'; drop schema millrace_capture cascade");
      expect((await on.becomes('needs_resync')).reason).to.include('schema millrace_capture was dropped');
      await on.source.query("insert into rows values (2, 'missed')");
      await on.messages.db.query("select millrace.accept_gap('shop')");
      await on.streaming();
      await on.source.query("insert into rows values (3, 'since')");
      expect((await on.received(sink, 2)).map(({ record }) => record)).to.deep.equal([
        '{"id":1,"value":"before"}',
        '{"id":3,"value":"since"}',
      ]);
    });
  });
});
