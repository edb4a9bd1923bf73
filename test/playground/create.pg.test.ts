import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { createPlayground } from '../../src/playground/create.ts';
import { trickle } from '../../src/playground/trickle.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

describe('playground database', () => {
  let database: TestDatabase;
  let db: Database;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
    db = openPool({ address: database.url, max: 2, applicationName: 'test', path: 'role' });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  async function one(sql: string): Promise<unknown> {
    const { rows } = await db.query<{ value: unknown }>(`select (${sql}) as value`);
    return rows[0]?.value;
  }

  it('is made once, whole', async () => {
    expect(await createPlayground(db)).to.equal(true);
    expect(await createPlayground(db)).to.equal(false);
    const counts =
      'select array[count(distinct c.id), count(distinct o.id)] from customers c left join orders o on o.customer_id = c.id';
    expect(await one(counts)).to.deep.equal([40, 120]);
    expect(await one('select count(*) from products')).to.equal(24);
    expect(await one('select count(*) from order_lines')).to.equal(300);
    const wrong =
      'select count(*) from orders o where total <> (select sum(quantity * price) from order_lines where order_id = o.id)';
    expect(await one(wrong)).to.equal(0);
    const identities =
      "select string_agg(distinct relreplident, '') from pg_class where relname in ('customers', 'products', 'orders', 'order_lines')";
    expect(await one(identities)).to.equal('f');
  });

  it('changes by itself, every kind of change, until told to stop', async () => {
    const service = trickle(openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' }), {
      everyMs: 1,
    });
    await db.query("insert into orders (customer_id, status) select 1, 'delivered' from generate_series(1, 300)");
    const before = await one('select array[count(*), min(id)] from orders');
    const stop = new AbortController();
    const running = service.run(stop.signal);
    await until('an order was placed', () => one('select count(*) > 0 from orders where id > 420 and total > 0'));
    await until('one was taken a step on', () =>
      one("select exists (select from orders where id > 420 and status <> 'open')"),
    );
    await until('a price moved', () =>
      one(
        "select exists (select from products where updated_at > now() - interval '1 minute' and price <> round(4.9 + id * 3.35, 2))",
      ),
    );
    await until(
      'an old order was forgotten',
      async () => (await one('select min(id) from orders')) !== (before as number[])[1],
    );
    stop.abort();
    await running;
    await service.close();
  });
});
