/** A table that gets another primary key: its index keeps documents under former `_id`s, which is told until they are repaired. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { verification } from '../support/fixtures/verification.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('verify: a table that got another key', function () {
  this.timeout(120_000);
  let world: World;
  let server: BulkServer;
  afterEach(async () => {
    await stopServices();
    await server?.close();
    await world?.drop();
  });

  it('finds its documents under the former _ids, repairs them, and then nothing more is told', async () => {
    server = await startBulkServer({ indexes: ['items'] });
    server.engine.refreshMs = 200;
    world = await createWorld(`create table items (id int primary key, code text not null);
      insert into items select n, 'c' || n from generate_series(1, 30) n`);
    const sinks = `
sinks:
  - name: items
    database: shop
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "${server.url}", index_name: items, auth_type: none }
`;
    await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + sinks });
    const ids = () => [...server.engine.documents('items').keys()].toSorted();
    await until('the rows are sent', () => ids().length === 30);
    await world.shop.query('alter table items drop constraint items_pkey, add primary key (code)');
    await world.shop.query("update items set id = id + 100 where code = 'c7'; delete from items where code = 'c8'");
    await until('the update is sent', () => ids().includes('c7'));
    const told = async () => {
      const { rows } = await world.messages.query<{ remedy: string }>(
        "select n.remedy from millrace_private.notices n where n.code = 'key_changed' and n.table_name = 'public.items'",
      );
      return rows;
    };
    expect(await told()).to.deep.equal([{ remedy: 'bin/millrace verify items --repair' }]);
    const { code, out } = await verification(world.messagesUrl, 300)('items', { repair: true });
    expect(code, out).to.equal(0);
    expect(out).to.contain('58 documents repaired');
    const { rows } = await world.shop.query<{ code: string }>('select code from items');
    expect(ids()).to.deep.equal(rows.map((row) => row.code).toSorted());
    expect(await told()).to.deep.equal([]);
  });
});
