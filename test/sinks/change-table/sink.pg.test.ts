/** What stands in the change table, in the message database (within) and in another one (send). */
import { expect } from 'chai';
import type { Delivery, SendResult, Sink } from '../../../src/model/sink.ts';
import { type Bench, changeTableBench, SOURCE, writeWithin } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const signal = new AbortController().signal;
const done = { kind: 'done' };

for (const where of ['same', 'other'] as const) {
  describe(`a change table in ${where === 'same' ? 'the message database' : 'another database'}`, () => {
    let bench: Bench;
    before(async () => {
      bench = await changeTableBench(where);
    });
    after(() => bench.drop());
    beforeEach(async () => {
      await bench.destination.query('drop table if exists public.orders_events, public.millrace_progress');
    });

    const deliver = (sink: Sink, batch: readonly Delivery[]): Promise<SendResult> =>
      sink.within === undefined ? sink.send(batch, signal) : writeWithin(bench, sink, batch);
    const rows = async (columns: string): Promise<Record<string, unknown>[]> =>
      (await bench.destination.query(`select ${columns} from public.orders_events order by id`)).rows;

    it('is written where it is, and nowhere else', async () => {
      const sink = await bench.open();
      expect(sink.within !== undefined).to.equal(where === 'same');
      const { rows: found } = await bench.destination.query<{ at: string | null }>(
        `select to_regclass('public.millrace_progress')::text as at`,
      );
      expect(found[0]!.at).to.equal(where === 'same' ? null : 'millrace_progress');
    });

    it('has exactly the columns and values of insert, update and delete', async () => {
      const sink = await bench.open();
      const common = { tableOid: 4_000_000_000, tableSchema: 'sales', tableName: 'Orders' };
      const result = await deliver(sink, [
        delivery(1, '7', {
          ...common,
          record: '{"id": 7, "note": "a\\"b"}',
          committedAt: '2026-01-02T03:04:05.678901Z',
        }),
        delivery(2, '7', { ...common, action: 'update', record: '{"id":7,"note":null}', changes: '{"note":"a\\"b"}' }),
        delivery(3, '7', { ...common, action: 'delete', recordPks: ['7', 'eu-1'], record: '{"id":7}' }),
      ]);
      expect(result).to.deep.equal({ outcomes: [done, done, done] });
      const found = await rows(
        `seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk, record::text,
         changes::text, action, committed_at::text, now() - inserted_at < interval '1 minute' as fresh`,
      );
      const same = {
        source_database_id: SOURCE,
        source_table_oid: 4_000_000_000,
        source_table_schema: 'sales',
        source_table_name: 'Orders',
        committed_at: '2026-01-02 03:04:05.678901+00',
        fresh: true,
      };
      expect(found).to.deep.equal([
        { seq: 1, ...same, record_pk: '7', record: '{"id": 7, "note": "a\\"b"}', changes: null, action: 'insert' },
        {
          seq: 2,
          ...same,
          record_pk: '7',
          record: '{"id": 7, "note": null}',
          changes: '{"note": "a\\"b"}',
          action: 'update',
        },
        { seq: 3, ...same, record_pk: '7-eu-1', record: '{"id": 7}', changes: null, action: 'delete' },
      ]);
    });

    it('holds the record, not what a transform made of it', async () => {
      const sink = await bench.open();
      await deliver(sink, [delivery(1, '1', { record: '{"id":1}', body: '{"other":true}' })]);
      expect(await rows('record')).to.deep.equal([{ record: { id: 1 } }]);
    });

    it('keeps every digit of a number', async () => {
      const sink = await bench.open();
      const int = '"int": 9223372036854775807';
      const big = '"amount": 123456789012345678901234567890.1234567890';
      const small = '"smallest": 0.000000000000000000000000000001';
      await deliver(sink, [delivery(1, '1', { record: `{${int}, ${big}, ${small}}` })]);
      expect(await rows('record::text')).to.deep.equal([{ record: `{${int}, ${big}, ${small}}` }]);
    });

    it('carries characters of every kind, in keys and names too', async () => {
      const sink = await bench.open();
      const odd = `a,"b"{}\\ \u001e\t'; drop table x; -- ž 漢 😀`;
      await deliver(sink, [
        delivery(1, odd, {
          tableName: odd,
          record: JSON.stringify({ odd }),
          changes: JSON.stringify({ odd: null }),
          action: 'update',
        }),
        delivery(2, '', { recordPks: [] }),
      ]);
      expect(await rows('record_pk, source_table_name, record, changes')).to.deep.equal([
        { record_pk: odd, source_table_name: odd, record: { odd }, changes: { odd: null } },
        { record_pk: '', source_table_name: 'products', record: { id: '', at: 2 }, changes: null },
      ]);
    });

    it('is written in order of the ids, whatever the order of the batch, and answers in that of the batch', async () => {
      const sink = await bench.open();
      const bad = delivery(2, 'b', { record: '{"a":"\\u0000"}' });
      const { outcomes } = await deliver(sink, [delivery(3, 'c'), bad, delivery(1, 'a')]);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['done', 'park', 'done']);
      expect(await rows('seq')).to.deep.equal([{ seq: 1 }, { seq: 3 }]);
    });

    it('parks the rows that jsonb refuses, without their values, and writes all others', async () => {
      const sink = await bench.open();
      const bad: Record<number, string> = {
        3: '{"secret":"card 4111\\u0000"}',
        4: '{"secret": card 4111}',
        17: '{"n": 1e999999}',
        18: '{"s": "\\ud800 4111"}',
        20: '',
        21: '{"a":\u001e1}',
        40: `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      };
      const batch = Array.from({ length: 40 }, (_, at) => {
        const record = bad[at + 1];
        return delivery(at + 1, `k${at}`, record === undefined ? {} : { record });
      });
      const { outcomes, circuit } = await deliver(sink, batch);
      expect(circuit).to.equal(undefined);
      const parked = outcomes.flatMap((outcome, at) =>
        outcome.kind === 'park' ? [{ id: at + 1, error: outcome.error }] : [],
      );
      expect(parked).to.deep.equal([
        { id: 3, error: '22P05: unsupported Unicode escape sequence' },
        { id: 4, error: '22P02: invalid input syntax for type json' },
        { id: 17, error: '22003: value overflows numeric format' },
        { id: 18, error: '22P02: invalid input syntax for type json' },
        { id: 20, error: 'the message is not JSON' },
        { id: 21, error: 'the message is not JSON' },
        { id: 40, error: '54001: stack depth limit exceeded' },
      ]);
      expect(outcomes.filter(({ kind }) => kind === 'done')).to.have.length(33);
      expect((await rows('seq')).map(({ seq }) => seq)).to.deep.equal(
        batch.map(({ id }) => id).filter((id) => bad[id] === undefined),
      );
    });

    it('parks what a constraint of the user refuses', async () => {
      const sink = await bench.open();
      await bench.destination.query(`alter table orders_events add constraint no_nine check (record_pk <> '9')`);
      const { outcomes } = await deliver(sink, [delivery(1, '8'), delivery(2, '9')]);
      expect(outcomes).to.deep.equal([
        done,
        {
          kind: 'park',
          error: '23514: new row for relation "orders_events" violates check constraint "no_nine"',
        },
      ]);
    });

    it('parks a backfilled row: it is no change', async () => {
      const sink = await bench.open();
      const { outcomes } = await deliver(sink, [delivery(1, '1', { action: 'read' })]);
      expect(outcomes).to.deep.equal([
        { kind: 'park', error: 'a change table holds insert, update and delete, not read' },
      ]);
      expect(await rows('seq')).to.deep.equal([]);
    });

    it('works with mixed case, blanks and quotes in names', async () => {
      await bench.destination.query('create schema if not exists "Sales ""EU"""');
      const name = `Ord$&ers "events"; <event_table> ' --`;
      const sink = await bench.open({ table_schema: 'Sales "EU"', table_name: name });
      expect(await deliver(sink, [delivery(1, '1')])).to.deep.equal({ outcomes: [done] });
      const { rows: found } = await bench.destination.query(
        `select record_pk from "Sales ""EU"""."${name.replaceAll('"', '""')}"`,
      );
      expect(found).to.deep.equal([{ record_pk: '1' }]);
      await bench.destination.query('drop schema "Sales ""EU""" cascade');
    });

    it('takes an empty batch, and one of ten thousand', async () => {
      const sink = await bench.open();
      expect([sink.batchSize, sink.batchBytes]).to.deep.equal([1_000, 4 * 1024 * 1024]);
      expect(await deliver(sink, [])).to.deep.equal({ outcomes: [] });
      const many = Array.from({ length: 10_000 }, (_, at) => delivery(at + 1, `${at}`));
      expect((await deliver(sink, many)).outcomes).to.deep.equal(many.map(() => done));
      expect((await rows('seq')).map(({ seq }) => seq)).to.deep.equal(many.map(({ id }) => id));
    });
  });
}
