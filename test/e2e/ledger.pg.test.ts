/**
 * The promise, under kill -9 of everything: writers change rows, clients receive, the whole service dies at random moments
 * and is started again. In the end every change that was committed has come out of every end, exactly once where that is
 * promised, in order per row, and nothing that was acknowledged came again. The seed of a run is printed when it fails;
 * SEED=n takes another one.
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
  readPlain,
  readShaped,
} from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA, seeded, type Writers } from '../support/outages/ledger.ts';
import { moments } from '../support/processes/moments.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { CONNECTIONS_MAX, startWatch, type Watch } from '../support/processes/watch.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { pullByHttp, pullBySql } from '../support/pull/client.ts';
import { type Crowd, startCrowd } from '../support/pull/crowd.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 20_261_121);
const KILLS = Number(process.env.KILLS ?? 5);
const CHANGES = 500;
const RSS_MAX_MB = 256;

describe('the ledger, with kill -9 of the whole service', function () {
  this.timeout(50_000 + KILLS * 20_000);
  const random = seeded(SEED);
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  let writers: Writers;
  let plain: Crowd;
  let shaped: Crowd;
  let watch: Watch;

  before(async () => {
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
    watch = startWatch(world);
    await watch.begin();
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + accountsYaml(engine.url) });
    writers = createWriters(world.shop, SEED, 3);
    const http = (name: string) => pullByHttp(service.url, name);
    plain = startCrowd({
      clients: [http('accounts-pull'), http('accounts-pull'), pullBySql(world.messages, 'accounts-pull')],
      random: seeded(SEED + 100),
      read: readPlain,
    });
    shaped = startCrowd({
      clients: [http('accounts-shaped'), pullBySql(world.messages, 'accounts-shaped', { shaped: true })],
      random: seeded(SEED + 200),
      read: readShaped,
    });
  });
  after(async () => {
    await Promise.all([plain?.stop(), shaped?.stop(), watch?.stop()]);
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    console.error(`SEED=${SEED}\n${service.output().slice(-6_000)}`);
  });

  it(`is killed ${KILLS} times, and settles everything in the end`, async () => {
    const around = { world, engine, writers, crowds: [plain, shaped], random };
    const kills = Array.from({ length: Math.ceil(KILLS / 5) }, () => moments(around)).flat();
    for (const moment of kills.slice(0, KILLS)) {
      const writing = writers.write(writers.written + CHANGES);
      const letGo = await moment.come();
      await service.kill();
      await writing;
      await letGo();
      // A dead worker's lanes are taken over when their leases have ended: time passes.
      await world.endLaneLeases();
      await watch.begin();
      await service.start();
    }
    await writers.write(writers.written + CHANGES);
    await world.captured();
    // What is not acknowledged comes again: some were given back or forgotten.
    await until('redeliveries', () => plain.redelivered > 10 && shaped.redelivered > 10, 20_000);
    for (const crowd of [plain, shaped]) crowd.finish();
    await world.settled(EVERY_SINK, 40_000);
  });

  it('each change table holds every change once, and folded it is the table', async () => {
    const changes = await expectChangeTables(world);
    expect(changes.length).to.be.at.least(CHANGES * (KILLS + 1));
  });

  it('each index holds what the transform makes of the table', () => expectIndexes(world, engine));

  it('clients saw every change, in order per row, and nothing again that they had acknowledged', async () => {
    const changes = await expectChangeTables(world);
    expectCrowd(plain, changes, 'accounts-pull');
    expectCrowd(
      shaped,
      changes.filter(({ record }) => record.region !== 'west'),
      'accounts-shaped',
    );
  });

  it('nothing is parked, and nothing is left over', async () => {
    const { rows } = await world.messages.query(
      `select (select count(*) from millrace_private.messages) as messages,
              (select count(*) from millrace_private.delivery_states) as states,
              (select count(*) from millrace.parked_messages) as parked`,
    );
    expect(rows).to.deep.equal([{ messages: 0, states: 0, parked: 0 }]);
  });

  it('the source was never told more than what is recorded, and connections kept to their budget', () => {
    expect(watch.faults).to.deep.equal([]);
    expect(watch.looks).to.be.greaterThan(100);
    expect(watch.connections).to.be.within(5, CONNECTIONS_MAX);
  });

  it(`no process takes more than ${RSS_MAX_MB} MB`, async () => {
    const large = (await service.processes()).filter(({ rssMb }) => rssMb > RSS_MAX_MB);
    expect(large).to.deep.equal([]);
  });
});
