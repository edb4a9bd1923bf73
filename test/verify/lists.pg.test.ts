/** By triggers: tables of which the publication lists some columns or rows. They are not captured, and so they are not compared. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { refusal, verification } from '../support/fixtures/verification.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('verify by triggers: tables with a list of columns or a row filter', function () {
  this.timeout(120_000);
  let world: World;
  let server: BulkServer;
  afterEach(async () => {
    await stopServices();
    await server?.close();
    await world?.drop();
  });

  it('says that they cannot be compared, and takes no document for left over, for it may be theirs', async () => {
    server = await startBulkServer({ indexes: ['items', 'lists', 'alone'] });
    server.engine.refreshMs = 200;
    world = await createWorld(
      `create table some_rows (id int primary key); create table some_columns (id int primary key, v text);
       create table items (id text primary key); insert into items values ('a'), ('b');
       insert into some_rows values (1); insert into some_columns values (2, 'a');
       create publication of_the_test for table items, some_rows where (id > 0), some_columns (id)`,
      { capture: 'triggers' },
    );
    const sink = (name: string, tables: string): string =>
      `  - { name: ${name}, database: shop, source: { include_tables: [${tables}] },` +
      ` destination: { type: elasticsearch, endpoint_url: "${server.url}", index_name: ${name}, auth_type: none } }\n`;
    const sinks = `\nsinks:\n${sink('items', 'items, some_rows, some_columns')}${sink('lists', 'some_rows')}${sink('alone', 'items')}`;
    await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + sinks });
    await world.shop.query("insert into items values ('c')");
    const documents = () => [...server.engine.documents('items').keys()].toSorted();
    await until('it is captured', () => documents().includes('c'));
    // As they were sent while the publication had no lists.
    for (const id of ['1', '2']) server.engine.plant('items', id, '{}');
    const verify = verification(world.messagesUrl, 300);
    const found = await verify('items', { repair: true });
    expect(found.out).to.match(/^items: 3 rows of public.items compared/m);
    for (const name of ['some_rows', 'some_columns'])
      expect(found.out).to.contain(
        `public.${name} cannot be compared: public.${name}: the publication lists some of its columns or rows, and triggers note whole rows: its changes are not captured`,
      );
    expect(found.out).to.match(/2 documents repaired\nmissing 0, extra 0, different 0/);
    expect(documents()).to.deep.equal(['1', '2', 'a', 'b', 'c']);
    const why =
      'the publication lists some of its columns or rows, and triggers note whole rows: its changes are not captured';
    expect((await refusal(verify('lists'))).message).to.equal(
      `sink lists has no table to compare: public.some_rows cannot be compared: public.some_rows: ${why}`,
    );
    server.engine.plant('alone', 'left over', '{}');
    expect((await verify('alone', { repair: true })).out).to.match(
      /3 documents repaired\nmissing 0, extra 0, different 0\nno drift\n$/,
    );
    expect([...server.engine.documents('alone').keys()].toSorted()).to.deep.equal(['a', 'b', 'c']);
  });
});
