/** A publication that a person is to make: the statement that is printed makes the one that the sinks need. */
import { expect } from 'chai';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { plainRoleOf } from '../../support/postgres/plain-role.ts';

const SCHEMA = `create table plain (id int primary key);
  create schema sales; create table sales.orders (id int primary key); create table sales.other (id int primary key);
  create schema stock; create table stock.items (id int primary key); create table stock.keyless (id int)`;
const NOTHING = { include_schemas: null, exclude_schemas: null, include_tables: null, exclude_tables: null };

describe('millrace doctor: a publication that is missing', () => {
  let by: Examined;
  afterEach(async () => await by?.close());

  it('is made with the tables of other schemas that sinks name, and captured', async () => {
    by = await examined(SCHEMA, {
      settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } },
      timing: { checkMs: 300, recheckMs: 100 },
    });
    const { on } = by;
    await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    const orders = await on.addSink(
      sinkSettings({ name: 'orders', destination: PULL, source: { ...NOTHING, include_tables: ['sales.orders'] } }),
    );
    await on.addSink(
      sinkSettings({ name: 'items', destination: PULL, source: { ...NOTHING, include_schemas: ['stock'] } }),
    );
    const { sql } = (await by.finding('publication_missing'))!;
    on.start();
    const { remedy } = await on.becomes('error');
    expect(remedy, 'capture and the doctor say the same').to.include(sql!.replace(/;$/, ''));
    await by.repair('publication_missing');
    await by.streams();
    const { rows } = await on.source.query(
      "select schemaname || '.' || tablename as name from pg_publication_tables where pubname = 'own' order by 1",
    );
    expect(rows.map(({ name }) => name)).to.deep.equal(['public.plain', 'sales.orders', 'stock.items']);
    await on.source.query('insert into sales.orders values (7)');
    expect((await on.received(orders, 1)).map(({ record }) => JSON.parse(record))).to.deep.equal([{ id: 7 }]);
  });

  for (const capture of ['replication', 'triggers'] as const)
    it(`is made by a superuser where our role may not, whether or not it has tried to (${capture})`, async () => {
      by = await examined(SCHEMA, { as: 'plain', settings: { capture }, timing: { checkMs: 300, recheckMs: 100 } });
      const { on } = by;
      const name = new URL(on.sourceUrl).pathname.slice(1);
      await on.source.query(`revoke create on database ${name} from ${plainRoleOf({ name })}`);
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      const first = await by.finding('publication_missing');
      expect(first?.summary).to.include(`may not make the publication: permission denied for database ${name}`);
      on.start();
      await on.becomes('error');
      await by.repair('publication_missing');
      expect(await by.finding('publication_missing')).to.equal(undefined);
      if (capture === 'triggers') await by.repair('capture_schema_missing');
      await on.streaming();
      await on.source.query('insert into plain values (7)');
      await on.received(sink, 1);
    });
});
