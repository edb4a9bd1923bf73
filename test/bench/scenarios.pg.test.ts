/**
 * Each benchmark for a moment: it still runs on the service as it is, and all that was sent arrived, once. No figure is looked at.
 * Those that take longer run in .ci/long.
 */
import { expect } from 'chai';
import { catalogChanges } from '../../bench/catalog-changes.ts';
import { changeTable } from '../../bench/change-table.ts';
import { curves } from '../../bench/curves.ts';
import { drain } from '../../bench/drain.ts';
import { growth } from '../../bench/growth.ts';
import { latency } from '../../bench/latency.ts';
import { looking } from '../../bench/looking.ts';
import { chart } from '../../bench/plot.ts';
import { pull } from '../../bench/pull.ts';
import { type Server, startServer } from '../../bench/server.ts';
import { shaping } from '../../bench/shaping.ts';
import { webhook } from '../../bench/webhook.ts';
import { writePath } from '../../bench/write-path.ts';

const FEW = { changes: 10_000, rounds: 1 };
const isEvery = process.env.MILLRACE_TEST_EVERY_BENCH !== undefined;

describe('the benchmarks, for a moment', () => {
  let server: Server;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(async () => {
    await server.stop();
  });

  const scenarios: Record<string, () => Promise<unknown>> = {
    drain: () => drain(server, FEW),
    transform: () => shaping(server, FEW),
    webhook: () => webhook(server, FEW),
    'change table': () => changeTable(server, FEW),
    latency: () => latency(server, { rate: 200, seconds: 1, rounds: 1 }),
    pull: () => pull(server, { rounds: 1, most: 400 }),
    catalog: () => catalogChanges(server, { rate: 100, seconds: 1, rounds: 1 }),
  };
  const longer: typeof scenarios = {
    growth: () => growth(server, { rounds: 1, pending: 10_000, holdSeconds: 0, onlyHeld: false }),
    triggers: () => writePath(server, { rounds: 1 }),
    looking: () => looking(server, { rounds: 1, seconds: 1 }),
  };
  const all = { ...scenarios, ...(isEvery ? longer : {}) };
  for (const [name, run] of Object.entries(all)) {
    it(`${name}: nothing is lost or comes twice`, async () => {
      expect(await run()).to.be.an.instanceOf(Object);
    });
  }

  it('curves: nothing is lost or comes twice, and each has a chart', async function () {
    if (!isEvery) this.skip();
    const points = {
      tables: [1, 20],
      sinks: [1, 3],
      pending: [100, 1_000],
      rowBytes: [100, 100_000],
      processes: [1, 2],
    };
    const found = await curves(server, { ...points, rates: [100], changes: 2_000, seconds: 1 });
    expect(found.map(({ name }) => name)).to.deep.equal([
      'tables',
      'sinks',
      'row-size',
      'pending',
      'processes',
      'latency',
    ]);
    for (const curve of found) expect(chart(curve)).to.include('<polyline');
  });
});
