/** Real connections, killed ones among them, all at once: see `pull-storm.ts`. STORM_MS makes it as long as one likes. */
import { expect } from 'chai';
import { openShapedConsumer } from '../../src/sinks/pull/sink.ts';
import type { Sandbox } from '../../src/transform/sandbox.ts';
import type { Shaped } from '../../src/transform/shape.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type PullStorm, pullStorm } from '../support/pull/storm.ts';

const MS = Number(process.env.STORM_MS ?? 2_500);

describe('receive: a storm', function () {
  this.timeout(MS * 2 + 90_000);
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  const cases = [
    { maxPerGroup: 1, shaped: false, maxRetryCount: undefined },
    { maxPerGroup: 2, shaped: false, maxRetryCount: undefined },
    { maxPerGroup: 1, shaped: false, maxRetryCount: 2 },
    { maxPerGroup: 1, shaped: true, maxRetryCount: 3 },
  ];
  for (const [number, { maxPerGroup, shaped, maxRetryCount }] of cases.entries()) {
    it(`of clients loses, doubles and reorders nothing: ${JSON.stringify(cases[number])}`, async () => {
      const { no, name } = await addPullSink(m.db, {
        name: `storm-${number}`,
        maxPerGroup,
        lanes: shaped ? 1 : 0,
        ...(maxRetryCount === undefined ? {} : { maxRetryCount }),
      });
      const storm = pullStorm(m, {
        no,
        name,
        ms: MS,
        clients: 8,
        groups: 25,
        maxPerGroup,
        lane: shaped ? 1 : 0,
        visibility: '700 ms',
      });
      const stop = new AbortController();
      const shaping = shaped ? shape(m, { no, name, storm }, stop.signal) : Promise.resolve();
      await storm.run();
      stop.abort();
      await shaping;
      expect(storm.faults).to.deep.equal([]);
      expect(storm.received)
        .to.be.greaterThan(storm.appended / 2)
        .and.greaterThan(0);
      if (process.env.STORM_MS) console.log({ ...storm });
    });
  }
});

/** The consumer's functions, as two workers that fail, drop and lose their lane now and then. */
async function shape(
  m: MessageDatabase,
  to: { no: number; name: string; storm: PullStorm },
  signal: AbortSignal,
): Promise<void> {
  const sandbox: Sandbox = {
    check: () => Promise.resolve(undefined),
    reads: () => 4,
    mostLength: 1,
    close: () => Promise.resolve(),
    shape: (_set, inputs) =>
      Promise.resolve(
        inputs.map(({ record }): Shaped => {
          const roll = Math.random();
          if (roll < 0.05) return { kept: true, error: { kind: 'threw', message: 'no', function: 'f' } };
          if (roll > 0.03 + 0.05) return { kept: true };
          to.storm.gone(JSON.parse(record).no);
          return { kept: false };
        }),
      ),
  };
  const worker = async (who: string): Promise<void> => {
    for (let run = 0; !signal.aborted; run += 1) {
      if (Math.random() < 0.05)
        await m.db.query('update millrace_private.lanes set until = now() where sink_no = $1', [to.no]);
      const target = laneSink({
        ...{
          ...to,
          sink: openShapedConsumer({ sinkNo: to.no, transformed: false }),
          shapes: true,
          deleteOnLeave: true,
        },
        functions: { filter: { name: 'f', type: 'filter', code: '', path: null, sink_type: null } },
      });
      const lane = { target, lane: 1, owner: `${who}-${run}`, runMs: 200 };
      await runOnce({ db: m.db, sandbox, random: Math.random }, lane, signal);
      await m.db.query('delete from millrace_private.circuits where sink_no = $1', [to.no]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all([worker('a'), worker('b')]);
}
