/** What will fail one day is said on the retention beforehand, and no longer once it is fixed. */
import { expect } from 'chai';
import type { Sink } from '../../../../src/model/sink.ts';

import { type Bench, changeTableBench, writeWithin } from '../../../support/fixtures/change-table.ts';
import { delivery } from '../../../support/fixtures/delivery.ts';

const signal = new AbortController().signal;

for (const where of ['same', 'other'] as const) {
  describe(`notices of a change table in ${where === 'same' ? 'the message database' : 'another database'}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await changeTableBench(where);
    });
    afterEach(() => bench.drop());

    const notices = async () =>
      (
        await bench.messages.db.query<{ code: string; table_name: string; message: string; remedy: string }>(
          `select n.code, n.table_name, n.message, n.remedy
             from millrace_private.notices n join millrace_private.sinks s on s.no = n.sink_no
            where s.id = $1`,
          [bench.retentionId],
        )
      ).rows;

    /** Writes one entry, which looks at the table again. */
    async function write(sink: Sink, id: number): Promise<void> {
      const batch = [delivery(id, String(id))];
      await bench.keep(batch);
      const result = sink.within ? await writeWithin(bench, sink, batch) : await sink.send(batch, signal);
      expect(result).to.deep.equal({ outcomes: [{ kind: 'done' }] });
    }

    it('a serial that is 70 % used up', async () => {
      await bench.open();
      await bench.destination.query('alter table orders_events alter column id type integer');
      const sink = await bench.open({}, { recheckMs: 0 });
      expect(await notices()).to.deep.equal([]);
      await bench.destination.query(`select setval('orders_events_id_seq', 1503238600)`);
      await write(sink, 1);
      const [notice, ...others] = await notices();
      expect(others).to.deep.equal([]);
      expect(notice).to.deep.include({ code: 'serial_ends', table_name: 'public.orders_events' });
      expect(notice!.message).to.equal('column "id" is an integer that is 70 % used up');
      await bench.destination.query(notice!.remedy);
      await write(sink, 2);
      expect(await notices()).to.deep.equal([]);
    });

    it('less than two partitions ahead', async () => {
      await bench.destination.query(`
        create table orders_events (
          id bigserial, seq bigint not null, source_database_id uuid not null, source_table_oid bigint not null,
          source_table_schema text not null, source_table_name text not null, record_pk text not null,
          record jsonb not null, changes jsonb, action text not null, committed_at timestamptz not null,
          inserted_at timestamptz not null default now(), primary key (id, committed_at)
        ) partition by range (committed_at)`);
      const partition = (name: string, from: string, to: string) =>
        bench.destination.query(
          `do $$ begin execute format('create table ${name} partition of orders_events for values from (%L) to (%L)',
             ${from}, ${to}); end $$`,
        );
      await partition('past', `'-infinity'::timestamptz`, `date_trunc('day', now())`);
      const today = `date_trunc('day', now())`;
      await partition('today', today, `${today} + interval '1 day'`);
      const sink = await bench.open({}, { recheckMs: 0 });
      expect((await notices()).map(({ code }) => code)).to.deep.equal(['few_partitions']);
      await partition('tomorrow', `${today} + interval '1 day'`, `${today} + interval '2 days'`);
      await write(sink, 1);
      const [{ message, remedy } = { message: '', remedy: '' }] = await notices();
      expect(message).to.equal('less than two partitions are made ahead');
      expect(remedy).to.match(/^Make some; with pg_partman: call partman\.run_maintenance_proc\(\)/);
      await partition('later', `${today} + interval '2 days'`, `${today} + interval '3 days'`);
      await write(sink, 2);
      expect(await notices()).to.deep.equal([]);
      await bench.destination.query('drop table later');
      await write(sink, 3);
      expect(await notices()).to.have.length(1);
      await bench.destination.query('create table rest partition of orders_events default');
      await write(sink, 4);
      expect(await notices()).to.deep.equal([]);
    });
  });
}
