/** Whoever looks at many sinks reads their health once for all of them, however many there are. */
import { expect } from 'chai';
import { listSinks, showSink } from '../../src/admin/list-sinks.ts';
import { readOverview } from '../../src/admin/overview.ts';
import type { Transaction } from '../../src/db/pool.ts';
import { readHealth } from '../../src/messages/health.ts';
import { openPatient, type Patient } from '../support/fixtures/health.ts';

describe('health of many sinks', function () {
  this.timeout(120_000);
  let on: Patient;
  before(async () => {
    on = await openPatient();
  });
  after(async () => await on?.drop());

  const reads: [what: string, read: (tx: Transaction) => Promise<unknown>][] = [
    ['the view', (tx) => tx.query('select * from millrace.sink_status')],
    ['the view of consumers', (tx) => tx.query('select * from millrace.consumer_status')],
    ['/healthz', (tx) => readHealth(tx)],
    ['the list of sinks', (tx) => listSinks(tx, 'sinks')],
    ['one sink', (tx) => showSink(tx, 'sinks', 'orders')],
    ['the overview', (tx) => readOverview({ query: tx.query, transaction: (work) => work(tx) }, Date.now)],
  ];
  for (const [what, read] of reads)
    it(`is read once: ${what}`, async () => {
      const calls = await on.db.transaction(async (tx) => {
        await tx.query("set local track_functions = 'all'");
        const before = await countCalls(tx);
        await read(tx);
        const after = await countCalls(tx);
        return after.map((count, place) => count - before[place]!);
      });
      expect(calls).to.deep.equal([1, 1]);
    });
});

/** Of both functions. Those of transactions before may be among them. */
async function countCalls(tx: Transaction): Promise<number[]> {
  const { rows } = await tx.query<{ calls: number }>(
    `select coalesce(f.calls, 0) as calls
       from unnest(array['sinks_health', 'sinks_waiting']) with ordinality n (name, place)
       left join pg_stat_xact_user_functions f on f.funcname = n.name
      order by n.place`,
  );
  return rows.map(({ calls }) => calls);
}
