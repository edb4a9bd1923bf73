/**
 * Kill -9, a source that crashes, an engine that is away and a message database that restarts, in the middle of a
 * verification and of a repair, while rows change at random: it finds what is wrong and nothing else, or says why it
 * cannot; it never says that there is no drift where there is one. A repair that died is simply called again.
 */
import { expect } from 'chai';
import { expectFacts } from '../support/outages/facts.ts';
import { churn } from '../support/outages/ledger.ts';
import { type Outages, ROWS, startOutages } from '../support/outages/outages.ts';
import type { RunningCommand } from '../support/processes/cli.ts';
import { stopServices } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 9_242);
/** In .ci/long each fault comes in a verification and in a repair; in the gate two do, one in each. */
const EVERY_PLACE = process.env.MILLRACE_TEST_EVERY_PLACE === '1';
const IN_THE_GATE = ['kill -9 of capture and worker', 'the message database is stopped, and started again'];
const DEADLINE_MS = 40_000;
/** Rows that no writer touches. */
const [MISSING, DIFFERENT] = [ROWS + 1, ROWS + 2];
const VERIFY = ['verify', 'accounts-index', '--show', '1000', '--refresh', '100'];
const DRIFTS = [
  `different  accounts  _id "${DIFFERENT}": public.accounts; fields cents`,
  'extra      accounts  _id "stranger": no row',
  `missing    accounts  _id "${MISSING}": public.accounts`,
];

interface Fault {
  name: string;
  /** At which of its searches a verification is interrupted: 2 is among the rows, 7 behind them. None: it has nothing to lose. */
  search?: number;
  /** `command`: to be killed, where the fault is that. */
  strike(world: Outages, command: RunningCommand): Promise<void>;
  back(world: Outages): Promise<void>;
}

const FAULTS: Fault[] = [
  {
    name: 'kill -9 of capture and worker',
    search: 7,
    async strike({ capture, worker }) {
      await Promise.all([capture.kill(), worker.kill()]);
    },
    async back(world) {
      await world.timePasses();
      await Promise.all([world.capture.start({ wait: false }), world.worker.start({ wait: false })]);
    },
  },
  {
    name: 'the source crashes, and comes back',
    search: 2,
    strike: ({ source }) => source.end('SIGQUIT'),
    back: ({ source }) => source.start(),
  },
  {
    name: 'the engine is away, and comes back',
    search: 7,
    strike: ({ relay }) => relay.leave(),
    async back(world) {
      const sql = 'select from millrace_private.circuits';
      await until('the worker has noticed', async () => (await world.messages.query(sql)).rowCount > 0, DEADLINE_MS);
      await world.relay.comeBack();
      // A lane that met the engine while it was away may open the circuit again, for as long as until the next probe.
      const probe =
        'update millrace_private.circuits set probe_at = clock_timestamp() where probe_at > clock_timestamp()';
      await until(
        'it is delivered to again',
        async () => {
          await world.messages.query(probe);
          await world.messages.query("select pg_notify('millrace_messages', '')");
          return (await world.messages.query(sql)).rowCount === 0;
        },
        DEADLINE_MS,
      );
    },
  },
  {
    name: 'the message database is stopped, and started again',
    search: 2,
    strike: ({ store }) => store.stopServer(),
    back: ({ store }) => store.startServer(),
  },
  {
    name: 'kill -9 of the command itself',
    async strike(_world, command) {
      command.kill();
      await command.ended();
    },
    back: async () => undefined,
  },
];

describe('outages of verify', function () {
  this.timeout(120_000);
  let world: Outages;

  before(async () => {
    world = await startOutages(SEED);
    await churn(world.shop, [
      ['put', MISSING, 'north'],
      ['put', DIFFERENT, 'north'],
    ]);
    await world.settled();
  });
  after(async () => {
    await world?.close();
    await stopServices();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const role of [world.capture, world.worker]) console.error(`SEED=${SEED}\n${role.output().slice(-3_000)}`);
  });

  const plant = (): void => {
    const { engine } = world.engine;
    engine.plant('accounts', String(MISSING), undefined);
    engine.plant(
      'accounts',
      String(DIFFERENT),
      JSON.stringify({ ...object(engine.documents('accounts').get(String(DIFFERENT))), cents: -1 }),
    );
    engine.plant('accounts', 'stranger', '{}');
  };
  const searches = (): number => world.engine.requests.filter(({ path }) => path.endsWith('/_search')).length;

  /** What it found is what was planted; or it found nothing out, and says why. */
  async function expectHonest(command: RunningCommand): Promise<number | null> {
    const { code, stdout, stderr } = await command.ended(DEADLINE_MS);
    if (code === null) return code;
    expect(stderr).not.to.match(/\n\s+at /);
    expect(code, stdout + stderr).to.be.oneOf([1, 2]);
    if (code === 2) {
      const lines = stdout.split('\n').filter((line) => line.startsWith('  '));
      expect(lines.map((line) => line.trim()).toSorted(), stdout).to.deep.equal(DRIFTS);
    } else {
      expect(stdout).to.equal('');
      // After what it told of its progress: a sentence, and its remedy.
      expect(stderr).to.match(/\S.*\n {2}\S.*\n$/);
    }
    return code;
  }

  for (const [place, { name, search: nth, strike, back }] of FAULTS.entries()) {
    if (!EVERY_PLACE && !IN_THE_GATE.includes(name)) continue;
    const comparesInTheGate = place % 2 === 1;
    if (nth !== undefined && (EVERY_PLACE || comparesInTheGate)) {
      it(`${name}, while it compares`, async () => {
        plant();
        world.write();
        const before = searches();
        const release = Promise.withResolvers<void>();
        const go = Promise.resolve();
        world.engine.fail({ kind: 'hold', until: go }, { path: /_search$/, times: nth - 1 });
        world.engine.fail({ kind: 'hold', until: release.promise }, { path: /_search$/ });
        const command = world.cli(...VERIFY);
        await until('it is in the middle', () => searches() >= before + nth, DEADLINE_MS);
        await strike(world, command);
        release.resolve();
        await back(world);
        await expectHonest(command);
        await world.settled();
        expect(await expectHonest(world.cli(...VERIFY))).to.equal(2);
      });
    }

    if (!EVERY_PLACE && comparesInTheGate) continue;
    it(`${name}, while it repairs`, async () => {
      await world.restart('capture', 'backfill/before-watermark=stop@1');
      plant();
      world.write();
      const command = world.cli(...VERIFY, '--repair');
      const pid = await world.stopped();
      await strike(world, command);
      if (!name.startsWith('kill -9 of capture')) process.kill(pid, 'SIGCONT');
      await back(world);
      const first = await command.ended(DEADLINE_MS);
      expect(first.code, first.stdout + first.stderr).to.be.oneOf([0, 1, null]);
      const sql = "select from millrace_private.backfills where kind = 'keys' and state not in ('done', 'cancelled')";
      await until(
        'what was asked for is sent',
        async () => (await world.messages.query(sql)).rowCount === 0,
        DEADLINE_MS,
      );
      const second = await world.cli(...VERIFY, '--repair').ended(DEADLINE_MS);
      expect(second.code, second.stdout + second.stderr).to.equal(0);
      await world.settled();
      await expectFacts(world);
    });
  }
});

const object = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
