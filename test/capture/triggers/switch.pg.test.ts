/** From one way of capture to the other: each change is told once, whatever is open meanwhile. */
import { expect } from 'chai';
import { ownXid } from '../../../src/capture/switch/ready.ts';
import { openPool } from '../../../src/db/pool.ts';
import type { CapturedOptions } from '../../support/fixtures/captured.ts';
import {
  byRow,
  isAscending,
  NOTES,
  PUBLISH,
  type SwitchedSource,
  switchedSource,
} from '../../support/fixtures/switched.ts';
import { until } from '../../support/until.ts';

const SCHEMA = 'create table rows (id int primary key, value text)';

describe('a switch of the way of capture', () => {
  let it_: SwitchedSource;
  const begin = async (way: 'replication' | 'triggers', options: CapturedOptions = {}): Promise<SwitchedSource> => {
    it_ = await switchedSource(SCHEMA, way, options);
    it_.on.start();
    await it_.on.streaming();
    return it_;
  };
  afterEach(async () => await it_?.close());

  it('goes from triggers to replication and back, and tells each change once', async () => {
    const { on, sink, declare, goneOver, reads } = await begin('triggers');
    await on.source.query("insert into rows values (1, 'noted')");
    await on.received(sink, 1);
    await on.source.query(PUBLISH);
    await declare('replication');
    await on.source.query("insert into rows values (2, 'either')");
    await goneOver('replication');
    expect(await reads()).to.equal(on.slot);
    await on.source.query("update rows set value = 'by the slot' where id = 1");
    await on.received(sink, 3);
    await declare('triggers');
    await on.source.query("insert into rows values (3, 'either')");
    await goneOver('triggers');
    expect(await reads()).to.equal(NOTES);
    await on.source.query("update rows set value = 'noted again' where id = 1");
    const rows = await on.received(sink, 5);
    expect(rows.map(({ record }) => record)).to.deep.equal([
      '{"id":1,"value":"noted"}',
      '{"id":2,"value":"either"}',
      '{"id":1,"value":"by the slot"}',
      '{"id":3,"value":"either"}',
      '{"id":1,"value":"noted again"}',
    ]);
    expect(isAscending(rows)).to.equal(true);
    expect((await on.state()).state).to.equal('streaming');
  });

  it('waits for what was open when the slot was there, and goes on by triggers meanwhile', async () => {
    const { on, sink, declare, goneOver, reads, session, warnings } = await begin('triggers', {
      timing: { checkMs: 100, statementMs: 1_000 },
    });
    const slow = await session();
    await slow.query("begin; insert into rows values (1, 'slow')");
    await on.source.query(PUBLISH);
    await declare('replication');
    await until('it says so', async () => (await warnings()).includes('capture_switching'));
    await on.source.query("insert into rows values (2, 'meanwhile')");
    await on.received(sink, 1);
    await until('it says whom it waits for', async () => /backends \d+/.test((await on.state()).reason ?? ''));
    expect(await reads()).to.equal(NOTES);
    await slow.query("update rows set value = 'slower' where id = 1; commit");
    await goneOver('replication');
    await on.source.query("insert into rows values (3, 'after')");
    expect(byRow(await on.received(sink, 4))).to.deep.equal(
      new Map([
        ['["2"]', ['insert {"id":2,"value":"meanwhile"}']],
        ['["1"]', ['insert {"id":1,"value":"slow"}', 'update {"id":1,"value":"slower"}']],
        ['["3"]', ['insert {"id":3,"value":"after"}']],
      ]),
    );
    expect(await warnings()).to.deep.equal([]);
  });

  it('waits for tables that are locked without keeping writers waiting for long, and tells what was written before', async () => {
    const { on, sink, declare, goneOver, reads, session, warnings } = await begin('replication');
    const slow = await session();
    await slow.query("begin; insert into rows values (1, 'before its triggers')");
    await declare('triggers');
    await until('it says so', async () => /rows is locked/.test((await on.state()).reason ?? ''));
    expect(await warnings()).to.include('capture_switching');
    // A lock that is waited for keeps others behind it for as long.
    await on.source.query("set lock_timeout = '4s'; insert into rows values (2, 'meanwhile')");
    await on.received(sink, 1);
    expect(await reads()).to.equal(on.slot);
    await slow.query('commit');
    await goneOver('triggers');
    await on.source.query("update rows set value = 'after'");
    expect(byRow(await on.received(sink, 4))).to.deep.equal(
      new Map([
        ['["2"]', ['insert {"id":2,"value":"meanwhile"}', 'update {"id":2,"value":"after"}']],
        ['["1"]', ['insert {"id":1,"value":"before its triggers"}', 'update {"id":1,"value":"after"}']],
      ]),
    );
  });

  it('says what is in the way of a slot, and goes on by triggers', async () => {
    const { on, sink, declare, goneOver, reads } = await begin('triggers');
    const waitsFor = async (what: RegExp): Promise<void> =>
      void (await until(`it waits for ${what}`, async () => {
        const { reason, remedy } = await on.state();
        return what.test(`${reason} ${remedy}`);
      }));
    await declare('replication');
    await waitsFor(/leaves out inserts, updates or deletes.*alter publication/);
    await on.source.query("insert into rows values (1, 'noted')");
    await on.received(sink, 1);
    expect(await reads()).to.equal(NOTES);
    await on.source.query(PUBLISH);
    await goneOver('replication');
    // One that is not ours to make.
    await declare('triggers');
    await goneOver('triggers');
    await declare('replication', { slot: { name: `${on.slot}_x`, create_if_not_exists: false } });
    await waitsFor(/does not exist.*pg_create_logical_replication_slot/s);
    await on.source.query(`select pg_create_logical_replication_slot('${on.slot}_x', 'pgoutput')`);
    await goneOver('replication');
    await on.source.query("insert into rows values (2, 'by the other slot')");
    await on.received(sink, 2);
    expect(await reads()).to.equal(`${on.slot}_x`);
    await on.stop();
    // The server may be a moment behind.
    await until('nobody reads the slot', async () => {
      const { rows } = await on.source.query(
        `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${on.slot}_x' and not active`,
      );
      return rows.length > 0;
    });
  });

  it('does not leave a table behind that triggers cannot note as it is published', async () => {
    const { on, sink, declare, goneOver, reads } = await begin('replication');
    await on.source.query(
      'alter publication millrace_test drop table rows; alter publication millrace_test add table rows (id)',
    );
    await declare('triggers');
    await until('it says so', async () => /lists some of its columns/.test((await on.state()).reason ?? ''));
    expect(await reads()).to.equal(on.slot);
    await on.source.query(
      'alter publication millrace_test drop table rows; alter publication millrace_test add table rows',
    );
    await goneOver('triggers');
    await on.source.query("insert into rows values (1, 'noted')");
    await until('it is told', async () => (await on.received(sink, 0)).some(({ record }) => /noted/.test(record)));
  });

  it('forgets a switch that is taken back before it was made', async () => {
    const { on, sink, declare, reads, session, warnings } = await begin('triggers', {
      timing: { statementMs: 600_000 },
    });
    const slow = await session();
    await slow.query("begin; insert into rows values (1, 'slow')");
    await on.source.query(PUBLISH);
    await declare('replication');
    await until('the slot waits', async () => {
      const { rows } = await on.source.query(
        "select from pg_stat_activity where query like '%create_logical%' and pid <> pg_backend_pid() and state = 'active'",
      );
      return rows.length === 1;
    });
    await declare('triggers');
    await until('it is taken back', async () => (await warnings()).length === 0);
    await slow.query('commit');
    await on.source.query("insert into rows values (2, 'quick')");
    expect([...byRow(await on.received(sink, 2)).keys()].toSorted()).to.deep.equal(['["1"]', '["2"]']);
    expect(await reads()).to.equal(NOTES);
  });

  it('needs a resync where the slot is gone before all was read, and begins by triggers then', async () => {
    const { on, sink, declare, goneOver } = await begin('replication');
    await on.source.query("insert into rows values (1, 'by the slot')");
    await on.received(sink, 1);
    await on.stop();
    await on.source.query(`select pg_drop_replication_slot('${on.slot}')`);
    await declare('triggers');
    on.start();
    const { reason, remedy } = await on.becomes('needs_resync');
    expect(reason).to.match(/is gone/);
    expect(remedy).to.match(/resync/);
    await on.messages.db.query("select millrace.resync('shop')");
    await goneOver('triggers');
    await until('all rows came again', async () => (await on.received(sink, 2)).length >= 2);
  });

  it('needs a resync where the slot cannot be read any more, and says why', async () => {
    const { on, declare, goneOver } = await begin('replication', { as: 'plain' });
    await on.stop();
    const role = on.declared.address.user;
    await on.source.query(`alter role "${role}" noreplication`);
    await declare('triggers');
    on.start();
    const { reason, remedy } = await on.becomes('needs_resync');
    expect(reason).to.match(/is to be captured by triggers.*may not replicate/);
    expect(remedy).to.match(/^alter role .* replication.*; or go on without it: select millrace.resync/);
    // Repaired, it goes on without a resync.
    await on.source.query(`alter role "${role}" replication`);
    await goneOver('triggers');
  });

  it('makes the slot once more where it goes before it is read', async () => {
    const { on, sink, declare, goneOver, session } = await begin('triggers');
    await on.source.query(PUBLISH);
    await declare('replication');
    const slow = await session();
    // Begun at any time: where it began behind the slot, the slot waits for nobody.
    await slow.query("begin; insert into rows values (1, 'slow')");
    await on.source.query("insert into rows values (2, 'meanwhile')");
    await on.received(sink, 1);
    await on.source
      .query(
        `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${on.slot}' and not active`,
      )
      .catch(() => undefined);
    await slow.query('commit');
    await goneOver('replication');
    await on.source.query("insert into rows values (3, 'after')");
    expect([...byRow(await on.received(sink, 3)).keys()].toSorted()).to.deep.equal(['["1"]', '["2"]', '["3"]']);
  });

  it('counts what has an id and is open among what was there before', async () => {
    const { on, session } = await begin('triggers');
    const db = openPool({ address: on.sourceUrl, max: 1, applicationName: 'test' });
    try {
      const open = await session();
      await open.query('begin');
      const { rows } = await open.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
      expect((await ownXid(db)) > BigInt(rows[0]!.xid)).to.equal(true);
    } finally {
      await db.close();
    }
  });
});
