/** Exactly once into another database, whatever dies, stalls, or comes again out of its turn. */
import { expect } from 'chai';
import { openPool } from '../../../src/db/pool.ts';
import type { Delivery, Sink } from '../../../src/model/sink.ts';
import { type Bench, changeTableBench } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { startPostgresRelay } from '../../support/postgres/postgres-relay.ts';
import { until } from '../../support/until.ts';

const signal = new AbortController().signal;
const done = { kind: 'done' };
const batchOf = (...ids: number[]): Delivery[] => ids.map((id) => delivery(id, `k${id}`));
const bad = (id: number): Delivery => delivery(id, `k${id}`, { record: '{"a":"\\u0000"}' });

describe('a change table in another database, exactly once', () => {
  let bench: Bench;
  let sink: Sink;
  beforeEach(async () => {
    bench = await changeTableBench('other');
    sink = await bench.open();
  });
  afterEach(() => bench.drop());

  const seqs = async (): Promise<number[]> =>
    (await bench.destination.query<{ seq: number }>('select seq from orders_events order by id')).rows.map(
      (r) => r.seq,
    );
  const written = async (): Promise<number[]> =>
    (await bench.destination.query<{ written: number[] }>('select written from millrace_progress')).rows[0]!.written;
  async function send(batch: readonly Delivery[], through = sink): Promise<void> {
    expect(await through.send(batch, signal)).to.deep.equal({ outcomes: batch.map(() => done) });
  }

  it('a death between the commit there and the settling here repeats the batch, and doubles nothing', async () => {
    const batch = batchOf(1, 2, 3);
    await bench.keep(batch);
    await send(batch);
    await send(batch, await bench.open());
    expect(await seqs()).to.deep.equal([1, 2, 3]);
  });

  it('nor does it when the repeated batch is larger, smaller, or split', async () => {
    await bench.keep(batchOf(1, 2, 3, 4, 5));
    await send(batchOf(1, 2, 3));
    for (const ids of [[1, 2, 3, 4, 5], [1], [2, 3], [4], [5]]) await send(batchOf(...ids));
    expect(await seqs()).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('a commit whose answer was lost counts, and nothing is taken for a success', async () => {
    const relay = await startPostgresRelay(bench.destinationUrl);
    const pool = openPool({ address: relay.url, max: 2, applicationName: 'millrace test' });
    const remote = await bench.open({}, { pool });
    await bench.keep(batchOf(1, 2));
    relay.loseCommits(true);
    const { outcomes, circuit } = await remote.send(batchOf(1, 2), signal);
    expect([outcomes, circuit?.reason]).to.deep.equal([[], 'unreachable']);
    expect(await seqs()).to.deep.equal([1, 2]);
    relay.loseCommits(false);
    await send(batchOf(1, 2), remote);
    expect(await seqs()).to.deep.equal([1, 2]);
    await pool.close();
    await relay.close();
  });

  it('a row that was left out when the mark passed is written when it comes, once', async () => {
    await bench.keep(batchOf(1, 2, 3));
    await send(batchOf(1, 3));
    await bench.settle([1, 3]);
    await send(batchOf(2));
    await send(batchOf(2), await bench.open());
    expect(await seqs()).to.deep.equal([1, 3, 2]);
  });

  it('a parked row that is retried is written once, though its attempts were counted anew', async () => {
    await bench.keep(batchOf(1, 2, 3));
    const { outcomes } = await sink.send([...batchOf(1), bad(2), ...batchOf(3)], signal);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['done', 'park', 'done']);
    await bench.settle([1, 3]);
    await send(batchOf(4));
    await send([delivery(2, 'k2', { attempts: 0 })]);
    await send([delivery(2, 'k2', { attempts: 1 }), ...batchOf(5)]);
    expect(await seqs()).to.deep.equal([1, 3, 4, 2, 5]);
  });

  it('an old writer that stalled with a batch in hand adds nothing to what the new one settled', async () => {
    const stalled = await bench.open();
    await bench.keep(batchOf(1, 2, 3, 4));
    await send(batchOf(1, 3));
    await bench.settle([1, 3]);
    await send(batchOf(2));
    await bench.settle([2]);
    await send(batchOf(4));
    await bench.settle([4]);
    for (const ids of [[1, 3], [2], [1, 2, 3, 4]]) await send(batchOf(...ids), stalled);
    expect(await seqs()).to.deep.equal([1, 3, 2, 4]);
  });

  it('two writers with one batch at the same moment write it once', async () => {
    const other = await bench.open();
    await bench.keep(batchOf(1, 2, 3, 4));
    const blocker = await bench.destination.pool.connect();
    await blocker.query('begin');
    await blocker.query('select from millrace_progress for update');
    const both = Promise.all([send(batchOf(1, 2, 3)), send(batchOf(2, 3, 4), other)]);
    await until('both wait for the progress row', async () => {
      const { rows } = await bench.destination.query<{ n: number }>(
        `select count(*)::integer as n from pg_stat_activity
          where wait_event_type = 'Lock' and query like '%millrace_progress%for update'`,
      );
      return rows[0]!.n === 2;
    });
    await blocker.query('commit');
    blocker.release();
    await both;
    expect((await seqs()).toSorted()).to.deep.equal([1, 2, 3, 4]);
  });

  it('remembers only what is not settled', async () => {
    const first = batchOf(...Array.from({ length: 100 }, (_, at) => at + 1));
    await bench.keep(first);
    await send(first);
    expect(await written()).to.have.length(100);
    await bench.settle(first.map(({ id }) => id).filter((id) => id !== 7));
    await send(batchOf(101));
    expect(await written()).to.deep.equal([7, 101]);
  });

  it('two retentions into one table each write their own', async () => {
    const others = await changeTableBench('other');
    const theirs = await others.open({}, { pool: bench.destination });
    await bench.keep(batchOf(1, 2));
    await others.keep(batchOf(1, 2));
    await send(batchOf(1, 2));
    await send(batchOf(1, 2), theirs);
    await send(batchOf(1, 2));
    expect(await seqs()).to.deep.equal([1, 2, 1, 2]);
    await others.drop();
  });

  it('takes a progress table that has no column written yet', async () => {
    await bench.destination.query('alter table millrace_progress drop column written');
    expect(await sink.test(signal)).to.equal(undefined);
    await send(batchOf(1));
    expect(await seqs()).to.deep.equal([1]);
  });

  it('whatever happens, in any order, each message is written exactly once', async () => {
    // A lane with deaths: batches above the cursor with some left out, messages that come back, settled or not.
    let state = 20_260_102;
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * below);
    };
    const all = Array.from({ length: 120 }, (_, at) => at + 1);
    await bench.keep(batchOf(...all));
    const pending = new Set(all);
    const stale: number[][] = [];
    for (let step = 0; step < 150 || pending.size > 0; step += 1) {
      const from = [...pending].slice(0, 12);
      const picked = from.filter(() => random(3) > 0);
      const batch = random(5) === 0 && stale.length > 0 ? stale[random(stale.length)]! : picked;
      await send(batchOf(...batch), random(2) === 0 ? sink : await bench.open());
      stale.push(batch);
      if (batch === picked && random(2) === 0) {
        await bench.settle(batch);
        for (const id of batch) pending.delete(id);
      }
      if (step > 400) throw new Error('the walk does not end');
    }
    expect((await seqs()).toSorted((a, b) => a - b)).to.deep.equal(all);
  });
});
