import { expect } from 'chai';
import type { Queryable } from '../../src/db/pool.ts';
import { createHeartbeat } from '../../src/deliver/heartbeat.ts';
import { LANE_TTL_MS, type LaneId, takeLane } from '../../src/deliver/settle.ts';
import type { Sink } from '../../src/model/sink.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
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

  const longHeld = async (): Promise<number[]> => {
    const sql = `select lane from millrace_private.lanes where until > clock_timestamp() + interval '20 s' order by lane`;
    return (await on.db.query<{ lane: number }>(sql)).rows.map(({ lane }) => lane);
  };

  it('is not sure of what it held before the machine slept, which stops no clock but the one that goes on evenly', async () => {
    const heartbeat = createHeartbeat(on.db);
    const holding = heartbeat.hold(ids[0]!, { since: heartbeat.clock(), onLost: () => undefined });
    expect(holding.isSure()).to.equal(true);
    const { now } = Date;
    try {
      Date.now = () => now() + LANE_TTL_MS + 1_000;
      expect(holding.isSure()).to.equal(false);
      const later = heartbeat.hold(ids[1]!, { since: heartbeat.clock(), onLost: () => undefined });
      expect(later.isSure(), 'of what it took since').to.equal(true);
      Date.now = () => now() - 3_600_000;
      expect(later.isSure(), 'though the time of day was set back').to.equal(true);
      later.end();
    } finally {
      Date.now = now;
      holding.end();
    }
  });

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
    const heartbeat = createHeartbeat(slow, { everyMs: 5 });
    const begun = performance.now();
    const holds = ids.map((id) => heartbeat.hold(id, { since: heartbeat.clock(), onLost: () => undefined }));
    await until('many beats would have been', () => performance.now() - begun > 100);
    expect(asked).to.equal(1);
    gate.resolve();
    await until('all are held', async () => (await longHeld()).length === LANES);
    for (const one of holds) one.end();
    expect(most).to.equal(1);
  });

  it('tells the lanes that have another owner, and passes over those that are being settled', async () => {
    await on.db.query("update millrace_private.lanes set owner = 'another' where lane in (3, 5)");
    const lost: number[] = [];
    const heartbeat = createHeartbeat(on.db, { everyMs: 10 });
    await on.db.transaction(async (tx) => {
      await tx.query('select from millrace_private.lanes where lane = 7 for no key update');
      const holds = ids.map((id) => heartbeat.hold(id, { since: heartbeat.clock(), onLost: () => lost.push(id.lane) }));
      await until('the others are held', async () => (await longHeld()).length === LANES - 3);
      for (const one of holds) one.end();
    });
    expect([...new Set(lost)].toSorted()).to.deep.equal([3, 5]);
    expect(await longHeld()).not.to.include.members([3, 5, 7]);
  });

  it('is sure of a lane for as long as its lease, counted from before it was asked for', async () => {
    let now = 0;
    const heartbeat = createHeartbeat(on.db, { everyMs: 10, clock: () => now });
    const hold = heartbeat.hold(ids[0]!, { since: 0, onLost: () => undefined });
    now = LANE_TTL_MS - 1;
    expect(hold.isSure()).to.equal(true);
    await until('it is held', async () => (await longHeld()).length === 1);
    now = LANE_TTL_MS + 1;
    await until('that is known', () => hold.isSure());
    hold.end();
    now = 3 * LANE_TTL_MS;
    expect(hold.isSure()).to.equal(false);
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
      await runOnce(
        { db: on.db, sandbox, heartbeat: createHeartbeat(on.db, { clock: () => now }) },
        { target: laneSink({ no, name: 'shaped', sink, tested }), owner: `us ${tested}` },
      );
    expect(await run(false)).to.deep.equal({ taken: true, again: 'now' });
    expect(sent).to.equal(0);
    expect(await run(true)).to.include({ taken: true });
    expect(sent).to.equal(1);
    await sandbox.close();
  });
});
