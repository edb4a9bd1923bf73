import { expect } from 'chai';
import type { Queryable } from '../../src/db/pool.ts';
import { createKeeper } from '../../src/deliver/heartbeat.ts';
import { runLane } from '../../src/deliver/lane.ts';
import { LANE_TTL_MS, type LaneId, takeLane } from '../../src/deliver/settle.ts';
import type { Sink } from '../../src/model/sink.ts';
import { createSignal } from '../../src/runtime/concurrency/signal.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const LANES = 64;

describe('the heartbeat of lanes', () => {
  let on: MessageDatabase;
  let no: number;
  let ids: LaneId[];
  beforeEach(async () => {
    on = await messageDatabase();
    ({ no } = await addPullSink(on.db, { name: 'shaped', lanes: 1 }));
    await on.db.query(
      'insert into millrace_private.lanes (sink_no, lane) select $1, n from generate_series(0, 63) n on conflict do nothing',
      [no],
    );
    ids = Array.from({ length: LANES }, (_, lane) => ({ sinkNo: no, lane, owner: `us-${lane}` }));
    for (const id of ids) expect(await takeLane(on.db, id)).to.equal(true);
    await on.db.query("update millrace_private.lanes set until = clock_timestamp() + interval '1 s'");
  });
  afterEach(async () => await on.drop());

  const longKept = async (): Promise<number[]> => {
    const sql = `select lane from millrace_private.lanes where until > clock_timestamp() + interval '20 s' order by lane`;
    return (await on.db.query<{ lane: number }>(sql)).rows.map(({ lane }) => lane);
  };

  it('is one statement for all, and never a second one before it is answered', async () => {
    let asked = 0;
    let atOnce = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const slow: Queryable = {
      async query(statement, values) {
        asked += 1;
        atOnce += 1;
        most = Math.max(most, atOnce);
        await gate.promise;
        const answer = await on.db.query(statement, values);
        atOnce -= 1;
        return answer as never;
      },
    };
    const keeper = createKeeper(slow, { everyMs: 5 });
    const begun = performance.now();
    const kept = ids.map((id) => keeper.keep(id, { since: keeper.clock(), onLost: () => undefined }));
    await until('many beats would have been', () => performance.now() - begun > 100);
    expect(asked).to.equal(1);
    gate.resolve();
    await until('all are kept', async () => (await longKept()).length === LANES);
    for (const one of kept) one.end();
    expect(most).to.equal(1);
  });

  it('tells the lanes that have another owner, and passes over those that are being settled', async () => {
    await on.db.query("update millrace_private.lanes set owner = 'another' where lane in (3, 5)");
    const lost: number[] = [];
    const keeper = createKeeper(on.db, { everyMs: 10 });
    await on.db.transaction(async (tx) => {
      await tx.query('select from millrace_private.lanes where lane = 7 for no key update');
      const kept = ids.map((id) => keeper.keep(id, { since: keeper.clock(), onLost: () => lost.push(id.lane) }));
      await until('the others are kept', async () => (await longKept()).length === LANES - 3);
      for (const one of kept) one.end();
    });
    expect([...new Set(lost)].toSorted()).to.deep.equal([3, 5]);
    expect(await longKept()).not.to.include.members([3, 5, 7]);
  });

  it('is sure of a lane for as long as its lease, counted from before it was asked for', async () => {
    let now = 0;
    const keeper = createKeeper(on.db, { everyMs: 10, clock: () => now });
    const kept = keeper.keep(ids[0]!, { since: 0, onLost: () => undefined });
    now = LANE_TTL_MS - 1;
    expect(kept.isSure()).to.equal(true);
    await until('it is kept', async () => (await longKept()).length === 1);
    now = LANE_TTL_MS + 1;
    await until('that is known', () => kept.isSure());
    kept.end();
    now = 3 * LANE_TTL_MS;
    expect(kept.isSure()).to.equal(false);
  });

  it('a lane that stalled past its lease sends nothing of what it had read', async () => {
    const log = createLog({ level: 'silent', role: 'test' });
    const sandbox = openSandbox({ log });
    await on.db.query('delete from millrace_private.lanes where lane > 1');
    await on.db.query('update millrace_private.lanes set owner = null, until = null');
    await appendMessages(on.db, no, [{ group: 1 }]);
    let now = 0;
    let sent = 0;
    const sink: Sink = {
      batchSize: 10,
      batchBytes: 1_000,
      send: (batch) => {
        sent += 1;
        return Promise.resolve({ outcomes: batch.map(() => ({ kind: 'done' as const })) });
      },
      test: () => {
        now += LANE_TTL_MS;
        return Promise.resolve(undefined);
      },
      close: () => Promise.resolve(),
    };
    const run = async (tested: boolean) =>
      await runLane(
        {
          db: on.db,
          sandbox,
          log,
          now: Date.now,
          random: () => 0,
          onRecovered: () => undefined,
          onSettled: () => undefined,
          keeper: createKeeper(on.db, { clock: () => now }),
        },
        {
          target: {
            no,
            name: 'shaped',
            sink,
            functions: {},
            replaces: false,
            shapes: false,
            deleteOnLeave: false,
            maxRetryCount: null,
            tested,
            killers: new Set(),
            failures: 0,
          },
          id: { sinkNo: no, lane: 0, owner: `us ${tested}` },
          wake: createSignal(),
          runMs: 10_000,
          lingerMs: 0,
        },
        new AbortController().signal,
      );
    expect(await run(false)).to.deep.equal({ taken: true, again: 'now' });
    expect(sent).to.equal(0);
    expect(await run(true)).to.include({ taken: true });
    expect(sent).to.equal(1);
    await sandbox.close();
  });
});
