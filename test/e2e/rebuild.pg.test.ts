/** A second index beside the first: filled, kept up, switched over to, and the first sink removed, in a running service. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { removeSink } from '../support/fixtures/remove-sink.ts';
import { runCli } from '../support/processes/cli.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const ROWS = 3_000;
const KEY = 'bXlrZXk6c2VjcmV0';

describe('millrace rebuild', function () {
  this.timeout(120_000);
  let engine: BulkServer;
  let world: World;
  const cli = (...args: string[]) => runCli(args, { DATABASE_URL: world.messagesUrl });
  const names = async (index: string): Promise<Map<string, unknown>> => {
    const { rows } = await world.shop.query<{ id: number; name: string }>('select id, name from products');
    return new Map(
      rows.map(({ id, name }) => [String(id), index === 'products' ? { id, name } : { title: name.toUpperCase() }]),
    );
  };
  /** Until the index holds what the table does. */
  const converged = (index: string) =>
    until(`${index} is what the table is`, async () => {
      const [wanted, there] = [await names(index), engine.engine.documents(index)];
      return (
        wanted.size === there.size &&
        [...wanted].every(([id, body]) => JSON.stringify(there.get(id)) === JSON.stringify(body))
      );
    });

  before(async () => {
    engine = await startBulkServer({ indexes: ['products'] });
    engine.authorization = `ApiKey ${KEY}`;
    world = await createWorld(`create table products (id int primary key, name text not null);
      insert into products select n, 'product ' || n from generate_series(1, ${ROWS}) n`);
    await startService({
      databaseUrl: world.messagesUrl,
      yaml: `${world.yaml}
functions:
  - { name: titles, type: transform, code: "(action, record) => ({ title: record.name.toUpperCase() })" }
sinks:
  - name: products
    database: shop
    source: { include_tables: [products] }
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: products, auth_value: ${KEY} }
`,
    });
  });
  after(async () => {
    await stopServices();
    await world?.drop();
    await engine?.close();
  });

  it('makes nothing before the new index is there', async () => {
    const { code, stderr } = await cli('rebuild', 'products', '--index', 'products-2');
    expect(code).to.equal(1);
    expect(stderr).to.include('index products-2 is not ready').and.include('Create it first').and.not.include(KEY);
    expect((await world.messages.query('select from millrace_private.sinks')).rowCount).to.equal(1);
  });

  it('fills the new index beside live changes, and says how to switch over', async () => {
    engine.engine.createIndex('products-2');
    const rebuilt = cli('rebuild', 'products', '--index', 'products-2', '--transform', 'titles', '--alias', 'shop');
    for (let id = 1; id <= 40; id++)
      await world.shop.query('update products set name = $1 where id = $2', [`changed ${id}`, id * 70]);
    await world.shop.query('delete from products where id % 100 = 1');
    const { code, stdout, stderr } = await rebuilt;
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout)
      .to.include('sink products-products-2 is made')
      .and.match(/\ncaught up: what was captured before is in the index\n/);
    expect(stdout).to.include(
      `'{"actions":[{"remove":{"index":"products","alias":"shop"}},{"add":{"index":"products-2","alias":"shop"}}]}'`,
    );
    expect(stdout)
      .to.include('    transform: titles\n')
      .and.include('bin/millrace sink remove products\n')
      .and.not.include(KEY);
    await converged('products-2');
    await converged('products');
    expect(engine.strays()).to.deep.equal([]);
  });

  it('goes on watching what is there', async () => {
    const { code, stdout, stderr } = await cli('rebuild', 'products', '--index', 'products-2');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('sink products-products-2 is there already: watching it').and.include('caught up');
    expect((await world.messages.query('select from millrace_private.sinks')).rowCount).to.equal(2);
  });

  it('begins anew where its backfill was cancelled', async () => {
    await world.messages.query(
      `update millrace_private.backfills b set state = 'cancelled' from millrace_private.sinks s
        where s.no = b.sink_no and s.name = 'products-products-2' and b.kind = 'table'`,
    );
    engine.engine.deleteIndex('products-2');
    engine.engine.createIndex('products-2');
    await world.messages.query("select millrace.disable('products-products-2')");
    const refused = await cli('rebuild', 'products', '--index', 'products-2');
    expect(refused.code).to.equal(1);
    expect(refused.stdout + refused.stderr)
      .to.include("sink 'products-products-2' is disabled: it keeps no messages")
      .and.include('Set its status to active or paused first.');
    await world.messages.query("select millrace.resume('products-products-2')");
    const { code, stdout, stderr } = await cli('rebuild', 'products', '--index', 'products-2');
    expect(code, stdout + stderr).to.equal(0);
    await converged('products-2');
  });

  it('is finished by removing the old sink, while the new one goes on', async () => {
    const { code, stdout, stderr } = await cli('sink', 'remove', 'products', '--yes');
    expect(code, stderr).to.equal(0);
    expect(stdout)
      .to.include('products is removed')
      .and.include('Its entry in the configuration file')
      .and.not.include('pg_drop_replication_slot');
    await world.shop.query("update products set name = 'after' where id = 2");
    await converged('products-2');
    expect(engine.engine.documents('products').get('2')).to.deep.equal({ id: 2, name: 'product 2' });
    const { rows } = await world.messages.query<{ health: string }>('select health from millrace.sink_status');
    expect(rows).to.deep.equal([{ health: 'ok' }]);
  });

  it('leaves nothing: what the removal of a sink could not free, a worker frees when it trims', async () => {
    // As if whoever removed it had died then.
    await removeSink(world.messages, 'products-products-2');
    const storage = async (): Promise<number> => {
      const { rows } = await world.messages.query<{ n: number }>(
        "select count(*)::integer as n from pg_class c where c.relkind = 'r' and c.relname ~ '^messages_[0-9]+$'",
      );
      return rows[0]!.n;
    };
    expect(await storage()).to.equal(1);
    await world.messages.query("select millrace_jobs.add_job('trim')");
    await until('the storage is freed', async () => (await storage()) === 0);
  });
});
