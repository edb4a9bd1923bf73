/** A sink that is declared while its database is captured: the stream that runs does not know it yet. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

describe('backfill of a sink that is new', function () {
  this.timeout(120_000);
  let on: Captured;
  afterEach(() => on.close());

  it('finds its tables, though the source is quiet and the stream of before still runs', async () => {
    on = await captured('create table items (id bigint primary key); insert into items select generate_series(1, 3)');
    await on.addSink(sinkSettings({ name: 'first', destination: PULL }));
    on.start();
    await on.streaming();
    const sinkNo = await on.addSink(sinkSettings({ name: 'second', destination: PULL }));
    await on.messages.db.query("select millrace.backfill('second')");
    interface Row {
      kind: string;
      state: string;
      rows_sent: number;
    }
    const rows = await until('both have ended', async () => {
      const found = await on.messages.db.query<Row>(
        'select kind, state, rows_sent from millrace.backfill_status order by kind',
      );
      return found.rows.every(({ state }) => state === 'done') && found.rows;
    });
    expect(rows).to.deep.equal([
      { kind: 'all', state: 'done', rows_sent: 0 },
      { kind: 'table', state: 'done', rows_sent: 3 },
    ]);
    expect(await on.received(sinkNo, 3)).to.have.lengthOf(3);
  });
});
