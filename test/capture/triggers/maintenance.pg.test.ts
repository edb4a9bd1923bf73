/** What the user does with his database while changes are read waits for no reader of ours, and stops none. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';

/** The user's own guard, as platforms have it. */
const guard = (tag: string): string =>
  `create function refuse() returns event_trigger language plpgsql as $$ begin raise '% is not for you', tg_tag; end $$;
   create event trigger guard on ddl_command_start when tag in ('${tag}') execute function refuse()`;

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

    for (const tag of ['CREATE FUNCTION', 'CREATE TRIGGER', 'ALTER TABLE', 'GRANT'])
      it(`lets an event trigger refuse ${tag}, which keeps a new table out, says so, and stops no other`, async () => {
        await on.source.query(`create table late (id int primary key); ${guard(tag)}`);
        const missing = async () => (await on.notices(sink)).find(({ code }) => code === 'trigger_missing');
        const { table, message, remedy } = await until('it is said', missing);
        expect([table, message]).to.deep.equal([
          'public.late',
          `public.late: it has no triggers of ours, and its database refuses to make them: ${tag} is not for you: its changes are not captured`,
        ]);
        await on.source.query("insert into rows values (2, 'meanwhile')");
        await on.received(sink, 2);
        expect(await on.state()).to.deep.equal({ state: 'streaming', reason: null, remedy: null });
        await on.stop();
        on.start();
        await on.source.query("insert into rows values (3, 'again')");
        await on.received(sink, 3);
        await on.source.query('alter event trigger guard disable');
        await on.source.query(remedy!);
        await until('nothing is said of it any more', async () => !(await missing()));
        await on.source.query('insert into late values (1)');
        expect((await on.received(sink, 4)).map(({ record }) => JSON.parse(record).id)).to.deep.equal([1, 2, 3, 1]);
      });

    for (const tag of ['CREATE FUNCTION', 'GRANT'])
      it(`lets an event trigger refuse ${tag}, which keeps triggers from being renewed, and says so`, async () => {
        await on.source.query(`${guard(tag)}; alter table rows add column late int`);
        const outdated = async () => (await on.notices(sink)).find(({ code }) => code === 'trigger_outdated');
        const { table, message, remedy } = await until('it is said', outdated);
        expect([table, message]).to.deep.equal([
          'public.rows',
          `public.rows: its database refuses to renew its triggers: ${tag} is not for you: they note its changes as before, and settings that were changed since, such as trigger_errors, have no effect on them`,
        ]);
        await on.source.query("insert into rows values (2, 'meanwhile', 7)");
        expect((await on.received(sink, 2))[1]!.record).to.equal('{"id":2,"value":"meanwhile","late":7}');
        await on.stop();
        await on.source.query(`begin; alter event trigger guard disable; ${remedy!.replace(/^begin;|commit;/g, '')};
          alter event trigger guard enable; commit`);
        on.start();
        await until('nothing is said of it any more', async () => !(await outdated()));
        await on.source.query('insert into rows values (3)');
        await on.received(sink, 3);
      });
  });

  it('prints what makes the schema where an event trigger refuses that', async () => {
    const on = await captured(`create table rows (id int primary key, value text); ${guard('CREATE SCHEMA')}`, {
      settings: { capture: 'triggers' },
      timing: { checkMs: 200, recheckMs: 100 },
      as: 'superuser',
    });
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.equal('schema millrace_capture could not be made: CREATE SCHEMA is not for you');
      await on.source.query('alter event trigger guard disable');
      await on.source.query(remedy);
      await on.streaming();
      await on.source.query("insert into rows values (1, 'noted')");
      await on.received(sink, 1);
    } finally {
      await on.close();
    }
  });
});
