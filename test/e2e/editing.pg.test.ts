/**
 * Nothing is lost while everything is edited: the service as processes, rows written all the time, and a change of what is
 * declared each 100 ms, of any kind. Capture stalls where a change finds it. The seed of a run is printed when it fails; SEED=n
 * takes another one, and MILLRACE_TEST_EDITING=60 is the long run: seconds, at 2,000 rows a second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type Editing, type MadeSink, openEditing } from '../support/outages/editing.ts';
import { seeded } from '../support/outages/ledger.ts';
import { readerPid } from '../support/postgres/capture-way.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 20_261_123);
const SECONDS = Number(process.env.MILLRACE_TEST_EDITING ?? 6);
const IS_LONG = process.env.MILLRACE_TEST_EDITING !== undefined;
const PER_SECOND = IS_LONG ? 2_000 : 500;
const WRITE_MS = 50;
const EDIT_MS = 100;
const INDEXES = ['steady', 'held', 'shaped'];

const declared = (engine: string): string => `
functions:
  - { name: shape, type: transform, code: "(action, record) => ({ n: record.n, by: 0 })" }
sinks:
${INDEXES.map(
  (name) => `  - name: ${name}
    database: shop
    ${name === 'shaped' ? 'transform: shape' : ''}
    source: { include_tables: [items] }
    destination: { type: elasticsearch, endpoint_url: "${engine}", index_name: ${name}, auth_type: none }
`,
).join(
  '',
)}${['kept', 'switched', 'edited'].map((name) => `  - { name: ${name}, database: shop, source: { include_tables: [items] }, destination: { type: pull } }\n`).join('')}`;

describe('everything is edited while changes come', function () {
  this.timeout(240_000 + SECONDS * 10_000);
  this.bail(true);
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  let editing: Editing;
  let elapsedMs: number;
  /** Rows that may have been written, and that were. */
  let [sent, last] = [0, 0];
  let streamed: unknown;
  /** Who had the lanes of a sink that nobody changes. */
  const owners = new Set<string>();

  before(async () => {
    world = await createWorld(
      'create table items (n integer primary key); create table others (n integer primary key)',
    );
    engine = await startBulkServer({ indexes: INDEXES });
    service = await startService({
      databaseUrl: world.messagesUrl,
      yaml: world.yaml + declared(engine.url),
      env: { MILLRACE_FAILPOINTS: 'capture/refused=pause:400@4,capture/before-again=pause:400@8' },
    });
    for (const name of ['shaped', 'held', 'switched', 'edited']) await release('sinks', name);
    await release('functions', 'shape');
    editing = openEditing({ url: service.url, random: seeded(SEED), sent: () => sent, check, frozen });
    streamed = await stream();
  });
  after(async () => {
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    console.error(`SEED=${SEED}\n${service.output().slice(-6_000)}`);
  });

  async function release(list: string, name: string): Promise<void> {
    await world.messages.query(
      list === 'sinks'
        ? "update millrace_private.sinks set released = true, managed_by = 'api' where name = $1"
        : "update millrace_private.functions set released = true, managed_by = 'api' where name = $1",
      [name],
    );
  }
  const stream = async (): Promise<unknown> => {
    const { rows } = await world.messages.query(
      'select database_no, generation from millrace_private.positions order by 1',
    );
    return [await readerPid(world.shop, world.slot), rows];
  };
  /** What a pull consumer has, in the order of its messages. */
  const has = async (name: string) => {
    const { rows } = await world.messages.query<{ count: number; first: number; last: number; gaps: number }>(
      `select count(*)::integer as count, min(x.n) as first, max(x.n) as last, (count(*) filter (where x.n <> x.before + 1))::integer as gaps
         from (select r.n, lag(r.n) over (order by r.id) as before
                 from (select m.id, (m.record::jsonb ->> 'n')::integer as n
                         from millrace_private.messages m
                         join millrace_private.sinks s on s.no = m.sink_no where s.name = $1) r) x`,
      [name],
    );
    return rows[0]!;
  };
  async function check({ name, after }: MadeSink): Promise<void> {
    const found = await has(name);
    expect(found.gaps, `${name}: ${JSON.stringify(found)}`).to.equal(0);
    if (found.count > 0) expect(found.first, name).to.be.at.most(after + 1);
  }
  let kept: Awaited<ReturnType<typeof has>>;
  async function frozen(at: 'disabled' | 'active'): Promise<void> {
    const found = await has('switched');
    if (at === 'active') expect(found, 'nothing new is kept for a disabled sink').to.deep.equal(kept);
    kept = found;
  }
  const lanes = async (): Promise<void> => {
    const { rows } = await world.messages.query<{ lane: string; deaths: number }>(
      `select concat_ws(' ', k.lane, k.owner) as lane, k.deaths from millrace_private.lanes k
         join millrace_private.sinks s on s.no = k.sink_no where s.name = 'steady' and k.owner is not null`,
    );
    for (const { lane, deaths } of rows) {
      owners.add(lane);
      expect(deaths).to.equal(0);
    }
  };

  it(`for ${SECONDS} s, with ${PER_SECOND} rows a second`, async () => {
    const begun = performance.now();
    let failed = false;
    // On a slow machine it goes on until there were some.
    const isOver = (): boolean => failed || (performance.now() - begun > SECONDS * 1_000 && editing.changes() >= 3);
    const each = async (ms: number, work: () => Promise<unknown>): Promise<void> => {
      for (let due = begun; !isOver(); ) {
        await work().catch((error: unknown) => {
          failed = true;
          throw error;
        });
        due = Math.max(due + ms, performance.now());
        await sleep(Math.max(0, due - performance.now()));
      }
    };
    const writing = each(WRITE_MS, async () => {
      sent = last + (PER_SECOND * WRITE_MS) / 1_000;
      await world.shop.query('insert into items select n from generate_series($1::integer, $2::integer) n', [
        last + 1,
        sent,
      ]);
      last = sent;
      await lanes();
    });
    const edits = each(EDIT_MS, async () => {
      await editing.change();
      engine.requests.splice(0);
    });
    const ended = await Promise.allSettled([writing, edits]);
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    elapsedMs = performance.now() - begun;
    await editing.finish();
    await world.captured();
    expect(await stream(), 'the stream, and its generation').to.deep.equal(streamed);
  });

  it('each index holds every row', async () => {
    const missing = (index: string): number => last - engine.engine.documents(index).size;
    for (const index of INDEXES) {
      await until(`${index} has all`, () => missing(index) <= 0, 120_000);
      expect(missing(index), index).to.equal(0);
      const { rows } = await world.messages.query(
        `select count(*)::integer as states from millrace_private.delivery_states e
           join millrace_private.sinks s on s.no = e.sink_no where s.name = $1`,
        [index],
      );
      expect(rows, index).to.deep.equal([{ states: 0 }]);
    }
  });

  it('each consumer holds every row from the commit of its creation on, once and in order', async () => {
    const whole = { count: last, first: 1, last, gaps: 0 };
    expect(await has('kept')).to.deep.equal(whole);
    const { rows } = await world.messages.query<{ name: string }>(
      "select s.name from millrace_private.sinks s where s.name like 'edited%'",
    );
    expect(await has(rows[0]!.name)).to.deep.equal(whole);
    for (const sink of editing.made) {
      await check(sink);
      expect((await has(sink.name)).last ?? last, sink.name).to.equal(last);
    }
  });

  it('a sink that nobody changed kept its lanes, and was delivered to at the first try', async () => {
    // A worker has a lane for 10 s at a time, and gives it back when nothing comes for two.
    const { rows } = await world.messages.query<{ lanes: number; failed: number; retried: number }>(
      `select s.lanes, coalesce(t.failed, 0)::integer as failed, coalesce(t.retried, 0)::integer as retried
         from millrace_private.sinks s left join millrace_private.sink_totals t on t.sink_no = s.no where s.name = 'steady'`,
    );
    const most = rows[0]!.lanes * (2 + elapsedMs / 2_000);
    expect(owners.size, `owners, in ${elapsedMs} ms with ${editing.changes()} changes`).to.be.within(1, most);
    expect(rows[0]).to.include({ failed: 0, retried: 0 });
    if (IS_LONG)
      console.log(
        `      ${last} rows, ${editing.changes()} changes: ${JSON.stringify(Object.fromEntries(editing.done))}`,
      );
  });
});
