/**
 * Messages that kill the whole worker, not only the sandbox process: the lane is taken up with care, the guilty ones are parked, and
 * everything else arrives. Each worker is a process that really dies.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { careOf } from '../../src/deliver/careful.ts';
import { createTurn } from '../../src/deliver/turn.ts';
import type { Sink } from '../../src/model/sink.ts';
import type { Failpoint } from '../../src/runtime/failpoint.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { type Captured, captured, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { addPushSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import type { LaneOfChild } from '../support/processes/lane-child.ts';
import { until } from '../support/until.ts';

const CHILD = fileURLToPath(new URL('../support/processes/lane-child.ts', import.meta.url));

describe('messages that kill the worker', function () {
  this.timeout(120_000);
  let on: Captured;
  let sinkNo: number;

  beforeEach(async () => {
    on = await captured('create table products (id int primary key, name text)');
    sinkNo = await addIndex('index');
    on.start();
    await on.streaming();
    await on.messages.db.query('create table public.delivered (sink_no int, id bigint, batch int)');
  });
  afterEach(async () => await on.close());

  const addIndex = async (name: string): Promise<number> => {
    const no = await on.addSink(sinkSettings({ name, destination: SEARCH }));
    await on.messages.db.query(`update millrace_private.sinks set lanes = 1 where no = ${no}`);
    await on.messages.db.query('select millrace_private.publish_catalog()');
    return no;
  };

  const insert = async (count: number, evil: readonly number[], to: readonly number[] = [sinkNo]): Promise<void> => {
    await on.source.query(
      `insert into products select id, case when id = any ($2::int[]) then 'evil' else 'n' end
         from generate_series(1, $1::int) id`,
      [count, evil],
    );
    for (const no of to) await on.received(no, count);
  };

  /**
   * One worker after the other, until one has nothing left to do. How many died. `killed`: where the first ones are killed,
   * one each.
   */
  const workers = async (
    mode: string,
    {
      lanes = [{ sinkNo, lane: 0 }],
      killed = [],
    }: { lanes?: readonly LaneOfChild[]; killed?: readonly Failpoint[] } = {},
  ): Promise<number> => {
    for (let deaths = 0; deaths <= 20; deaths += 1) {
      const failpoint = killed[deaths] === undefined ? {} : { MILLRACE_FAILPOINTS: `${killed[deaths]}=kill` };
      const given = { MESSAGES: on.messages.url, LANES: JSON.stringify(lanes), MODE: mode };
      const env = { ...process.env, ...given, ...failpoint };
      const child = fork(CHILD, [], { env, execArgv: ['--no-warnings'], stdio: 'inherit' });
      const [code, signal] = await once(child, 'exit');
      if (signal !== 'SIGKILL') {
        expect(code).to.equal(0);
        return deaths;
      }
      // The lease ends.
      await on.messages.db.query(
        `update millrace_private.lanes set until = clock_timestamp() - interval '1 s' where owner is not null`,
      );
    }
    throw new Error('worker after worker dies');
  };

  const parked = async (): Promise<{ sink_name: string; record_pk: string; error: string }[]> =>
    (
      await on.messages.db.query<{ sink_name: string; record_pk: string; error: string }>(
        'select sink_name, record_pk, error from millrace.parked_messages order by sink_name, id',
      )
    ).rows;
  const delivered = async (no = sinkNo) =>
    (
      await on.messages.db.query<{ messages: number; largest: number }>(
        `select count(distinct id)::int as messages, max(batch)::int as largest from public.delivered where sink_no = ${no}`,
      )
    ).rows[0]!;
  const careful = async () =>
    (await on.messages.db.query('select 1 from millrace_private.lanes where deaths > 0 or alone is not null')).rowCount;

  for (const mode of ['send', 'within', 'functions']) {
    it(`are found and parked, and the others arrive (${mode})`, async () => {
      await insert(700, [300]);
      expect(await workers(mode)).to.equal(5);
      const [one, ...others] = await parked();
      expect(others).to.deep.equal([]);
      expect(one!.record_pk).to.equal('300');
      expect(one!.error).to.match(
        /^not delivered: 3 workers, one after the other, died while they handled this message alone/,
      );
      expect(await delivered()).to.include({ messages: 699 });
      expect(await careful()).to.equal(0);
    });
  }

  it('are found wherever they are, also several of them', async () => {
    await insert(300, [1, 2, 300]);
    expect(await workers('send')).to.be.at.most(15);
    expect((await parked()).map(({ record_pk }) => record_pk)).to.deep.equal(['1', '2', '300']);
    expect(await delivered()).to.include({ messages: 297 });
    expect(await careful()).to.equal(0);
  });

  it('are found among those that are tried again, and again when somebody puts them back', async () => {
    await insert(50, [20]);
    await workers('send');
    const sql = `select millrace.retry('index', array(select id from millrace.parked_messages))`;
    await on.messages.db.query(sql);
    expect(await workers('send')).to.be.within(4, 5);
    expect((await parked()).map(({ record_pk }) => record_pk)).to.deep.equal(['20']);
    // Somebody has put the row right.
    await on.source.query(`update products set name = 'good' where id = 20`);
    await on.received(sinkNo, 2);
    expect(await workers('send')).to.equal(0);
    expect(await parked(), 'its document was replaced').to.deep.equal([]);
  });

  it('park nothing of another sink in the same worker', async () => {
    const other = await addIndex('other');
    await on.source.query('select 1');
    await insert(200, [100], [sinkNo, other]);
    // The other destination takes the evil one as it is.
    await on.messages.db.query(
      `update millrace_private.messages set record = replace(record, 'evil', 'fine') where sink_no = ${other}`,
    );
    const lanes = [
      { sinkNo, lane: 0 },
      { sinkNo: other, lane: 0 },
    ];
    expect(await workers('send', { lanes })).to.be.at.most(5);
    expect((await parked()).map(({ sink_name, record_pk }) => [sink_name, record_pk])).to.deep.equal([
      ['index', '100'],
    ]);
    expect(await delivered(other)).to.include({ messages: 200 });
    expect(await careful()).to.equal(0);
  });

  it('cost a lane nothing whose worker died of something else', async () => {
    await insert(100, []);
    await on.messages.db.query(
      `update millrace_private.lanes set owner = 'gone', until = clock_timestamp() - interval '1 s'`,
    );
    expect(await workers('send')).to.equal(0);
    expect(await delivered()).to.deep.equal({ messages: 100, largest: 32 });
    expect(await careful()).to.equal(0);
    await on.source.query(`update products set name = 'again'`);
    await on.received(sinkNo, 100);
    await workers('send');
    expect(await delivered()).to.deep.equal({ messages: 200, largest: 100 });
  });

  it('are not those over which workers were killed before they had begun with them, or after', async () => {
    await insert(3, []);
    await on.messages.db.query('update millrace_private.lanes set deaths = 2 where lane = 0');
    // One that had it in hand may be blamed, all the others not.
    const killed: Failpoint[] = [
      'deliver/before-send',
      ...Array.from({ length: 4 }, () => 'deliver/before-alone' as const),
      'deliver/after-settle',
      'deliver/after-settle',
    ];
    expect(await workers('send', { killed })).to.equal(killed.length);
    expect(await parked()).to.deep.equal([]);
    expect(await delivered()).to.include({ messages: 3 });
    expect(await careful()).to.equal(0);
  });

  it('are not looked for after a worker that gave its lanes back', async () => {
    await insert(10, []);
    await workers('send');
    expect(await careful()).to.equal(0);
  });
});

