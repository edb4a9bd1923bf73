/**
 * One process dies, or the service is told to stop, under load: the others go on, what was begun is finished by whoever
 * comes next, and a stop counts as nobody's failure.
 */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import {
  accountsYaml,
  EVERY_SINK,
  expectChangeTables,
  expectCrowd,
  expectIndexes,
  INDEXES,
  PUSHED,
  readPlain,
  readShaped,
} from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA, seeded, type Writers } from '../support/outages/ledger.ts';
import { readerPid } from '../support/postgres/capture-way.ts';
import { createService, startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { pullByHttp, pullBySql } from '../support/pull/client.ts';
import { type Crowd, startCrowd } from '../support/pull/crowd.ts';
import { promised, until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 4_711);
/** Recovery after kill -9: the next process starts and takes the lanes over, with what is written meanwhile. */
const RECOVERY_MS = 20_000;
/** Until lanes of a worker that died are free: well before their leases of 30 s end. */
const TAKEN_OVER_MS = 5_000;

describe('processes', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  let writers: Writers;
  let crowds: Crowd[];

  before(async () => {
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + accountsYaml(engine.url) });
    writers = createWriters(world.shop, SEED, 2);
    const crowd = (name: string, read: typeof readPlain, seed: number): Crowd => {
      const bySql = pullBySql(world.messages, name, { shaped: read === readShaped });
      return startCrowd({ clients: [pullByHttp(service.url, name), bySql], random: seeded(seed), read });
    };
    crowds = [crowd('accounts-pull', readPlain, SEED + 1), crowd('accounts-shaped', readShaped, SEED + 2)];
    for (const each of crowds) each.finish();
  });
  after(async () => {
    await Promise.all((crowds ?? []).map((crowd) => crowd.stop()));
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(`SEED=${SEED}\n${service.output().slice(-6_000)}`);
  });

  const load = (): Promise<void> => writers.write(writers.written + 300);

  async function pids(): Promise<Record<'web' | 'worker' | 'capture', number | undefined>> {
    const [web, worker, capture] = await Promise.all([
      service.find('web'),
      service.find('worker'),
      service.find('capture'),
    ]);
    return { web: web?.pid, worker: worker?.pid, capture: capture?.pid };
  }

  const waitsToBeShaped = async (): Promise<boolean> => {
    const { rows } = await world.messages.query<{ some: boolean }>(
      'select exists (select from millrace_private.messages m where m.lane = 1 and m.payload is null) as some',
    );
    return rows[0]!.some;
  };

  /** Everything came out of every end, as it should, and nothing was parked or counted as tried. */
  async function expectAll(): Promise<void> {
    const changes = await expectChangeTables(world);
    await expectIndexes(world, engine);
    expectCrowd(crowds[0]!, changes, 'accounts-pull');
    expectCrowd(
      crowds[1]!,
      changes.filter(({ record }) => record.region !== 'west'),
      'accounts-shaped',
    );
    const { rows } = await world.messages.query(
      'select sink_no, state, attempts, error from millrace_private.delivery_states',
    );
    expect(rows).to.deep.equal([]);
  }

  it('the sandbox process is killed: another one, and no message is parked', async () => {
    const writing = load();
    const sandbox = await until('a sandbox process', () => service.find('sandbox'));
    await until('messages wait to be shaped', waitsToBeShaped);
    process.kill(sandbox.pid, 'SIGKILL');
    await writing;
    await world.settled(EVERY_SINK, 20_000);
    expect((await service.find('sandbox'))?.pid).to.not.equal(sandbox.pid);
    await expectAll();
  });

  it('capture is killed: another one goes on where it was', async () => {
    const before = await pids();
    const goal = writers.written + 100;
    const writing = load();
    await until('it captures', () => writers.written >= goal);
    process.kill(before.capture!, 'SIGKILL');
    await writing;
    await world.settled(EVERY_SINK, 20_000);
    const now = await pids();
    expect(now).to.include({ web: before.web, worker: before.worker });
    expect(now.capture).to.not.equal(before.capture);
    await expectAll();
  });

  it('SIGTERM under load: all end within 10 s, nothing counts as tried, and the next start goes on at once', async () => {
    const writing = load();
    engine.fail({ kind: 'hang' }, { times: 2 });
    const bulks = engine.bulks().length;
    await until('requests hang', () => engine.bulks().length >= bulks + 2);
    const waiting = pullByHttp(service.url, 'accounts-pull');
    const polls = Array.from({ length: 3 }, () => waiting.receive(1, 60_000).catch(() => []));
    const { ms, code } = await service.stop();
    expect(ms).to.be.lessThan(promised(10_000));
    expect(code).to.equal(0);
    // Whoever waited was answered; what they got is theirs until its visibility timeout.
    expect(await Promise.all(polls)).to.have.lengthOf(3);
    await writing;
    const { rows: lanes } = await world.messages.query('select * from millrace_private.lanes where owner is not null');
    expect(lanes).to.deep.equal([]);
    const { rows: tried } = await world.messages.query(
      `select s.name, x.state, x.attempts, x.error from millrace_private.delivery_states x
         join millrace_private.sinks s on s.no = x.sink_no
        where s.name = any ($1)
          -- What was not tried of a batch that was delivered in part: due at once, as if it were new.
          and not (x.state = 'waiting' and x.attempts = 0 and x.error is null and x.due_at <= clock_timestamp())`,
      [PUSHED],
    );
    expect(tried).to.deep.equal([]);
    await service.start();
    await world.settled(PUSHED, 15_000);
    await world.settled(EVERY_SINK, 15_000);
    await expectAll();
  });

  it('a worker is killed while it delivers and shapes: its lanes go on without waiting for their leases, the others never stop', async () => {
    const before = await pids();
    const writing = load();
    await until('messages wait to be shaped', waitsToBeShaped);
    process.kill(before.worker!, 'SIGKILL');
    const killedAt = performance.now();
    await writing;
    await world.settled(EVERY_SINK, RECOVERY_MS);
    expect(performance.now() - killedAt).to.be.lessThan(promised(RECOVERY_MS));
    const now = await pids();
    expect(now).to.include({ web: before.web, capture: before.capture });
    expect(now.worker).to.not.equal(before.worker);
    await expectAll();
  });

  it('roles on their own: two workers share the lanes, and one that dies leaves nothing doubled', async () => {
    await service.stop();
    const role = (word: 'worker' | 'capture' | 'web'): Promise<TestService> =>
      createService({ databaseUrl: world.messagesUrl, word, port: service.port });
    const [first, second, ...others] = await Promise.all([
      role('worker'),
      role('worker'),
      role('capture'),
      role('web'),
    ]);
    await Promise.all([first, ...others].map((part) => part!.start()));
    await load();
    const owner = await until('the first worker has lanes', async () => (await world.laneOwners())[0], 20_000);
    await second!.start();
    // Whoever is quicker takes a lane that has work: a quiet one is given back, and is anybody's next time.
    await until(
      'the second worker has lanes too',
      async () => {
        await world.settled(PUSHED, 20_000);
        await until('all lanes are quiet', async () => (await world.laneOwners()).length === 0, 5_000);
        await writers.write(writers.written + 50);
        const owners = await until('lanes are taken', async () => {
          const found = await world.laneOwners();
          return found.length > 0 && found;
        });
        return owners.some((one) => one !== owner);
      },
      30_000,
    );
    const writing = load();
    const busy = await until('one of them has lanes again', async () => (await world.laneOwners())[0], 20_000);
    const [dying, left] = busy === owner ? [first!, second!] : [second!, first!];
    await dying.kill();
    const died = performance.now();
    await until('it has none', async () => !(await world.laneOwners()).includes(busy), TAKEN_OVER_MS);
    expect(performance.now() - died).to.be.lessThan(promised(TAKEN_OVER_MS));
    await writing;
    await world.settled(EVERY_SINK, 30_000);
    await expectAll();
    for (const part of [left, ...others]) expect(await part!.stop()).to.include({ code: 0 });
  });

  it('a capture that stands by takes over within 5 s of the other one’s death', async () => {
    await service.stop();
    const capture = (): Promise<TestService> => createService({ databaseUrl: world.messagesUrl, word: 'capture' });
    const [first, second] = [await capture(), await capture()];
    await first.start();
    const streams = (): Promise<number | null> => readerPid(world.shop, world.slot);
    const before = await until('the first one streams', streams);
    // Ready is: it streams.
    const takesOver = second.start();
    await until('the second one runs', () => second.output().includes('"started"'));
    await world.captured();
    expect(await streams()).to.equal(before);
    await first.kill();
    const died = performance.now();
    await takesOver;
    expect(performance.now() - died).to.be.lessThan(promised(5_000));
    expect(await streams()).to.not.equal(before);
    await load();
    await world.captured();
    await second.stop();
  });
});
