/** What triggers leave behind where a database goes over to replication: none of them goes on noting changes for nobody. */
import { expect } from 'chai';
import { PUBLISH, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { until } from '../../support/until.ts';

const SCHEMA = `create table rows (id int primary key, value text);
  create table parts (id int primary key, value text) partition by range (id);
  create table parts_1 partition of parts for values from (0) to (100)`;

describe('triggers of a database that has gone over to replication', () => {
  let it_: SwitchedSource;
  const goOver = async (): Promise<SwitchedSource> => {
    it_ = await switchedSource(SCHEMA, 'triggers');
    it_.on.start();
    await it_.on.streaming();
    await it_.on.source.query(PUBLISH);
    return it_;
  };
  afterEach(async () => await it_?.close());

  const triggers = async (): Promise<string[]> => {
    const { rows } = await it_.on.source.query<{ name: string }>(
      `select distinct g.tgrelid::regclass::text as name from pg_trigger g join pg_proc p on p.oid = g.tgfoid
        where p.pronamespace = to_regnamespace('millrace_capture') order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const noted = async (): Promise<number> => {
    const { rows } = await it_.on.source.query<{ n: number }>(
      'select count(*)::int4 as n from millrace_capture.changes',
    );
    return rows[0]!.n;
  };

  it('are removed, with what they have noted, and made anew by a switch back', async () => {
    const { on, sink, declare, goneOver, warnings } = await goOver();
    await on.source.query("insert into rows values (1, 'noted'); insert into parts values (1, 'noted')");
    await on.received(sink, 2);
    await declare('replication');
    await goneOver('replication');
    await until('they are gone', async () => (await triggers()).length === 0 && (await noted()) === 0);
    expect(await warnings()).to.deep.equal([]);
    await on.source.query("update rows set value = 'by the slot'; update parts set value = 'by the slot'");
    await on.received(sink, 4);
    expect(await noted()).to.equal(0);
    // A program that does not know of the switch yet goes on, and what it says is nobody's.
    await on.source.query("select millrace_capture.message('millrace:annotations', '{}')");
    await until('it is emptied', async () => (await noted()) === 0);
    await declare('triggers');
    await goneOver('triggers');
    expect(await triggers()).to.deep.equal(['parts', 'parts_1', 'rows']);
    await on.source.query("update rows set value = 'noted again'; update parts set value = 'noted again'");
    const rows = await on.received(sink, 6);
    expect(rows.map(({ action, record }) => `${action} ${record}`)).to.deep.equal([
      ...['insert {"id":1,"value":"noted"}', 'insert {"id":1,"value":"noted"}'],
      ...['update {"id":1,"value":"by the slot"}', 'update {"id":1,"value":"by the slot"}'],
      ...['update {"id":1,"value":"noted again"}', 'update {"id":1,"value":"noted again"}'],
    ]);
  });

  it('stay on a table where an event trigger refuses to drop them, which is said, and go from every other', async () => {
    const { on, sink, declare, goneOver, warnings } = await goOver();
    await on.source.query(`insert into rows values (1, 'noted');
      create function refuse() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_dropped_objects() d where d.address_names[2] = 'parts') then
          raise '% is not for you', tg_tag;
        end if;
      end $$;
      create event trigger guard on sql_drop execute function refuse()`);
    await on.received(sink, 1);
    await declare('replication');
    await goneOver('replication');
    await until('those of the other table are gone', async () => (await triggers()).join() === 'parts,parts_1');
    const [left] = await until('it is said', async () => {
      const found = await warnings();
      return found.length > 0 && found;
    });
    expect(left).to.equal('capture_left');
    expect((await on.state()).reason).to.equal(
      'triggers note changes for nobody, and cannot be removed: DROP TRIGGER is not for you',
    );
    const { remedy } = await on.state();
    const table = (await on.source.query<{ oid: number }>("select 'parts'::regclass::oid::bigint as oid")).rows[0]!.oid;
    // The tables one by one: whoever writes to them meanwhile would be in a deadlock with all at once.
    expect(remedy).to.match(
      new RegExp(
        `^drop function if exists millrace_capture."table_${table}"\\(\\) cascade; drop schema if exists millrace_capture cascade; -- `,
      ),
    );
    await on.source.query('alter event trigger guard disable');
    await until('they are gone', async () => (await triggers()).length === 0);
  });

  it('stay on a table that is locked, which is said until it is not', async () => {
    const { on, sink, declare, goneOver, session, warnings } = await goOver();
    // Nobody who writes waits for it, and it has no id.
    const slow = await session();
    await slow.query('begin; lock table rows in share mode');
    await declare('replication');
    await goneOver('replication');
    await until('the others are gone', async () => (await triggers()).join() === 'rows');
    await until('it is said', async () => (await warnings()).includes('capture_left'));
    await slow.query('commit');
    await until('it is said no more', async () => (await warnings()).length === 0);
    expect(await triggers()).to.deep.equal([]);
    await on.source.query("insert into rows values (1, 'by the slot')");
    await on.received(sink, 1);
  });
});
