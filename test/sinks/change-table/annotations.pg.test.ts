/** The optional column of a change table that says who made a change: filled while it is there, whatever becomes of it. */
import { expect } from 'chai';
import type { Delivery, Sink } from '../../../src/model/sink.ts';
import { type Bench, changeTableBench } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const NEVER = new AbortController().signal;
const TABLE = { tableOid: 16_385, tableSchema: 'public', tableName: 'orders' };

for (const where of ['same', 'other'] as const) {
  describe(`annotations in a change table of ${where === 'same' ? 'the message database' : 'another database'}`, () => {
    let bench: Bench;
    let sink: Sink;
    let next: number;

    beforeEach(async () => {
      bench = await changeTableBench(where);
      next = 1;
      await bench.messages.db.query(
        `insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
         select no, $1::bigint, $2::text, $3::text, '' from millrace_private.databases`,
        [TABLE.tableOid, TABLE.tableSchema, TABLE.tableName],
      );
      sink = await bench.open();
    });
    afterEach(() => bench.drop());

    const alter = (what: string) => bench.destination.query(`alter table public.orders_events ${what}`);
    const annotated = (annotations: string): Delivery => {
      const id = next++;
      const metadata = `{"table_name":"orders","record_pks":["${id}"],"transaction_annotations":${annotations},"x":{"a":[1]}}`;
      return delivery(id, `k${id}`, { ...TABLE, metadata });
    };
    /** On each way that there is; the outcomes, in order. */
    const write = async (...annotations: string[]): Promise<string[]> => {
      const batch = annotations.map(annotated);
      await bench.keep(batch);
      const send = sink.within
        ? bench.messages.db.transaction((tx) => sink.within!(tx, batch))
        : sink.send(batch, NEVER);
      const { outcomes, circuit } = await send;
      expect(circuit).to.equal(undefined);
      await bench.settle(batch.map(({ id }) => id));
      return outcomes.map(({ kind }) => kind);
    };
    const take = async (...annotations: string[]): Promise<number | undefined> => {
      const batch = annotations.map(annotated);
      await bench.keep(batch);
      const { rows } = await bench.messages.db.query<{ no: number }>('select no from millrace_private.sinks');
      const above = { sinkNo: rows[0]!.no, lane: 0, cursor: batch[0]!.id - 1 };
      const taken = await bench.messages.db.transaction((tx) => sink.take!(tx, above));
      await bench.settle(batch.map(({ id }) => id));
      return taken?.count;
    };
    const kept = async (): Promise<(string | null)[]> =>
      (
        await bench.destination.query<{ text: string | null }>(
          'select transaction_annotations::text as text from public.orders_events order by id',
        )
      ).rows.map(({ text }) => text);
    const count = async (): Promise<number> =>
      (await bench.destination.query('select id from public.orders_events')).rowCount;

    it('are kept from the batch on that follows the column, and the sink goes on without it', async () => {
      expect(await write('{"user":"ann"}')).to.deep.equal(['done']);
      await alter('add column transaction_annotations jsonb');
      expect(await write('{"user":"ben","n":1.50,"odd":"a,\\"b{}"}', 'null', '"text"')).to.deep.equal([
        'done',
        'done',
        'done',
      ]);
      if (where === 'same') expect(await take('{"user":"cat"}', 'null')).to.equal(2);
      const before = [null, '{"n": 1.50, "odd": "a,\\"b{}", "user": "ben"}', null, '"text"'];
      expect(await kept()).to.deep.equal([...before, ...(where === 'same' ? ['{"user": "cat"}', null] : [])]);
      await alter('drop column transaction_annotations');
      expect(await write('{"user":"dan"}')).to.deep.equal(['done']);
      if (where === 'same') expect(await take('{"user":"eve"}')).to.equal(1);
      await alter('add column transaction_annotations jsonb');
      expect(await write('null', '{"user":"fay"}')).to.deep.equal(['done', 'done']);
      expect((await kept()).slice(-2)).to.deep.equal([null, '{"user": "fay"}']);
    });

    it('that jsonb refuses are left out, and the change is kept; so are none in a batch', async () => {
      await alter('add column transaction_annotations jsonb');
      const refused = ['{"user":"a\\u0000b"}', '{"n":1e999999}', '{"user":"\\ud800"}'];
      expect(await write('{"user":"ann"}', ...refused, 'null')).to.deep.equal(['done', 'done', 'done', 'done', 'done']);
      expect(await kept()).to.deep.equal(['{"user": "ann"}', null, null, null, null]);
      expect(await write('null', 'null')).to.deep.equal(['done', 'done']);
      const bad = annotated('{"user":"ann"}');
      const batch = [{ ...bad, record: '{"a":"\\u0000"}' }];
      const send = sink.within
        ? bench.messages.db.transaction((tx) => sink.within!(tx, batch))
        : sink.send(batch, NEVER);
      expect((await send).outcomes[0]!.kind).to.equal('park');
    });

    for (const [what, column, remedied] of [
      ['another type', 'transaction_annotations text', true],
      ['json', 'transaction_annotations json', true],
      ['a default of another type', "transaction_annotations varchar(20) default 'x'", true],
      ['no null', "transaction_annotations jsonb not null default '{}'", true],
      ['a number', 'transaction_annotations integer', true],
      ['an expression', "transaction_annotations jsonb generated always as (record -> 'by') stored", true],
      ['an expression of 18', "transaction_annotations jsonb generated always as (record -> 'by') virtual", true],
    ] as const) {
      it(`a column of that name with ${what} is the user's own: left alone, with a notice whose remedy runs`, async function () {
        const { rows } = await bench.destination.query<{ n: string }>(
          "select current_setting('server_version_num') as n",
        );
        if (column.endsWith('virtual') && Number(rows[0]!.n) < 180000) return this.skip();
        await alter(`add column ${column}`);
        expect(await write('{"user":"ann"}')).to.deep.equal(['done']);
        if (where === 'same') expect(await take('{"user":"ann"}')).to.equal(1);
        sink = await bench.open();
        const notices = async () =>
          (
            await bench.messages.db.query<{ code: string; message: string; remedy: string }>(
              'select code, message, remedy from millrace_private.notices',
            )
          ).rows;
        const [notice, ...others] = await notices();
        expect(others).to.deep.equal([]);
        expect(notice!.code).to.equal('annotations_not_kept');
        expect(notice!.message).to.include('column "transaction_annotations"');
        await bench.destination.query(notice!.remedy);
        expect(await write('{"user":"ben"}')).to.deep.equal(['done']);
        expect((await kept()).at(-1)).to.equal(remedied ? '{"user": "ben"}' : null);
        sink = await bench.open();
        expect(await notices()).to.deep.equal([]);
        expect(await count()).to.equal(where === 'same' ? 3 : 2);
      });
    }
  });
}
