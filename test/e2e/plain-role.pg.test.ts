/**
 * The whole service with the rights of docs/settings.md and no other: on no server is it a superuser, nor a member of
 * anything. The suites of the rooms run so with MILLRACE_TEST_RIGHTS=plain (.ci/long).
 */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { verification } from '../support/fixtures/verification.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { asPlainOwner } from '../support/postgres/plain-role.ts';
import { type Cluster, hasPostgres15, startCluster } from '../support/postgres/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const ROWS = 500;
const LARGE = 20_000;

for (const major of [15, 18] as const) {
  describe(`everything as a plain role, on Postgres ${major}`, function () {
    this.timeout(120_000);
    let cluster: Cluster;
    let world: World;
    let engine: BulkServer;
    const cli = (...args: string[]) => runCli(args, { DATABASE_URL: world.messagesUrl });
    const converged = () =>
      until('the index holds the table', async () => {
        const { rows } = await world.shop.query<{ id: number; name: string; size: number }>(
          'select id, name, length(body) as size from items',
        );
        const there = engine.engine.documents('items');
        return (
          there.size === rows.length &&
          rows.every(({ id, name, size }) => {
            const held = there.get(String(id)) as { name: string; body: string } | undefined;
            return held?.name === name && held.body.length === size;
          })
        );
      });
    const entries = async (where: 'shop' | 'archive') =>
      (
        await world[where].query<{ action: string; record_pk: string }>(
          'select action, record_pk from items_events order by id',
        )
      ).rows;

    before(async function () {
      if (major === 15 && !hasPostgres15()) this.skip();
      cluster = await startCluster({ major });
      engine = await startBulkServer({ indexes: ['items'] });
      const kept = await cluster.createDatabase();
      const url = await asPlainOwner(kept);
      const messages = {
        db: openPool({ address: url, max: 4, applicationName: 'test', path: 'role' }),
        url,
        drop: async () => undefined,
      };
      world = await createWorld(
        `create table items (id int primary key, name text not null, body text not null default '');
         insert into items select n, 'item ' || n from generate_series(1, ${ROWS}) n`,
        { cluster, as: 'plain', messages },
      );
      await startService({
        databaseUrl: url,
        yaml: `${world.yaml}
sinks:
  - name: items
    database: shop
    source: { include_schemas: [public], exclude_tables: [items_events] }
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: items, auth_type: none }
change_retentions:
  - { name: kept, source_database: shop, source_table_schema: public, source_table_name: items, destination_database: shop, destination_table_schema: public, destination_table_name: items_events, create_if_not_exists: true, retention: { by: job, keep: 30 days } }
  - { name: elsewhere, source_database: shop, source_table_schema: public, source_table_name: items, destination_database: archive, destination_table_schema: public, destination_table_name: items_events, create_if_not_exists: true }
`,
      });
    });
    after(async () => {
      await stopServices();
      await world?.drop();
      await engine?.close();
      await cluster?.stop();
    });

    it('captures, backfills, and reads large values again', async () => {
      await converged();
      await world.shop.query(`update items set body = (select string_agg(md5(n::text), '') from generate_series(1, ${LARGE / 32}) n)
                               where id = 1`);
      await world.shop.query("update items set name = 'renamed' where id = 1");
      await world.shop.query('delete from items where id = 2');
      await converged();
    });

    it('writes change tables, in the source and elsewhere', async () => {
      const wanted = [
        { action: 'update', record_pk: '1' },
        { action: 'update', record_pk: '1' },
        { action: 'delete', record_pk: '2' },
      ];
      for (const where of ['shop', 'archive'] as const)
        await until(
          `the entries in ${where}`,
          async () => (await entries(where).catch(() => [])).length === wanted.length,
        );
      expect([await entries('shop'), await entries('archive')]).to.deep.equal([wanted, wanted]);
    });

    it('says nothing of a right that is missing', async () => {
      const { rows } = await world.messages.query(
        `select reason as said from millrace.database_status where reason is not null
         union all select error from millrace.sink_status where error is not null`,
      );
      expect(rows).to.deep.equal([]);
    });

    it('verifies and repairs', async () => {
      engine.engine.plant('items', '7', undefined);
      const verify = verification(world.messagesUrl, 100);
      const found = await verify('items');
      expect(found.code, found.out).to.equal(2);
      const repaired = await verify('items', { repair: true });
      expect(repaired.code, repaired.out).to.equal(0);
      await converged();
    });

    it('resyncs after its slot is gone, or what its triggers have noted', async () => {
      await until('it is dropped', async () => {
        const drop = byWay({
          replication: `do $$ begin
            perform pg_terminate_backend(active_pid, 5000) from pg_replication_slots where active;
            perform pg_drop_replication_slot('${world.slot}');
          end $$`,
          triggers: 'drop schema millrace_capture cascade',
        });
        return await world.shop.query(drop).then(
          () => true,
          () => false,
        );
      });
      await world.shop.query("update items set name = 'unseen' where id = 4");
      await until('the gap is seen', async () => {
        const { rows } = await world.messages.query<{ state: string }>(
          "select state from millrace.database_status where database_name = 'shop'",
        );
        return rows[0]?.state === 'needs_resync';
      });
      const { code, stdout, stderr } = await cli('resync', 'shop', '--yes', '--no-verify');
      expect(code, stdout + stderr).to.equal(0);
      await converged();
    });

    it('removes the database, with slot, triggers and publication', async () => {
      for (const sink of ['items', 'kept', 'elsewhere']) {
        const { code, stderr } = await cli('sink', 'remove', sink, '--yes');
        expect(code, stderr).to.equal(0);
      }
      const { code, stdout, stderr } = await cli('database', 'remove', 'shop', '--yes');
      expect(code, stdout + stderr).to.equal(0);
      const left = await world.shop.query<{ name: string }>(
        `select slot_name::text as name from pg_replication_slots union all select pubname from pg_publication
         union all select nspname from pg_namespace where nspname = 'millrace_capture'
         union all select tgname from pg_trigger where tgname like '!millrace%'`,
      );
      expect(left.rows).to.deep.equal([]);
    });
  });
}
