import { expect } from 'chai';
import type { LaneEnd } from '../../src/deliver/held-lane.ts';
import type { Fault } from '../support/engines/bulk-server.ts';
import { eachIndexLane, type IndexLane } from '../support/fixtures/index-lane.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';

describe('a delivery lane, when the engine or a message is at fault', () => {
  let lane: IndexLane;
  eachIndexLane(SCHEMA, (opened) => {
    lane = opened;
  });

  it('backs off from a busy engine, counts the tries, and parks beyond max_retry_count', async () => {
    lane.engine.fail(
      {
        kind: 'items',
        decide: ({ id }) =>
          id === '1' ? { status: 429, error: { type: 'es_rejected_execution_exception' } } : undefined,
      },
      { times: 9 },
    );
    await lane.on.source.query("insert into products values (1, 'n', 1), (2, 'n', 2), (3, 'n', 3)");
    await lane.on.received(lane.sinkNo, 3);
    const end = await lane.run({ maxRetryCount: 1 });
    expect(end.again).to.be.instanceOf(Date);
    expect((await lane.deliveryStates())[0]).to.include({ state: 'retrying', attempts: 1 });
    await lane.makeDue();
    await lane.on.source.query("insert into products values (4, 'n', 4)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ maxRetryCount: 1 });
    expect((await lane.deliveryStates())[0]).to.include({ state: 'parked', attempts: 2 });
  });

  for (const [fault, health, shown] of [
    [{ kind: 'status', status: 503, text: 'no room' }, 'overloaded', 'no room'],
    [{ kind: 'status', status: 429, text: 'slower' }, 'overloaded', 'slower'],
    [{ kind: 'items', decide: () => ({ status: 429, error: { type: 'rejected' } }) }, 'overloaded', 'rejected'],
    [{ kind: 'status', status: 204, text: '' }, 'bad_destination', 'HTTP 204'],
    [{ kind: 'text', text: '<html>welcome</html>' }, 'bad_destination', 'welcome'],
    [{ kind: 'short' }, 'bad_destination', '"items"'],
    [{ kind: 'close' }, 'unreachable', ''],
  ] as [Fault, string, string][]) {
    const what = fault.kind === 'status' ? fault.status : fault.kind;
    it(`_bulk that is answered with ${what} throughout is the sink's failure, and no message is touched`, async () => {
      lane.engine.fail(fault, { times: 1_000 });
      await lane.on.source.query("insert into products select i, 'n', i from generate_series(1, 500) i");
      await lane.on.received(lane.sinkNo, 500);
      const shared = { target: lane.target() };
      let since: Date | null = null;
      for (let i = 0; i < 3; i += 1) {
        const end = await lane.run(shared.target);
        expect(end.again).to.be.instanceOf(Date);
        const seen = await lane.status();
        expect(seen).to.include({ health, retrying: 0 });
        expect(seen.error).to.contain(shown);
        // The engine answers the probe, and takes nothing all the same: it has failed since then.
        since ??= seen.failing_since;
        expect(seen.failing_since).to.deep.equal(since);
        await lane.on.messages.db.query('update millrace_private.circuits set probe_at = now()');
      }
      expect((await lane.on.messages.db.query('select from millrace_private.delivery_states')).rowCount).to.equal(0);
      expect(lane.engine.bulks().length).to.be.lessThan(8);
      lane.engine.fix();
      await lane.run(shared.target);
      expect(Object.keys(lane.documents()).length).to.equal(500);
      expect(await lane.status()).to.include({ health: 'ok', error: null });
      expect(await lane.pending()).to.equal(0);
    });
  }

  for (const hours of [-1, 1]) {
    it(`comes again when it is time, and asks the engine then, by the clock of the message database (ours: ${hours} h)`, async () => {
      const clocks = { now: () => Date.now() + hours * 3_600_000 };
      lane.engine.engine.deleteIndex('products');
      await lane.on.source.query("insert into products values (1, 'n', 1)");
      await lane.on.received(lane.sinkNo, 1);
      const probeIn = async ({ again }: LaneEnd): Promise<number> => {
        const sql = 'select extract(epoch from $1::timestamptz - clock_timestamp())::float8 as seconds';
        return (await lane.on.messages.db.query<{ seconds: number }>(sql, [again])).rows[0]!.seconds;
      };
      expect(await probeIn(await lane.run({}, {}, clocks))).to.be.within(-60, 30);
      expect(await probeIn(await lane.run({}, {}, clocks))).to.be.within(-60, 30);
      lane.engine.engine.createIndex('products');
      await lane.on.messages.db.query('update millrace_private.circuits set probe_at = now()');
      await lane.run({}, {}, clocks);
      expect(Object.keys(lane.documents())).to.deep.equal(['1']);
    });
  }

  it('settles whatever an engine says: U+0000, half a pair, an emoji across the cut', async () => {
    const reasons = ['a\u0000b', '\ud83d', `${'x'.repeat(3_900)}${'🙂'.repeat(300)}`, 'x'.repeat(10_000_000)];
    lane.engine.fail({
      kind: 'items',
      decide: ({ id }) => {
        const reason = reasons[Number(id)];
        if (reason === undefined) return undefined;
        return { status: 400, error: Number(id) % 2 === 0 ? reason : { type: 'x', reason } };
      },
    });
    await lane.on.source.query("insert into products select i, 'n', i from generate_series(0, 4) i");
    await lane.on.received(lane.sinkNo, 5);
    await lane.run();
    expect((await lane.deliveryStates()).map(({ state }) => state)).to.deep.equal(Array(4).fill('parked'));
    expect(Object.keys(lane.documents())).to.deep.equal(['4']);
    lane.engine.fail({ kind: 'status', status: 503, text: `${'x'.repeat(3_999)}🙂\u0000\ud83d` });
    await lane.on.source.query("insert into products values (7, 'n', 1)");
    await lane.on.received(lane.sinkNo, 5);
    await lane.run();
    expect(await lane.status()).to.include({ health: 'overloaded' });
  });

  it('parks the message for whose value settling is refused, and settles the others', async () => {
    await lane.on.messages.db.query(`
      create function millrace_private.refuse() returns trigger language plpgsql as $$
      begin
        if new.error = 'bad 3' then raise exception 'not this one: "3"' using errcode = '22P05'; end if;
        return new;
      end $$`);
    await lane.on.messages.db.query(
      'create trigger refuse before insert on millrace_private.delivery_states for each row execute function millrace_private.refuse()',
    );
    lane.engine.fail(
      {
        kind: 'items',
        decide: ({ id }) => (id === '3' || id === '5' ? { status: 400, error: `bad ${id}` } : undefined),
      },
      { times: 20 },
    );
    await lane.on.source.query("insert into products select i, 'n', i from generate_series(1, 9) i");
    await lane.on.received(lane.sinkNo, 9);
    await lane.run();
    const found = (await lane.deliveryStates()).map(({ record_pk, state, error }) => [record_pk, state, error]);
    expect(found).to.deep.equal([
      ['3', 'parked', '22P05: not this one'],
      ['5', 'parked', 'bad 5'],
    ]);
    expect(Object.keys(lane.documents()).length).to.equal(7);
  });

  it('opens a circuit when the index is missing: everything waits, untouched, and the reason is seen', async () => {
    lane.engine.engine.deleteIndex('products');
    await lane.on.source.query("insert into products select i, 'n', i from generate_series(1, 3) i");
    await lane.on.received(lane.sinkNo, 3);
    const end = await lane.run();
    expect(end.again).to.be.instanceOf(Date);
    const { rows } = await lane.on.messages.db.query<{ health: string; error: string; pending: number }>(
      'select health, error, pending from millrace.sink_status',
    );
    expect(rows[0]).to.include({ health: 'index_missing', pending: 3 });
    expect(rows[0]!.error).to.contain('index_not_found_exception');
    const seen = await lane.on.messages.db.query<{ error: string; attempts: number }>(
      'select error, attempts from millrace.pending_messages',
    );
    for (const row of seen.rows) expect(row).to.deep.equal({ error: rows[0]!.error, attempts: 0 });

    lane.engine.engine.createIndex('products');
    expect((await lane.run()).again, 'not before its time').to.be.instanceOf(Date);
    expect(lane.documents()).to.deep.equal({});
    await lane.on.messages.db.query('update millrace_private.circuits set probe_at = now()');
    await lane.run();
    expect(Object.keys(lane.documents())).to.deep.equal(['1', '2', '3']);
    expect((await lane.on.messages.db.query('select from millrace_private.circuits')).rowCount).to.equal(0);
  });
});
