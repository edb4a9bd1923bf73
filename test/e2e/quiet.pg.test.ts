/** While the message database is away no role fills the log: a few lines, and the counts. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { accountsYaml, EVERY_SINK, INDEXES } from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA } from '../support/outages/ledger.ts';
import { type PostgresRelay, startPostgresRelay } from '../support/postgres/postgres-relay.ts';
import { createService, runMain, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

/** Of one role, for an outage of any length: nothing that is tried again and again has a line of its own each time. */
const LINES_MAX = 20;
const BYTES_MAX = 6_000;
/** The web role answers that many requests with 503 meanwhile. */
const REFUSED = 2_000;
const CLIENTS = 4;

describe('logs of an outage', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let relay: PostgresRelay;
  let roles: Record<'web' | 'worker' | 'capture', TestService>;

  before(async () => {
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
    relay = await startPostgresRelay(world.messagesUrl);
    const yaml = world.yaml + accountsYaml(engine.url);
    const migrated = await runMain('migrate', {
      DATABASE_URL: world.messagesUrl,
      SECRET_KEY,
      CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    });
    expect(migrated.code, migrated.stderr).to.equal(0);
    const make = (word: 'web' | 'worker' | 'capture') => createService({ databaseUrl: relay.url, word });
    roles = { web: await make('web'), worker: await make('worker'), capture: await make('capture') };
    await Promise.all(Object.values(roles).map((role) => role.start()));
  });
  after(async () => {
    await relay?.comeBack().catch(() => undefined);
    await stopServices();
    await relay?.close();
    await engine?.close();
    await world?.drop();
  });

  it('are short, whatever asks and however long it lasts, and tell how often something failed', async () => {
    const writers = createWriters(world.shop, 1, 2);
    await writers.write(100);
    const delivered = EVERY_SINK.filter((name) => !['accounts-pull', 'accounts-shaped'].includes(name));
    // What a role says when it starts is said before.
    await world.settled(delivered, 30_000);
    const before = Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, role.output().length]));
    await relay.leave();
    let refused = 0;
    const ask = async (): Promise<void> => {
      while (refused < REFUSED) {
        const response = await fetch(`${roles.web.url}/api/http_pull_consumers/accounts-pull/receive`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
          body: '{}',
        });
        await response.arrayBuffer();
        if (response.status === 503) refused += 1;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, ask));
    const failures = (name: 'worker' | 'capture'): number =>
      roles[name].output().slice(before[name]).split('\n').length;
    await until('every role has noticed', () => failures('worker') > 1 && failures('capture') > 1);
    await relay.comeBack();
    await writers.write(writers.written + 100);
    await world.settled(delivered, 30_000);
    for (const [name, role] of Object.entries(roles)) {
      await role.stop();
      const printed = role.output().slice(before[name]);
      const lines = printed.trim().split('\n');
      expect(lines.length, printed).to.be.lessThan(LINES_MAX);
      expect(printed.length, printed).to.be.lessThan(BYTES_MAX);
      expect(printed, printed).to.not.match(/"stack"/);
      // Said once and counted once, however many lanes there are.
      for (const said of ['a lane could not be started', 'a lane could not be started: the next sweep will'])
        expect(printed.split(`${said}"`).length - 1, printed).to.be.at.most(2);
    }
    const counted = roles.web.output().match(/"times":(\d+),"seconds":[\d.]+,"msg":"no more: a request failed"/);
    expect(Number(counted?.[1]), roles.web.output().slice(-3_000)).to.be.at.least(REFUSED);
  });
});
