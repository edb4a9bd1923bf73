/** What capture says that it has persisted is what is there. */
import { expect } from 'chai';
import type { Gathered } from '../../src/routing/pending.ts';
import { gather } from '../../src/routing/pending.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

const wal = ofReplication('triggers keep no WAL');

describe('what capture counts', () => {
  let on: Captured;
  const counted = new Map<number, Gathered>();
  before(async () => {
    on = await captured('create table t (id int primary key, x text); alter table t replica identity full', {
      settings: { max_row_bytes: 10_000 },
      timing: { checkMs: 200 },
      onPersisted: (sinks) => gather(counted, { sinks, parked: [] }),
    });
  });
  after(async () => await on?.close());

  it('is each message of a sink once, those included that arrive parked or are read again', async () => {
    const all = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    const inserts = await on.addSink(sinkSettings({ name: 'inserts', destination: PULL, actions: ['insert'] }));
    on.start();
    await on.streaming();
    await on.source.query("insert into t select n, 'x' from generate_series(1, 5) n");
    await on.source.query("update t set x = 'y' where id <= 2");
    await on.source.query("insert into t values (6, repeat('z', 20000))");
    // Its large value is not sent again, and so read.
    await on.source.query('update t set id = 7 where id = 6');
    await on.received(all, 9);
    const { rows } = await on.messages.db.query<{ sink_no: number; messages: number; parked: number }>(
      `select m.sink_no, count(*)::integer as messages, count(e.id)::integer as parked
         from millrace_private.messages m
         left join millrace_private.delivery_states e on e.sink_no = m.sink_no and e.id = m.id and e.state = 'parked'
        group by 1 order by 1`,
    );
    expect(rows).to.deep.equal([
      { sink_no: all, messages: 9, parked: 2 },
      { sink_no: inserts, messages: 6, parked: 1 },
    ]);
    await until('all is counted', () => (counted.get(all)?.messages ?? 0) >= 9);
    for (const { sink_no, messages, parked } of rows)
      expect(counted.get(sink_no)).to.deep.include({ messages, parked });
    expect(counted.get(all)!.bytes).to.be.within(9 * 60, 5_000);
  });

  it('and each transaction once, also when the stream begins again', async () => {
    const commits = async (): Promise<number> => {
      const { rows } = await on.messages.db.query<{ commits: number }>(
        "select coalesce(sum(commits), 0)::integer as commits from millrace_private.database_counters where step = 'hour'",
      );
      return rows[0]!.commits;
    };
    await until('four are counted', async () => (await commits()) === 4);
    await on.stop();
    await on.source.query('begin; insert into t values (8), (9); delete from t where id = 8; commit');
    await on.source.query('begin; insert into t values (10); rollback');
    on.start();
    await on.streaming();
    await until('the next one is counted', async () => (await commits()) > 4);
    await on.source.query('insert into t values (11)');
    await until('and the one after it', async () => (await commits()) > 5);
    expect(await commits()).to.equal(6);
  });

  it('with how far behind its source it is in time: by what is not persisted, and not at all when that is', async () => {
    const lag = async (): Promise<number | null> => {
      const { rows } = await on.messages.db.query<{ lag_ms: number | null }>(
        'select lag_ms from millrace_private.capture_beats order by seq desc limit 1',
      );
      return rows[0]?.lag_ms ?? null;
    };
    await until('it is in step', async () => (await lag()) === 0);
    await on.messages.db.transaction(async (tx) => {
      await tx.query('select from millrace_private.positions for update');
      await on.source.query('insert into t values (12)');
      const behind = await until('it is behind', async () => (await lag()) || false);
      expect(behind).to.be.within(1, 60_000);
    });
    await until('it is in step again', async () => (await lag()) === 0);
  });

  wal.it('with how much WAL its source keeps', async () => {
    const { rows } = await until('the WAL was looked at', async () => {
      const found = await on.messages.db.query<{ step: string; lag: number; kept: number; limit_bytes: number | null }>(
        `select step, lag_bytes::double precision as lag, kept_bytes::double precision as kept, limit_bytes
           from millrace_private.database_counters order by step`,
      );
      return found.rows.length >= 2 && found;
    });
    expect(rows.map(({ step }) => step).slice(0, 1)).to.deep.equal(['hour']);
    expect(rows.at(-1)!.kept).to.be.greaterThan(0);
    expect(rows.at(-1)!.lag).to.be.at.least(0);
    expect(rows.at(-1)!.limit_bytes).to.equal(null);
  });
});
