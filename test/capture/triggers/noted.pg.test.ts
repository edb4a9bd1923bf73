import { expect } from 'chai';
import type pg from 'pg';
import { openTriggerStream } from '../../../src/capture/triggers/stream.ts';
import type { Captured } from '../../support/fixtures/captured.ts';
import { type NotedSource, startNotedSource, told } from '../../support/fixtures/noted-source.ts';
import { startPostgresRelay } from '../../support/postgres/postgres-relay.ts';
import { until } from '../../support/until.ts';

describe('capture by triggers', () => {
  let noted: NotedSource;
  let on: Captured;
  let sink: number;
  const session = (): Promise<pg.Client> => noted.session();

  beforeEach(async () => {
    noted = await startNotedSource();
    ({ on, sink } = noted);
  });
  afterEach(async () => await noted?.close());

  it('needs no slot, no right to replicate and no replica identity, and tells whole old rows', async () => {
    await on.source.query("insert into rows values (1, 'a'); update rows set value = 'b'; delete from rows");
    await on.source.query("insert into keyless values ('x'); update keyless set value = 'y'; delete from keyless");
    const rows = await on.received(sink, 6);
    expect(told(rows)).to.deep.equal([
      ['insert', '{"id":1,"value":"a"}', null],
      ['update', '{"id":1,"value":"b"}', '{"value":"a"}'],
      ['delete', '{"id":1,"value":"b"}', null],
      ['insert', '{"value":"x"}', null],
      ['update', '{"value":"y"}', '{"value":"x"}'],
      ['delete', '{"value":"y"}', null],
    ]);
    expect(rows.map((row) => row.commit_idx)).to.deep.equal([0, 1, 2, 0, 1, 2]);
    expect(
      (await on.source.query('select from pg_replication_slots where slot_name = $1', [on.slot])).rowCount,
    ).to.equal(0);
  });

  it('waits for no open transaction, and brings what one commits later', async () => {
    const slow = await session();
    await slow.query("begin; insert into rows values (1, 'slow')");
    await on.source.query("insert into rows values (2, 'quick')");
    expect(told(await on.received(sink, 1))).to.deep.equal([['insert', '{"id":2,"value":"quick"}', null]]);
    await slow.query("update rows set value = 'slower' where id = 1; commit");
    expect(told(await on.received(sink, 3)).slice(1)).to.deep.equal([
      ['insert', '{"id":1,"value":"slow"}', null],
      ['update', '{"id":1,"value":"slower"}', '{"value":"slow"}'],
    ]);
  });

  it('tells nothing of what was rolled back, to a savepoint or as a whole', async () => {
    await on.source.query(
      `begin; insert into rows values (1, 'kept'); savepoint s; update rows set value = 'undone'; rollback to s;
       insert into rows values (2, 'kept too'); release s; commit`,
    );
    await on.source.query("begin; insert into rows values (3, 'never'); rollback");
    await on.source.query("insert into rows values (4, 'last')");
    const rows = await on.received(sink, 3);
    expect(rows.map((row) => row.record)).to.deep.equal([
      '{"id":1,"value":"kept"}',
      '{"id":2,"value":"kept too"}',
      '{"id":4,"value":"last"}',
    ]);
  });

  it('goes on where it stopped, and tells each change once', async () => {
    const open = await session();
    await open.query("begin; insert into rows values (1, 'open')");
    await on.source.query("insert into rows values (2, 'before')");
    await on.received(sink, 1);
    await on.stop();
    await on.source.query("insert into rows values (3, 'meanwhile')");
    await open.query('commit');
    on.start();
    await on.source.query("insert into rows values (4, 'after')");
    const rows = await on.received(sink, 4);
    expect(rows.map((row) => row.record_pks)).to.have.members(['["1"]', '["2"]', '["3"]', '["4"]']);
    const lsns = rows.map((row) => row.commit_lsn);
    expect(new Set(lsns).size).to.equal(4);
  });

  it('tells nothing of what a dump of another database has brought along', async () => {
    await on.source.query("insert into rows values (1, 'there')");
    await on.received(sink, 1);
    await on.stop();
    // As it is restored: with the ids that transactions had there.
    await on.source.query(
      `insert into millrace_capture.changes (seq, part, xid, rel, shape, op, old, new)
       select c.seq, c.part, '900000000000'::xid8, c.rel, c.shape, c.op, c.old, c.new from millrace_capture.changes c`,
    );
    await on.messages.db.query("select millrace.resync('shop', force => true)");
    on.start();
    await on.streaming();
    await on.source.query("insert into rows values (2, 'here')");
    const inserts = async (): Promise<string[]> =>
      (await on.received(sink, 1)).filter(({ action }) => action === 'insert').map(({ record_pks }) => record_pks);
    await until('the new row', async () => (await inserts()).includes('["2"]'));
    expect(await inserts()).to.deep.equal(['["1"]', '["2"]']);
    expect(
      (await on.source.query("select from millrace_capture.changes where xid >= '900000000000'")).rowCount,
    ).to.equal(0);
  });

  it('names a table and its columns as they were when the change was made', async () => {
    await on.stop();
    await on.source.query(`
      insert into rows values (1, 'a');
      alter table rows rename column value to text;
      insert into rows values (2, 'b');
      alter table rows rename to lines;
      alter table lines rename column id to no;
      insert into lines values (3, 'c');
      alter table lines drop column text, add column n int default 7;
      insert into lines values (4)`);
    on.start();
    const rows = await on.received(sink, 4);
    expect(rows.map((row) => [JSON.parse(row.text).metadata.table_name, row.record, row.record_pks])).to.deep.equal([
      ['rows', '{"id":1,"value":"a"}', '["1"]'],
      ['rows', '{"id":2,"text":"b"}', '["2"]'],
      ['lines', '{"no":3,"text":"c"}', '["3"]'],
      ['lines', '{"no":4,"n":7}', '["4"]'],
    ]);
  });

  it('says which tables changed without a note, because a session had noting switched off', async () => {
    await on.source.query(`
      set millrace.capture = off;
      insert into rows values (1, 'a');
      insert into rows values (2, 'b');
      reset millrace.capture;
      insert into rows values (3, 'c')`);
    expect(told(await on.received(sink, 1))).to.deep.equal([['insert', '{"id":3,"value":"c"}', null]]);
    const notices = (await on.notices(sink)).filter(({ code }) => code === 'capture_switched_off');
    expect(notices.map(({ table }) => table)).to.deep.equal(['public.rows']);
    expect(notices[0]!.message).to.include('without noting that');
  });

  it('says that changes may be missing when the triggers of a table were disabled, also once they are back', async () => {
    const codes = async (): Promise<string[]> => (await on.notices(sink)).map(({ code }) => code);
    const looked = async (code: string): Promise<void> => {
      await on.stop();
      on.start();
      await until(`notice ${code}`, async () => (await codes()).includes(code));
    };
    await on.source.query("alter table rows disable trigger user; insert into rows values (1, 'missed')");
    await looked('trigger_disabled');
    await on.source.query(`do $$ declare name text; begin
      for name in select t.tgname from pg_trigger t where t.tgrelid = 'rows'::regclass and not t.tgisinternal loop
        execute format('alter table rows enable always trigger %I', name);
      end loop;
    end $$`);
    await looked('changes_left_out');
    await until('only that is said', async () => !(await codes()).includes('trigger_disabled'));
    expect((await on.notices(sink)).find(({ code }) => code === 'changes_left_out')!.table).to.equal('public.rows');
  });

  it('says that changes may be missing when a table was out of the publication, and its triggers were gone', async () => {
    const triggers = async (): Promise<number | null> =>
      (await on.source.query("select from pg_trigger where tgrelid = 'rows'::regclass and not tgisinternal")).rowCount;
    // One that Millrace has made itself would get the table again.
    await on.source.query('create publication own for table keyless');
    await on.stop();
    on.declared.settings = {
      ...on.settings,
      publication: { name: 'own', create_if_not_exists: false, init_sql: null },
    };
    on.start();
    await until('they are gone', async () => (await triggers()) === 0);
    await on.source.query("insert into rows values (1, 'missed'); alter publication own add table rows");
    await on.stop();
    on.start();
    await until('they are back', async () => (await triggers()) === 2);
    await until('it is said', async () =>
      (await on.notices(sink)).some(({ code, table }) => code === 'changes_left_out' && table === 'public.rows'),
    );
    await on.source.query("insert into rows values (2, 'told')");
    expect(told(await on.received(sink, 1))).to.deep.equal([['insert', '{"id":2,"value":"told"}', null]]);
  });

  it('has annotations of a transaction, which are noted like its changes', async () => {
    await on.source.query(`begin; insert into rows values (1);
      select millrace_capture.message('millrace:annotations', '{"user":"ann"}');
      insert into rows values (2); commit; insert into rows values (3)`);
    const rows = await on.received(sink, 3);
    expect(rows.map((row) => row.annotations)).to.deep.equal([null, '{"user":"ann"}', null]);
  });

  it('says so when its schema is dropped, and starts anew only when told', async () => {
    await on.source.query("insert into rows values (1, 'a')");
    await on.received(sink, 1);
    await on.stop();
    await on.source.query('drop schema millrace_capture cascade');
    await on.source.query("insert into rows values (2, 'missed')");
    on.start();
    expect((await on.becomes('needs_resync')).reason).to.include('schema millrace_capture was dropped');
    await on.messages.db.query("select millrace.accept_gap('shop')");
    await on.streaming();
    await on.source.query("insert into rows values (3, 'c')");
    expect((await on.received(sink, 2)).map((row) => row.record_pks)).to.deep.equal(['["1"]', '["3"]']);
  });

  it('goes on while a slot cannot be had, whatever else is declared with it, there and back', async () => {
    await on.source.query("insert into rows values (1, 'a')");
    await on.received(sink, 1);
    await on.stop();
    const { capture: _, ...byReplication } = on.declared.settings;
    on.declared.settings = { ...byReplication, publication: { ...byReplication.publication, name: 'another' } };
    on.start();
    await until('it says so', async () => /switches to capture by replication/.test((await on.state()).reason ?? ''));
    await on.source.query("insert into rows values (2, 'b')");
    await on.received(sink, 2);
    await on.stop();
    on.declared.settings = on.settings;
    on.start();
    await until('it goes on', async () => (await on.state()).reason === null);
    await on.source.query("insert into rows values (3, 'c')");
    expect((await on.received(sink, 3)).map((row) => row.record_pks)).to.deep.equal(['["1"]', '["2"]', '["3"]']);
  });

  it('lets a second capture wait until the first one is gone', async () => {
    const holder = await session();
    await on.stop();
    await holder.query('begin; lock table millrace_capture.reader in exclusive mode');
    const generation = async (): Promise<number> =>
      (await on.messages.db.query<{ n: number }>('select generation as n from millrace_private.positions')).rows[0]!.n;
    const before = await generation();
    on.start();
    await on.source.query("insert into rows values (1, 'a')");
    // It comes again and again.
    const looks = `select from pg_stat_activity where application_name like 'millrace capture%' and datname = current_database()`;
    await until('it looks whether it is its turn', async () => (await on.source.query(looks)).rowCount === 1);
    expect(await generation()).to.equal(before);
    await holder.query('commit');
    expect(told(await on.received(sink, 1))).to.deep.equal([['insert', '{"id":1,"value":"a"}', null]]);
  });

  it('says who else reads what triggers note, and that it is none of its own', async () => {
    const holder = await session();
    await on.stop();
    await holder.query(
      "set application_name = 'millrace capture shop'; begin; lock table millrace_capture.reader in exclusive mode",
    );
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = rows[0]!;
    on.start();
    const { reason } = await on.becomes('standby');
    expect(reason).to.equal(
      `what triggers note in this database is read by backend ${pid} (millrace capture shop) already`,
    );
    const { rows: said } = await on.messages.db.query<{ remedy: string }>(
      'select remedy from millrace.database_status',
    );
    expect(said[0]!.remedy)
      .to.include('in one entry of one service')
      .and.include(`select pg_terminate_backend(${pid})`);
  });

  it('can be closed while the server is away without a word', async () => {
    await on.stop();
    const relay = await startPostgresRelay(on.sourceUrl);
    try {
      const { rows } = await on.source.query<{ now: string }>('select pg_current_snapshot()::text as now');
      const plan = { no: 1, from: rows[0]!.now, to: rows[0]!.now, firstLsn: 1n };
      let looks = 0;
      const stream = openTriggerStream(
        {
          onMessage: () => undefined,
          onKeepAlive: () => {
            looks += 1;
          },
          onRead: () => undefined,
          onSwitchedOff: () => Promise.resolve(),
          onUnreadable: () => Promise.resolve(),
        },
        {
          source: { address: relay.url, max: 1, applicationName: 'test' },
          begin: () => Promise.resolve({ plan, after: 1n }),
          ...{ raw: false, generated: () => false, beside: on.messages.db },
        },
      );
      await stream.started;
      stream.resume();
      await until('it looks', () => looks > 0);
      relay.swallow(true);
      const since = Date.now();
      // It looks every 250 ms.
      await until('a look is under way', () => Date.now() - since > 600);
      await stream.close();
    } finally {
      relay.swallow(false);
      await relay.close();
    }
  });
});
