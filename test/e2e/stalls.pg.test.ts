/**
 * A worker that stalls (SIGSTOP) past its lease, just before it sends, or where it has delivered and not settled, while another one takes its
 * lane over: when it wakes up it settles nothing, nothing is lost, change tables hold every change once, indexes converge.
 */
import { expect } from 'chai';
import type { Failpoint } from '../../src/runtime/failpoint.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { accountsYaml, expectChangeTables, expectIndexes, INDEXES, PUSHED } from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA, type Writers } from '../support/outages/ledger.ts';
import { createService, startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 7_377);
/** The gate has one before and one behind a commit. */
const PLACES: Failpoint[] = [
  'deliver/before-commit',
  'change-table/after-commit',
  ...(process.env.MILLRACE_TEST_EVERY_PLACE === '1' ? (['deliver/before-send', 'deliver/after-send'] as const) : []),
];

describe('a worker that stalls', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let capture: TestService;
  let workers: TestService[];
  let writers: Writers;

  before(async () => {
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
    const yaml = world.yaml + accountsYaml(engine.url);
    const migrated = await startService({ databaseUrl: world.messagesUrl, yaml });
    await migrated.kill();
    capture = await startService({ databaseUrl: world.messagesUrl, word: 'capture' });
    const worker = { databaseUrl: world.messagesUrl, word: 'worker' } as const;
    workers = [await createService(worker), await createService(worker)];
    writers = createWriters(world.shop, SEED, 2);
  });
  after(async () => {
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const one of [capture, ...workers]) console.error(`SEED=${SEED}\n${one.output().slice(-3_000)}`);
  });

  const load = (): Promise<void> => writers.write(writers.written + 60);
  const backendsOfWorkers = async (): Promise<number[]> => {
    const sql = `select pid from pg_stat_activity
                  where application_name = 'millrace worker' and datname = current_database()`;
    return (await world.messages.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid);
  };
  /** Of the service, in whatever database; to how many it was said. */
  const endIdle = async (): Promise<number> => {
    const sql = `select pg_terminate_backend(pid) from pg_stat_activity
                  where application_name like 'millrace %' and state = 'idle in transaction'
                    and state_change < clock_timestamp() - interval '200 ms'`;
    return (await world.messages.query(sql)).rowCount;
  };
  /** How often each lane was settled. */
  const settlings = async (): Promise<unknown[]> =>
    (
      await world.messages.query(
        `select s.name, c.lane, max(c.seq) as seq from millrace_private.cursor_log c
           join millrace_private.sinks s on s.no = c.sink_no where s.name = any ($1::text[]) group by 1, 2 order by 1, 2`,
        [PUSHED],
      )
    ).rows;

  for (const place of PLACES) {
    it(`at ${place}: it wakes up, and settles nothing`, async () => {
      const [sleeper, other] = workers as [TestService, TestService];
      await world.endLaneLeases();
      await sleeper.start({ env: { MILLRACE_FAILPOINTS: `${place}=stop@2` }, wait: false });
      const stalled = await until(
        'the worker stalls',
        async () => {
          await load();
          await world.captured();
          const process = await sleeper.find('worker');
          return process?.stopped === true && process;
        },
        40_000,
      );
      const backends = await backendsOfWorkers();
      await other.start();
      await load();
      // What time does: Postgres ends a transaction that is idle for long, and leases end.
      await until('nobody is idle in a transaction', async () => (await endIdle()) === 0);
      await world.endLaneLeases();
      await world.settled(PUSHED, 40_000);
      const before = await settlings();

      const asleep = await world.messages.query<{ now: string }>('select clock_timestamp()::text as now');
      process.kill(stalled.pid, 'SIGCONT');
      await until('it goes on', async () => {
        const { rows } = await world.messages.query<{ awake: boolean }>(
          `select count(*) < $2::integer or bool_or(a.state_change > $3::timestamptz) as awake
             from pg_stat_activity a where a.pid = any ($1::integer[])`,
          [backends, backends.length, asleep.rows[0]!.now],
        );
        return rows[0]?.awake;
      });
      expect(await settlings()).to.deep.equal(before);

      await load();
      await world.settled(PUSHED, 40_000);
      // Connections of its that were ended meanwhile are no destination's fault.
      expect((await world.messages.query('select reason, error from millrace_private.circuits')).rows).to.deep.equal(
        [],
      );
      await expectChangeTables(world);
      await expectIndexes(world, engine);
      for (const worker of workers) await worker.kill();
    });
  }
});
