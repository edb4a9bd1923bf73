import { expect } from 'chai';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay, emitSql, ofReplication } from '../support/postgres/capture-way.ts';
import { startCluster } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const keysAlone = ofReplication('what triggers note of a row is whole');
const confirming = ofReplication('it confirms to a slot');
const identity = ofReplication('triggers need no replica identity');
const slots = ofReplication('it is about a slot');

const SCHEMA = `
  create table products (id int primary key, name text, price numeric, body text);
  alter table products alter column body set storage external;
  create table full_rows (id int primary key, name text, body text);
  alter table full_rows alter column body set storage external;
  alter table full_rows replica identity full;
  create table keyless (a int);
`;
const LONG = 'x'.repeat(9_000);

describe('capture', () => {
  let on: Captured;
  let pull: number;

  beforeEach(async () => {
    on = await captured(SCHEMA);
    pull = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  });
  afterEach(async () => await on.close());

  it('turns an insert, an update and a delete into messages, in commit order', async () => {
    await on.source.query("insert into products values (1, 'mill', 1.10, null), (2, 'race', 1e3, 'b')");
    await on.source.query("update products set name = 'wheel' where id = 1");
    await on.source.query('delete from products where id = 2');
    const rows = await on.received(pull, 4);
    const old = byWay({
      replication: { changes: '{}', record: '{"id":2}' },
      triggers: { changes: '{"name":"mill"}', record: '{"id":2,"name":"race","price":1000,"body":"b"}' },
    });
    expect(rows.map((row) => [row.action, row.record, row.changes, row.record_pks, row.commit_idx])).to.deep.equal([
      ['insert', '{"id":1,"name":"mill","price":1.10,"body":null}', null, '["1"]', 0],
      ['insert', '{"id":2,"name":"race","price":1000,"body":"b"}', null, '["2"]', 1],
      ['update', '{"id":1,"name":"wheel","price":1.10,"body":null}', old.changes, '["1"]', 0],
      ['delete', old.record, null, '["2"]', 0],
    ]);
    expect(rows[0]!.id)
      .to.be.lessThan(rows[1]!.id)
      .and.greaterThan(Date.now() * 1000 - 60_000_000);
    expect(rows[0]!.commit_lsn).to.equal(rows[1]!.commit_lsn);
    expect(rows[0]!.group_key).to.equal(rows[2]!.group_key).and.not.equal(rows[1]!.group_key);
    const message = JSON.parse(rows[0]!.text);
    expect(message.metadata).to.include({ table_schema: 'public', table_name: 'products', commit_idx: 0 });
    expect(message.metadata.database).to.include({ name: 'shop', hostname: '127.0.0.1' });
    expect(message.metadata.commit_timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('shows old values with replica identity full, and both keys of a key change', async () => {
    await on.source.query("insert into full_rows values (1, 'a', 'b')");
    await on.source.query('update full_rows set id = 7');
    await on.source.query('delete from full_rows');
    const rows = await on.received(pull, 3);
    expect(rows[1]).to.include({ record: '{"id":7,"name":"a","body":"b"}', changes: '{"id":1}', record_pks: '["7"]' });
    expect(rows[1]!.group_key2).to.equal(rows[0]!.group_key);
    expect(rows[2]).to.include({ action: 'delete', record: '{"id":7,"name":"a","body":"b"}', changes: null });
  });

  it('stores a key change for a search index as a delete and an index, at the same place', async () => {
    const search = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
    await on.source.query("insert into products values (1, 'mill', 1, null)");
    await on.source.query('update products set id = 2');
    const rows = await on.received(search, 3);
    expect(rows.map((row) => [row.action, row.record_pks])).to.deep.equal([
      ['insert', '["1"]'],
      ['delete', '["1"]'],
      ['update', '["2"]'],
    ]);
    expect(rows[1]!.lane).to.equal(rows[0]!.lane);
    expect([rows[1]!.commit_lsn, rows[1]!.commit_idx]).to.deep.equal([rows[2]!.commit_lsn, rows[2]!.commit_idx]);
  });

  it('never leaves a hole for an unchanged TOAST value', async () => {
    await on.source.query('insert into products values (1, $1, 1, $2)', ['n', LONG]);
    await on.source.query('insert into full_rows values (1, $1, $2)', ['n', LONG]);
    await on.source.query("update products set name = 'm'; update full_rows set name = 'm'");
    const rows = await on.received(pull, 4);
    expect(JSON.parse(rows[2]!.record)).to.deep.equal({ id: 1, name: 'm', price: 1, body: LONG });
    expect(JSON.parse(rows[3]!.record)).to.deep.equal({ id: 1, name: 'm', body: LONG });
    expect(rows[3]!.changes).to.equal('{"name":"n"}');
    expect([rows[2]!.unchanged_toast, rows[3]!.unchanged_toast]).to.deep.equal([null, null]);
  });

  keysAlone.it('names the TOAST column of a row that is gone', async () => {
    await on.stop();
    await on.source.query('insert into products values (1, $1, 1, $2)', ['n', LONG]);
    await on.source.query("update products set name = 'm'");
    await on.source.query('delete from products');
    on.start();
    const rows = await on.received(pull, 3);
    expect(rows[1]).to.include({ record: '{"id":1,"name":"m","price":1}', unchanged_toast: '["body"]' });
    expect(JSON.parse(rows[1]!.text).metadata.unchanged_toast).to.deep.equal(['body']);
  });

  it('marks the changes that follow an annotation in its transaction', async () => {
    await on.source.query(`begin; insert into products values (1);
      ${emitSql('millrace:annotations', '{"user":"ann"}')};
      insert into products values (2); commit; insert into products values (3)`);
    const rows = await on.received(pull, 3);
    expect(rows.map((row) => row.annotations)).to.deep.equal([null, '{"user":"ann"}', null]);
  });

  it('warns of a truncate on every sink of the table', async () => {
    await on.source.query('insert into products values (1)');
    await on.received(pull, 1);
    await on.source.query('truncate products');
    await until('a notice of the truncate', async () => {
      const { rows } = await on.messages.db.query<{ notices: { code: string; table: string }[] | null }>(
        'select notices from millrace.sink_status',
      );
      return rows[0]!.notices?.some((n) => n.code === 'truncated' && n.table === 'public.products') ?? false;
    });
  });

  it('goes on after a restart where it stopped', async () => {
    await on.source.query('insert into products select generate_series(1, 500)');
    await on.received(pull, 500);
    await on.stop();
    await on.source.query('insert into products select generate_series(501, 1000)');
    on.start();
    const rows = await on.received(pull, 1000);
    expect(rows.map((row) => JSON.parse(row.record).id)).to.deep.equal(Array.from({ length: 1000 }, (_, i) => i + 1));
  });

  confirming.it('confirms only what is durable', async () => {
    await on.source.query('insert into products select generate_series(1, 500)');
    await on.received(pull, 500);
    await until('the slot is confirmed up to what is recorded', async () => {
      const slot = await on.source.query(
        'select confirmed_flush_lsn::text as lsn from pg_replication_slots where slot_name = $1',
        [on.slot],
      );
      const { rows: status } = await on.messages.db.query<{ same: boolean }>(
        'select confirmed_lsn >= $1::pg_lsn as same from millrace.database_status',
        [slot.rows[0].lsn],
      );
      const { rows: current } = await on.source.query(
        'select pg_current_wal_lsn() - confirmed_flush_lsn < 1000 as near from pg_replication_slots where slot_name = $1',
        [on.slot],
      );
      return status[0]!.same && current[0].near;
    });
  });

  identity.it(
    'leaves a table without a key out of the publication, so that the user can go on writing it',
    async () => {
      await on.source.query(
        'insert into keyless values (1); update keyless set a = 2; insert into products values (1)',
      );
      const rows = await on.received(pull, 1);
      expect(rows).to.have.length(1);
      const { rows: status } = await on.messages.db.query<{ notices: Record<string, string>[] }>(
        'select notices from millrace.sink_status',
      );
      expect(status[0]!.notices.find((one) => one.code === 'not_published')).to.include({ table: 'public.keyless' });
    },
  );

  it('says that a table which a sink names is not there', async () => {
    const source = {
      include_schemas: null,
      exclude_schemas: null,
      include_tables: ['sales.orders'],
      exclude_tables: null,
    };
    await on.addSink(sinkSettings({ name: 'lost', destination: PULL, source }));
    await until('the notice', async () => {
      const { rows } = await on.messages.db.query<{ notices: Record<string, string>[] | null }>(
        "select notices from millrace.sink_status where sink_name = 'lost'",
      );
      return rows[0]!.notices?.some((one) => one.code === 'table_missing' && one.table === 'sales.orders');
    });
  });

  it('lets its source be stopped at once, and goes on when it is back', async () => {
    const cluster = await startCluster({ settings: { synchronous_commit: 'on' } });
    const own = await captured('create table t (id int primary key)', { cluster });
    try {
      const sink = await own.addSink(sinkSettings({ name: 'own', destination: PULL }));
      own.start();
      await own.streaming();
      await own.source.query('insert into t values (1)');
      await own.received(sink, 1);
      await own.source.end();
      const stopped = await Promise.race([
        cluster.stop().then(() => true),
        new Promise((resolve) => setTimeout(resolve, 8_000, false).unref()),
      ]);
      expect(stopped).to.equal(true);
      await until('the loss is seen', async () => (await own.state()).state === 'error');
    } finally {
      await own.close();
    }
  });

  /** The server notices a closed connection a moment later. */
  const slotIsFree = () =>
    until('nobody streams from the slot', async () => {
      const slot = await on.source.query<{ active: boolean }>(
        'select active from pg_replication_slots where slot_name = $1',
        [on.slot],
      );
      return slot.rows[0]?.active === false;
    });

  slots.it('says so when its slot is dropped, and starts anew only when told', async () => {
    await on.stop();
    await slotIsFree();
    await on.source.query('select pg_drop_replication_slot($1)', [on.slot]);
    await on.source.query('insert into products values (1)');
    on.start();
    await until('the gap is seen', async () => (await on.state()).state === 'needs_resync');
    expect((await on.state()).reason).to.contain('is gone');
    await on.messages.db.query("select millrace.accept_gap('shop')");
    await on.streaming();
    await on.source.query('insert into products values (2)');
    const rows = await on.received(pull, 1);
    expect(rows.map((row) => row.record_pks)).to.deep.equal(['["2"]']);
  });

  slots.it('refuses a slot that somebody advanced', async () => {
    await on.stop();
    await slotIsFree();
    await on.source.query('set synchronous_commit = on; insert into products values (1)');
    await on.source.query('select pg_replication_slot_advance($1, pg_current_wal_lsn())', [on.slot]);
    on.start();
    await until('the gap is seen', async () => (await on.state()).state === 'needs_resync');
    expect((await on.state()).reason).to.contain('advanced');
  });
});
