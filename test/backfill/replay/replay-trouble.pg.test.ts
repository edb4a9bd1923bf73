/** Replays that cannot be, cannot go on, or have to wait: each says why, and what to do. */
import { expect } from 'chai';
import type { ChangeRow } from '../../support/fixtures/change-rows.ts';
import type { ReplayWorld } from '../../support/fixtures/replayed.ts';
import { plain, replayedShop } from '../../support/fixtures/replayed-shop.ts';
import { until } from '../../support/until.ts';

describe('a replay in trouble', function () {
  this.timeout(120_000);
  let world: ReplayWorld;
  let entries: ChangeRow[];

  before(async () => {
    ({ world, entries } = await replayedShop());
    // What capture brought.
    await world.drained('pull');
  });
  after(() => world?.close());

  describe('is refused, with what to do instead,', () => {
    const refused = async (args: string): Promise<string> => {
      try {
        await world.replay(args);
      } catch (error) {
        const { code, message, hint } = error as { code: string; message: string; hint: string };
        return `${code} ${message}: ${hint}`;
      }
      throw new Error('it was not refused');
    };

    it('without a retention of that name', async () => {
      expect(await refused(`'nothing', 'pull'`)).to.match(
        /^MR404 'nothing' is not the name or id of a change retention: select/,
      );
      expect(await refused(`'pull', 'pull'`)).to.match(/^MR404/);
    });
    it('without a sink of that name', async () => {
      expect(await refused(`'history', 'nothing'`)).to.match(/^MR404 there is no sink/);
    });
    it('to a change retention', async () => {
      expect(await refused(`'history', 'history-home'`)).to.match(/^MR400 sink 'history-home' is a change retention: /);
    });
    it('with its ends the wrong way round', async () => {
      expect(await refused(`'history', 'pull', '2026-02-01', '2026-01-01'`)).to.match(
        /^MR400 from_time is after to_time/,
      );
      expect(await refused(`'history', 'pull', from_seq => 2, to_seq => 1`)).to.match(
        /^MR400 from_seq is after to_seq/,
      );
    });
    it('while the same one runs', async () => {
      const id = await world.replay(`'history', 'others'`);
      await world.messages.query('select millrace.pause_backfill($1)', [id]);
      expect(await refused(`'history', 'others'`)).to.match(/^MR409 .* runs already: .*cancel_backfill/);
      await world.messages.query('select millrace.cancel_backfill($1)', [id]);
    });
  });

  it('says so when the sink does not take in the table', async () => {
    const failed = await world.ended(await world.replay(`'history', 'others'`));
    expect(failed).to.include({ state: 'failed', reason: 'sink others does not take in public.orders' });
    expect(failed.remedy).to.match(/add it there/);
  });

  it('says what is wrong with the change table, and goes on when it is fixed', async () => {
    await world.archive.query('alter table orders_events rename to hidden');
    const id = await world.replay(`'history', 'pull', to_seq => ${entries.at(-1)!.seq}`);
    const gone = await world.ended(id);
    expect(gone.state).to.equal('failed');
    expect(gone.reason).to.equal('the change table "public"."orders_events" of database archive is not there');
    expect(gone.remedy).to.match(/resume the replay/);
    await world.archive.query('alter table hidden rename to orders_events');
    await world.archive.query('alter table orders_events rename record to kept');
    await world.messages.query('select millrace.resume_backfill($1)', [id]);
    const odd = await world.ended(id);
    expect(odd.reason).to.match(
      /^the change table "public"."orders_events" of database archive does not fit: .*record/,
    );
    await world.archive.query('alter table orders_events rename kept to record');
    await world.messages.query('select millrace.resume_backfill($1)', [id]);
    expect(await world.ended(id)).to.include({ state: 'done', rows_done: entries.length });
    expect((await world.drained('pull')).map(plain)).to.deep.equal(entries.map(plain));
  });

  it('waits for a database that cannot be reached, says so, and goes on', async () => {
    const { rows } = await world.archive.query<{ name: string }>('select current_database() as name');
    const name = rows[0]!.name;
    await world.shop.query(`alter database "${name}" allow_connections false`);
    let id: string;
    try {
      id = await world.replay(`'history', 'pull', to_seq => ${entries[7]!.seq}`);
      const why = await until('it says why it waits', async () => (await world.status(id)).reason);
      expect(why).to.match(
        /^the change table "public"."orders_events" of database archive cannot be read: .*connections/,
      );
      expect(await world.status(id)).to.include({ state: 'waiting' });
      expect((await world.status(id)).remedy).to.match(/^Let it accept connections again/);
    } finally {
      await world.shop.query(`alter database "${name}" allow_connections true`);
    }
    expect(await world.ended(id)).to.include({ state: 'done', reason: null, rows_done: 8 });
    expect((await world.drained('pull')).map(plain)).to.deep.equal(entries.slice(0, 8).map(plain));
  });

  it('sends entries that a person gave a time that no commit has, and live changes go on', async () => {
    await world.archive.query(`
      insert into orders_events (seq, source_database_id, source_table_oid, source_table_schema, source_table_name,
                                 record_pk, record, action, committed_at)
      select t.seq, e.source_database_id, e.source_table_oid, e.source_table_schema, e.source_table_name,
             e.record_pk, e.record, 'insert', t.at
        from (select * from orders_events order by id limit 1) e,
             (values (1, timestamptz '-infinity'), (2, '0044-03-15 BC'), (3, '294000-01-01')) t (seq, at)`);
    const done = await world.ended(await world.replay(`'history', 'pull', to_seq => 3`));
    expect(done).to.include({ state: 'done', reason: null, rows_done: 3 });
    const times = (await world.drained('pull')).map(({ metadata }) => metadata.commit_timestamp.slice(0, 10));
    expect(times).to.deep.equal(['1700-01-01', '1700-01-01', '2250-01-01']);
    await world.shop.query(`insert into orders values (900, '2026-01-01', 'open', 1, null)`);
    await world.captured();
    expect(await world.drained('pull')).to.have.length(1);
  });
});
