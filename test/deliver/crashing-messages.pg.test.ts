/**
 * A function that brings down its process for some rows, on a lane with the real sandbox: three different ones in a row
 * pause the sink, with a reason; fewer, or with a success between them, are parked and the rest goes on.
 */
import { expect } from 'chai';
import type { LaneSink } from '../../src/deliver/target.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { type IndexLane, openIndexLane } from '../support/fixtures/index-lane.ts';
import { runOnce } from '../support/fixtures/lane.ts';
import { code } from '../support/fixtures/sandbox.ts';

const BOMB = code(
  '(a, r) => { const all = []; while (r.evil) all.push(new Array(100_000).fill(all.length)); return r }',
);

describe('messages that bring down the process of the functions', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  let lane: IndexLane;
  const log = createLog({ level: 'silent', role: 'test' });

  before(() => {
    sandbox = openSandbox({ log, limits: { processMb: 128, isolateMb: 1_000, messageMs: 60_000, silenceMs: 60_000 } });
  });
  after(async () => await sandbox.close());
  beforeEach(async () => {
    lane = await openIndexLane('create table products (id int primary key, evil boolean)', sandbox);
  });
  afterEach(async () => await lane.close());

  const open = (): LaneSink => lane.target({ functions: { transform: BOMB } });
  let runs = 0;
  const run = async (target: LaneSink): Promise<void> => {
    runs += 1;
    await runOnce({ db: lane.on.messages.db, sandbox }, { target, owner: `run-${runs}` });
  };
  /** `kept`: messages that are there already. */
  const insert = async (evil: readonly number[], all: readonly number[], kept = 0): Promise<void> => {
    await lane.on.source.query('insert into products select id, id = any ($1::int[]) from unnest($2::int[]) id', [
      [...evil],
      [...all],
    ]);
    await lane.on.received(lane.sinkNo, all.length + kept);
  };
  const status = async () =>
    (
      await lane.on.messages.db.query<{
        status: string;
        pending: number;
        parked: number;
        notices: { code: string; message: string; remedy: string }[] | null;
      }>('select status, pending::int, parked::int, notices from millrace.sink_status')
    ).rows[0]!;
  const documents = (): string[] => Object.keys(lane.documents());

  it('pause the sink after the third, park the three, and leave the others as they are', async () => {
    await insert([3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7]);
    await run(open());
    const paused = await status();
    expect(paused).to.include({ status: 'paused', parked: 3 });
    expect(paused.pending, 'the fourth was not tried, nor was anything after it').to.equal(2);
    expect(paused.notices!.map((notice) => notice.code)).to.deep.equal(['function_kills']);
    expect(paused.notices![0]!.message).to.include('my-transform');
    expect(documents()).to.deep.equal(['1', '2']);
    const { rows } = await lane.on.messages.db.query(
      'select record_pk, stage, error, attempts from millrace.parked_messages order by id',
    );
    expect(rows.map((row) => row.record_pk)).to.deep.equal(['3', '4', '5']);
    expect(rows[0]).to.include({ stage: 'shape', attempts: 1 });
    expect(rows[0]!.error).to.match(/^my-transform: The function brought its process down/);

    await lane.on.messages.db.query(`select millrace.resume('index')`);
    await run(open());
    expect(await status()).to.include({ status: 'active', pending: 0, parked: 4, notices: null });
    expect(documents()).to.deep.equal(['1', '2', '7']);
  });

  it('count over batches', async () => {
    const target = open();
    for (const id of [1, 2, 3]) {
      expect(await status()).to.include({ status: 'active', parked: id - 1 });
      await insert([id], [id], id - 1);
      await run(target);
    }
    expect(await status()).to.include({ status: 'paused', parked: 3 });
  });

  it('are not parked when another lane had three of them meanwhile', async () => {
    const target = open();
    for (const id of [-1, -2, -3]) target.crashes.add(id);
    await insert([1, 2], [1, 2, 3]);
    await run(target);
    expect(await status()).to.include({ status: 'paused', parked: 0, pending: 3 });
  });

  it('do not pause it while others go well between them', async () => {
    await insert([2, 3, 5, 6], [1, 2, 3, 4, 5, 6, 7]);
    await run(open());
    expect(await status()).to.include({ status: 'active', pending: 0, parked: 4, notices: null });
    expect(documents()).to.deep.equal(['1', '4', '7']);
  });
});