describe('care', () => {
  const straight = (batchSize: number, readsAhead = false) => ({ sink: { batchSize }, readsAhead });
  const within = async () => ({ outcomes: [] });

  it('goes from small batches to single messages, for as long as the batch before may have been', () => {
    expect(careOf(straight(100), 0)).to.equal(undefined);
    expect(careOf(straight(100), 1)).to.deep.equal({ limit: 32, left: 1_000 });
    expect(careOf(straight(10_000), 1)).to.deep.equal({ limit: 100, left: 10_000 });
    expect(careOf(straight(10_000), 2)).to.deep.equal({ limit: 1, left: 100 });
    expect(careOf(straight(100, true), 1)).to.deep.equal({ limit: 32, left: 2_000 });
    expect(careOf({ sink: { batchSize: 500, within }, readsAhead: false }, 7)).to.deep.equal({ limit: 1, left: 23 });
  });

  it('lets one lane at a time go message by message', () => {
    const turn = createTurn();
    const end = turn.take();
    expect(turn.take()).to.equal(undefined);
    end!();
    expect(turn.take()).not.to.equal(undefined);
  });
});

describe('the turn of a lane that goes message by message', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  it('ends when the lane is trusted again, not when it has nothing to do any more', async () => {
    const { no } = await addPushSink(m.db, { name: 'index', kind: 'search_index' });
    await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }]);
    await m.db.query('update millrace_private.lanes set deaths = 2 where sink_no = $1', [no]);
    const turn = createTurn();
    const ending = new AbortController();
    const sink: Sink = {
      batchSize: 10,
      batchBytes: 1_000_000,
      test: async () => undefined,
      send: async (deliveries) => ({ outcomes: deliveries.map(() => ({ kind: 'done' as const })) }),
      close: async () => undefined,
    };
    const sandbox = openSandbox({ log: createLog({ level: 'silent', role: 'test' }) });
    const lingering = runOnce(
      { db: m.db, sandbox },
      { target: laneSink({ no, sink, replaces: true }), lingerMs: 60_000, runMs: 60_000, turn },
      ending.signal,
    );
    const another = await until('another lane may have it, once the messages are gone', async () => {
      const { rowCount } = await m.db.query('select from millrace_private.messages where sink_no = $1', [no]);
      return rowCount === 0 && turn.take();
    });
    expect(another).to.be.a('function');
    ending.abort();
    await lingering;
    await sandbox.close();
  });
});
