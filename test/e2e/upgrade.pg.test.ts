/**
 * A rolling upgrade and its rollback, under load: the roles of the release before and those of this one work side by side on
 * one message database, whichever of them is there alone before and after. Nothing is lost, doubled or parked. MILLRACE_TEST_FORMER=1:
 * the release of that schema version, instead of the last one; one that the schema serves no more stops before, and stays away.
 */
import { expect } from 'chai';
import { SCHEMA } from '../../src/db/schema-version.ts';
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
import { type Released, unpackReleased } from '../support/processes/released.ts';
import { createService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { pullByHttp } from '../support/pull/client.ts';
import { type Crowd, startCrowd } from '../support/pull/crowd.ts';

const SEED = Number(process.env.SEED ?? 20_261);
const FORMER = Number(process.env.MILLRACE_TEST_FORMER ?? SCHEMA.version - 1);
const ROLES = ['web', 'worker', 'capture'] as const;

describe('rolling upgrade', function () {
  this.timeout(180_000);
  let world: World;
  let engine: BulkServer;
  let writers: Writers;
  let former: Released;
  const all: TestService[] = [];
  const crowds: Crowd[] = [];

  before(async () => {
    former = await unpackReleased(FORMER);
    world = await createWorld(LEDGER_SCHEMA);
    // As it was before anybody migrated it.
    await world.messages.query('drop schema if exists millrace, millrace_private, millrace_jobs cascade');
    engine = await startBulkServer({ indexes: INDEXES });
    writers = createWriters(world.shop, SEED, 2);
  });
  after(async () => {
    await Promise.all(crowds.map((crowd) => crowd.stop()));
    await stopServices();
    await engine?.close();
    await world?.drop();
    await former?.remove();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    console.error(`SEED=${SEED}\n${all.map((each) => each.output().slice(-3_000)).join('\n')}`);
  });

  const yaml = (): string => world.yaml + accountsYaml(engine.url);
  /** The roles of a release, not started. */
  async function rolesOf(main?: string): Promise<TestService[]> {
    const options = { databaseUrl: world.messagesUrl, ...(main === undefined ? {} : { main }) };
    const roles = await Promise.all(ROLES.map((word) => createService({ ...options, word })));
    all.push(...roles);
    return roles;
  }
  async function migrate(main?: string): Promise<void> {
    const options = { databaseUrl: world.messagesUrl, yaml: yaml(), word: 'migrate' as const };
    const migration = await createService(main === undefined ? options : { ...options, main });
    await migration.start({ wait: false });
    expect(await migration.died(60_000), migration.output()).to.equal('code 0');
  }
  /** Another capture may have the slot: it is not waited for. */
  const start = (roles: TestService[]): Promise<unknown> =>
    Promise.all(roles.map((role, at) => role.start({ wait: ROLES[at] === 'web' })));
  const stop = (roles: TestService[]): Promise<unknown> => Promise.all(roles.map((role) => role.stop()));
  const load = (): Promise<void> => writers.write(writers.written + 200);
  const schemaVersion = async (): Promise<unknown> => {
    const { rows } = await world.messages.query('select version from millrace_private.schema_state');
    return rows[0]?.version;
  };

  function pullFrom(releases: TestService[][]): void {
    const crowd = (name: string, read: typeof readPlain, seed: number): Crowd => {
      const clients = releases.map(([web]) => pullByHttp(web!.url, name));
      return startCrowd({ clients, random: seeded(seed), read });
    };
    crowds.push(crowd('accounts-pull', readPlain, SEED + 1), crowd('accounts-shaped', readShaped, SEED + 2));
  }
  async function startFormer(old: TestService[]): Promise<void> {
    expect(await schemaVersion()).to.equal(FORMER);
    // Nobody else has the slot, and what was written before there is one is not captured.
    await Promise.all(old.map((role) => role.start()));
  }
  async function expectAll(): Promise<void> {
    for (const each of crowds) each.finish();
    await world.settled(EVERY_SINK, 60_000);
    const changes = await expectChangeTables(world);
    await expectIndexes(world, engine);
    expectCrowd(crowds[0]!, changes, 'accounts-pull');
    const shaped = changes.filter(({ record }) => record.region !== 'west');
    expectCrowd(crowds[1]!, shaped, 'accounts-shaped');
    const { rows } = await world.messages.query('select sink_no, state, error from millrace_private.delivery_states');
    expect(rows).to.deep.equal([]);
  }

  const besideEachOther = async (): Promise<void> => {
    const [old, current, again] = [await rolesOf(former.main), await rolesOf(), await rolesOf(former.main)];
    await migrate(former.main);
    await startFormer(old);
    pullFrom([old, current, again]);
    await load();

    await migrate();
    expect(await schemaVersion()).to.equal(SCHEMA.version);
    await load();
    await start(current);
    const upgrading = load();
    await stop(old);
    await upgrading;
    await load();

    // As a platform does that goes back: its release phase comes first, and changes nothing.
    await migrate(former.main);
    expect(await schemaVersion()).to.equal(SCHEMA.version);
    await start(again);
    const rollingBack = load();
    await stop(current);
    await rollingBack;
    await load();
    await expectAll();
  };

  const oneAfterTheOther = async (): Promise<void> => {
    const [old, current, again] = [await rolesOf(former.main), await rolesOf(), await rolesOf(former.main)];
    await migrate(former.main);
    await startFormer(old);
    pullFrom([old, current]);
    await load();
    await stop(old);
    // What is on its way then is the next release's.
    await load();

    await migrate();
    expect(await schemaVersion()).to.equal(SCHEMA.version);
    for (const role of again.slice(1)) {
      await role.start({ wait: false });
      expect(await role.died(60_000), role.output()).to.equal('code 1');
      expect(role.output()).to.contain(`works with releases of version ${SCHEMA.serves} and later`);
    }
    await start(current);
    await load();
    await expectAll();
  };

  if (FORMER >= SCHEMA.serves)
    it('old and new roles work side by side, the new ones alone, and the old ones again', besideEachOther);
  else it('new roles go on with what a release left that is served no more, and its roles end', oneAfterTheOther);
});
