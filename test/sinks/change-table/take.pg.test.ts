/** The straight path: messages are copied from where they lie, as they would be written one by one, or not at all. */
import { expect } from 'chai';
import type { LaneEnd } from '../../../src/deliver/held-lane.ts';
import type { Delivery, Sink, Taken } from '../../../src/model/sink.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../../src/transform/sandbox.ts';
import { type Bench, changeTableBench, writeWithin } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { laneSink, runOnce } from '../../support/fixtures/lane.ts';

const log = createLog({ level: 'silent', role: 'test' });
const COLUMNS =
  'seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk, record::text, changes::text, action, committed_at::text';
const TABLE = { tableOid: 4_000_000_000, tableSchema: 'sales', tableName: 'Orders' };

describe('the straight path into a change table', () => {
  let bench: Bench;
  let sandbox: Sandbox;
  let sink: Sink;
  /** What each call of `take` came to. */
  let takes: (Taken | undefined)[];

  before(() => {
    sandbox = openSandbox({ log });
  });
  after(() => sandbox.close());
  beforeEach(async () => {
    bench = await changeTableBench('same');
    await bench.messages.db.query(
      `insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
       select no, $1::bigint, $2::text, $3::text, '' from millrace_private.databases`,
      [TABLE.tableOid, TABLE.tableSchema, TABLE.tableName],
    );
    takes = [];
    const opened = await bench.open();
    const within = opened.within!;
    const take: Sink['take'] = async (tx, above) => {
      const taken = await opened.take!(tx, above);
      takes.push(taken);
      return taken;
    };
    sink = { ...opened, within, take };
  });
  afterEach(() => bench.drop());

  const run = async (which: Sink = sink): Promise<LaneEnd> => {
    const { rows } = await bench.messages.db.query<{ no: number }>('select no from millrace_private.sinks');
    const sinkNo = rows[0]!.no;
    const target = laneSink({ no: sinkNo, name: 'orders-history', sink: which });
    return await runOnce({ db: bench.messages.db, sandbox }, { target });
  };
  const entries = async (table: string): Promise<unknown[]> =>
    (await bench.destination.query(`select ${COLUMNS} from public.${table} order by id`)).rows;
  const seqs = async (): Promise<number[]> =>
    (await bench.destination.query<{ seq: number }>('select seq from public.orders_events order by id')).rows.map(
      ({ seq }) => seq,
    );
  const messages = async (): Promise<number[]> =>
    (await bench.messages.db.query<{ id: number }>('select id from millrace_private.messages order by id')).rows.map(
      ({ id }) => id,
    );
  const some = (count: number): Delivery[] =>
    Array.from({ length: count }, (_, at) => delivery(at + 1, `k${at}`, TABLE));

  it('writes what is written one by one: keys, names and values of every kind', async () => {
    const odd = `a,"b"{}\\ \t'; drop table x; -- ž 漢 😀`;
    const keys = [['7'], [''], [], ['7', 'eu-1'], [odd], [odd, ''], ['a","b'], ['"'], ['\\'], ['[""]'], ['a-b']];
    const batch = keys.map((recordPks, at) =>
      delivery(at + 1, '', {
        ...TABLE,
        recordPks,
        action: (['insert', 'update', 'delete'] as const)[at % 3]!,
        record: `{"n": 1.10, "big": 12345678901234567890.123, "odd": ${JSON.stringify(odd)}, "n": 2}`,
        changes: at % 3 === 1 ? `{"odd": ${JSON.stringify(odd)}}` : null,
        committedAt: '2026-01-02T03:04:05.678901Z',
      }),
    );
    await bench.keep(batch);
    await run();
    const at = Date.parse('2026-01-02T03:04:05.678901Z') + 0.901;
    expect(takes).to.deep.equal([
      { hi: keys.length, count: keys.length, more: false, committedMs: { first: at, last: at } },
    ]);
    await bench.destination.query('create table public.one_by_one (like public.orders_events including all)');
    const other = await bench.open({ table_name: 'one_by_one' });
    await writeWithin(bench, other, batch);
    const written = await entries('orders_events');
    expect(written).to.deep.equal(await entries('one_by_one'));
    expect(written).to.have.length(keys.length);
    expect(await messages()).to.deep.equal([]);
  });

  it('takes many, in their order, some thousands at a time, and stops when there are few', async () => {
    const batch = some(5_030);
    await bench.messages.db.query(
      `insert into millrace_private.messages (sink_no, lane, id, source_table, action, record_pks, commit_lsn,
                                              commit_idx, committed_at, record)
       select s.no, 0, n, 1, 'insert', '["k"]', 1, 0, now(), '{"id":1}'
         from millrace_private.sinks s, generate_series(1, $1::integer) n`,
      [batch.length],
    );
    await run();
    expect(takes.map((taken) => taken && { hi: taken.hi, count: taken.count, more: taken.more })).to.deep.equal([
      { hi: 5_000, count: 5_000, more: true },
      { hi: 5_030, count: 30, more: false },
    ]);
    expect(await seqs()).to.deep.equal(batch.map(({ id }) => id));
  });

  it('takes large rows some megabytes at a time, and goes on until none is left', async () => {
    const record = JSON.stringify({ text: 'x'.repeat(3_000_000) });
    await bench.keep(some(5).map((row) => ({ ...row, record })));
    await run();
    expect(takes.map((taken) => taken && [taken.count, taken.more])).to.deep.equal([
      [3, true],
      [2, true],
      [0, false],
    ]);
    expect(await messages()).to.deep.equal([]);
  });

  it('leaves rows that jsonb refuses to be looked at: they are parked, all others written once', async () => {
    const batch = some(300).map((row) => (row.id % 150 === 0 ? { ...row, record: '{"a":"\\u0000"}' } : row));
    await bench.keep(batch);
    await run();
    expect(await seqs()).to.deep.equal(batch.map(({ id }) => id).filter((id) => id % 150 !== 0));
    const { rows } = await bench.messages.db.query('select id, error from millrace.parked_messages order by id');
    const error = '22P05: unsupported Unicode escape sequence';
    expect(rows).to.deep.equal([150, 300].map((id) => ({ id, error })));
    // Parked ones are in nobody's way.
    await bench.keep([delivery(301, 'k', TABLE)]);
    await run();
    expect(takes.at(-1)).to.deep.include({ hi: 301, count: 1, more: false });
    expect((await seqs()).at(-1)).to.equal(301);
  });

  it('parks a backfilled row: it is no change', async () => {
    await bench.keep([delivery(1, 'a', TABLE), delivery(2, 'b', { ...TABLE, action: 'read' })]);
    await run();
    expect(takes[0]).to.equal(undefined);
    expect([await seqs(), await messages()]).to.deep.equal([[1], [2]]);
  });

  for (const state of ['retrying', 'held']) {
    it(`takes nothing past a message that is ${state}`, async () => {
      await bench.keep(some(3));
      await bench.messages.db.query(
        `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, due_at)
         select no, 2, 0, $1, 1, case when $1 = 'retrying' then now() + interval '1 hour' end from millrace_private.sinks`,
        [state],
      );
      await run();
      expect(takes).to.deep.equal([undefined]);
    });
  }

  it('writes nothing when the lane has another owner by then', async () => {
    await bench.keep(some(3));
    const overtaken: Sink = {
      ...sink,
      take: async (tx, above) => {
        const taken = await sink.take!(tx, above);
        await bench.messages.db.query("update millrace_private.lanes set owner = 'another'");
        return taken;
      },
    };
    expect(await run(overtaken)).to.deep.equal({ taken: true, again: 'now' });
    expect([await seqs(), await messages()]).to.deep.equal([[], [1, 2, 3]]);
  });

  it('a table that is locked, or gone, opens the circuit, and no message is touched', async () => {
    await bench.keep(some(3));
    const opened = await bench.open({ create_if_not_exists: false }, { lockTimeoutMs: 50 });
    const reason = async (): Promise<unknown[]> =>
      (await bench.messages.db.query('delete from millrace_private.circuits returning reason, left(error, 5) as code'))
        .rows;
    await bench.destination.transaction(async (tx) => {
      await tx.query('lock table public.orders_events');
      await run(opened);
    });
    expect(await reason()).to.deep.equal([{ reason: 'bad_destination', code: '55P03' }]);
    await bench.destination.query('drop table public.orders_events');
    await run(opened);
    expect(await reason()).to.deep.equal([{ reason: 'bad_destination', code: '"publ' }]);
    expect(await messages()).to.deep.equal([1, 2, 3]);
  });
});
