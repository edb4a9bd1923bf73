/** Rows that pass on a deferrable key within a transaction: the index loses documents of theirs, as docs/search-index.md says, until they are repaired. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { verification } from '../support/fixtures/verification.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('verify: keys that rows pass on', function () {
  this.timeout(120_000);
  let world: World;
  let server: BulkServer;
  afterEach(async () => {
    await stopServices();
    await server?.close();
    await world?.drop();
  });

  it('brings back the documents under them', async () => {
    server = await startBulkServer({ indexes: ['items'] });
    server.engine.refreshMs = 200;
    world = await createWorld(`create table items (id int primary key deferrable, code text not null);
      alter table items replica identity full;
      insert into items select n, 'c' || n from generate_series(1, 5) n`);
    const sinks = `
sinks:
  - name: items
    database: shop
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "${server.url}", index_name: items, auth_type: none }
`;
    await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + sinks });
    const ids = () => [...server.engine.documents('items').keys()].toSorted();
    await until('the rows are sent', () => ids().length === 5);
    await world.shop.query("update items set id = id + 1; insert into items values (9, 'last')");
    const none = async () => (await world.messages.query('select from millrace.pending_messages')).rowCount === 0;
    await until('the changes are sent', async () => ids().includes('9') && (await none()));
    expect(ids()).to.deep.equal(['6', '9']);
    const { code, out } = await verification(world.messagesUrl, 300)('items', { repair: true });
    expect(code, out).to.equal(0);
    const { rows } = await world.shop.query<{ id: number; code: string }>('select * from items');
    expect(server.engine.documents('items')).to.deep.equal(new Map(rows.map((row) => [String(row.id), row])));
  });
});
