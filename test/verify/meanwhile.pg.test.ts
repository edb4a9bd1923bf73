/** What comes into an index while it is compared, of a table or a sink that was not there before, is not taken for left over. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type Ran, verification } from '../support/fixtures/verification.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('verify --repair leaves alone what comes meanwhile', function () {
  this.timeout(120_000);
  let world: World;
  let server: BulkServer;
  let service: TestService;
  const sinkOf = (name: string, more: object = {}): object => ({
    ...{ name, database: 'shop', source: { include_schemas: ['public'] } },
    destination: { type: 'elasticsearch', endpoint_url: server.url, index_name: 'all', auth_type: 'none' },
    ...more,
  });

  before(async () => {
    server = await startBulkServer({ indexes: ['all'] });
    server.engine.refreshMs = 200;
    world = await createWorld(`
      create table items (id text primary key);
      insert into items select 'i' || n from generate_series(1, 30) n;
      create schema other;
      create table other.things (id text primary key);
    `);
    const sink = JSON.stringify(sinkOf('all', { initial_backfill: true }));
    const env = { ALLOW_PRIVATE_DESTINATIONS: '127.0.0.0/8' };
    service = await startService({ databaseUrl: world.messagesUrl, env, yaml: `${world.yaml}\nsinks:\n  - ${sink}\n` });
    await until('the rows are sent', () => server.engine.documents('all').size === 30);
  });
  after(async () => {
    await stopServices();
    await server?.close();
    await world?.drop();
  });

  /** `happens` when it is known what to compare, and nothing is compared yet. */
  const repairWhile = async (happens: () => Promise<void>): Promise<Ran> => {
    const { ran } = await world.shop.session(async (client) => {
      await client.query('begin; lock table items in access exclusive mode');
      const ran = verification(world.messagesUrl, 300)('all', { repair: true });
      const held = `select from pg_stat_activity where application_name = 'millrace verify' and wait_event_type = 'Lock'`;
      await until('it reads rows', async () => (await world.shop.query(held)).rowCount === 1);
      await happens();
      await client.query('commit');
      return { ran };
    });
    return await ran;
  };
  const arrives = (id: string): Promise<boolean> =>
    until(`${id} is there`, () => server.engine.documents('all').has(id));
  const publish = async (table: string): Promise<void> => {
    const listed = `select from pg_publication where pubname = 'of_the_test' and not puballtables`;
    if ((await world.shop.query(listed)).rowCount === 0) return;
    await world.shop.query(`alter publication of_the_test add table ${table}`).catch((error: Error) => {
      if (!error.message.includes('already')) throw error;
    });
  };

  ofReplication('triggers come to a table within half a minute').it('of a table that was made', async () => {
    server.engine.plant('all', 'planted', '{}');
    const { code, out } = await repairWhile(async () => {
      await world.shop.query('create table later (id text primary key)');
      await publish('later');
      await world.captured();
      await world.shop.query("insert into later values ('l1')");
      await arrives('l1');
    });
    expect(server.engine.documents('all').has('l1'), out).to.equal(true);
    expect(out).to.contain('note: extra documents were not looked for: the sink takes in public.later now');
    expect(code, out).to.equal(0);
  });

  it('of a sink that was made', async () => {
    const { code, out } = await repairWhile(async () => {
      await publish('other.things');
      const response = await fetch(`${service.url}/api/sinks`, {
        ...{ method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' } },
        body: JSON.stringify(sinkOf('things', { source: { include_tables: ['other.things'] } })),
      });
      expect(response.status, await response.text()).to.equal(200);
      await world.captured();
      await world.shop.query("insert into other.things values ('o1')");
      await arrives('o1');
    });
    expect(server.engine.documents('all').has('o1'), out).to.equal(true);
    expect(out).to.contain('note: extra documents were not looked for: sink things writes into the same index, or may');
    expect(code, out).to.equal(0);
  });
});
