/**
 * The message database is restored from its backup: its positions are behind the slot, which has gone on since. Nothing is
 * skipped silently: capture says so and waits, and a resync makes every end what the tables are.
 */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { createService, startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, untilSettled, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const yaml = (endpoint: string): string => `
sinks:
  - name: items-index
    database: shop
    source: { include_tables: [items] }
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: items, auth_type: none }
  - { name: items-pull, database: shop, source: { include_tables: [items] }, destination: { type: pull } }
`;

describe('backup of the message database', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  let copy: TestDatabase | undefined;
  let restored: Database | undefined;

  before(async () => {
    const messages = await messageDatabase();
    world = await createWorld('create table items (id int primary key, name text)', { messages });
    engine = await startBulkServer({ indexes: ['items'] });
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + yaml(engine.url) });
  });
  after(async () => {
    await stopServices();
    await engine?.close();
    await restored?.close();
    await world?.drop();
    await copy?.drop();
  });

  /** What a backup has, taken while nothing runs. */
  async function backUp(): Promise<TestDatabase> {
    const name = new URL(world.messagesUrl).pathname.slice(1);
    const ended = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
    await world.shop.query(ended, [name]);
    const gone = 'select not exists (select from pg_stat_activity where datname = $1) as done';
    await until('nobody uses it', async () => (await world.shop.query<{ done: boolean }>(gone, [name])).rows[0]!.done);
    return await (await sharedCluster()).createDatabase({ template: name });
  }

  ofReplication('what is noted still is told once more: test/capture/triggers/durable').it(
    'restored, it is behind the slot: nothing goes on by itself, and a resync brings every end to what the tables are',
    async () => {
      await world.shop.query(`insert into items select i, 'before' from generate_series(1, 20) i`);
      await world.settled(['items-index']);
      await service.stop();
      copy = await backUp();
      await service.start();
      await world.shop.query(`update items set name = 'since' where id <= 10`);
      await world.shop.query('delete from items where id = 20');
      await world.shop.query(`insert into items values (21, 'since')`);
      await world.settled(['items-index']);
      await service.stop();

      const databaseUrl = copy.url;
      restored = openPool({ address: databaseUrl, max: 2, applicationName: 'test' });
      const again = await createService({ databaseUrl });
      // It does not capture: that is what this is about.
      await again.start({ wait: false });
      const state = async (): Promise<{ state: string; reason: string; remedy: string } | undefined> =>
        (
          await restored!.query<{ state: string; reason: string; remedy: string }>(
            "select state, reason, remedy from millrace.database_status where database_name = 'shop'",
          )
        ).rows[0];
      const found = await until('capture says so', async () => {
        const now = await state();
        return now?.state === 'needs_resync' && now;
      });
      expect(found.reason).to.match(/slot .* was created again or advanced by somebody else/);
      expect(found.remedy).to.contain('resync');
      const health = async (): Promise<number | undefined> =>
        (await fetch(`${again.url}/healthz`).catch(() => undefined))?.status;
      await until('its health says so', async () => (await health()) === 503);

      await world.shop.query(`insert into items values (22, 'while it waits')`);
      const { code, stdout, stderr } = await runCli(['resync', 'shop', '--yes'], { DATABASE_URL: databaseUrl });
      expect(code, stdout + stderr).to.equal(0);
      await untilSettled(restored, ['items-index'], 30_000);
      const rows = (await world.shop.query<{ id: number; name: string }>('select id, name from items')).rows;
      expect(engine.engine.documents('items')).to.deep.equal(new Map(rows.map((row) => [String(row.id), row])));
      const received = await restored.query<{ message: { record: { id: number } } }>(
        "select message from millrace.receive('items-pull', 1000)",
      );
      const ids = new Set(received.rows.map(({ message }) => message.record.id));
      expect(rows.filter(({ id }) => !ids.has(id))).to.deep.equal([]);
    },
  );
});
