/**
 * What an index must hold in the end, whatever happened to requests on their way: the same tests for the scripted engine
 * and for real ones, through the whole service.
 */
import { expect } from 'chai';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { createService, stopServices, type TestService } from '../processes/service.ts';
import { createWorld, type World } from '../processes/world.ts';
import { until } from '../until.ts';
import { type EngineRelay, startEngineRelay } from './relay.ts';

export interface EngineToFill {
  url: string;
  auth: { auth_type: SearchDestination['auth_type']; auth_value: string | null };
  /** A new index; its documents by `_id`. */
  createIndex(): Promise<{ name: string; documents(): Promise<Map<string, unknown>>; drop(): Promise<void> }>;
}

const ROWS = 2_000;
const MANY = 9_000;
/** What a function may make of a message, nearly. */
const LARGE = 3_900_000;
const SETTLED_MS = 60_000;

export function converges(engine: () => EngineToFill): void {
  describe('the whole way', function () {
    this.timeout(120_000);
    let world: World;
    let relay: EngineRelay;
    let service: TestService;
    let index: Awaited<ReturnType<EngineToFill['createIndex']>>;

    beforeEach(async () => {
      const { url, auth } = engine();
      world = await createWorld('create table products (id int primary key, price int not null, name text not null)');
      relay = await startEngineRelay(url);
      index = await engine().createIndex();
      const credential = auth.auth_value === null ? '' : `, auth_value: "${auth.auth_value}"`;
      const yaml = `${world.yaml}
functions:
  - name: document
    type: transform
    code: "(action, record) => ({ price: record.price, name: record.name })"
sinks:
  - name: products
    database: shop
    transform: document
    destination: { type: elasticsearch, endpoint_url: "${relay.url}", index_name: ${index.name}, auth_type: ${auth.auth_type}${credential}, batch_size: 10000 }
`;
      service = await createService({ databaseUrl: world.messagesUrl, yaml });
      await service.start();
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') console.error(service?.output().slice(-3_000));
      await stopServices();
      await relay?.close();
      await index?.drop();
      await world?.drop();
    });

    /** Everything is settled. How long a function may take is no matter of these tests: what was parked for that comes again. */
    const settled = (): Promise<boolean> =>
      until('nothing is parked for want of time', async () => {
        await world.settled(['products'], SETTLED_MS);
        const { rowCount } = await world.messages.query(
          `select millrace.retry('products', array_agg(p.id)) from millrace.parked_messages p
            where p.error like '%took longer than%' having count(*) > 0`,
        );
        return rowCount === 0;
      });

    /** The index is what the transform makes of the table, and nothing is left. */
    const expectEqual = async (): Promise<number> => {
      await settled();
      const { rows } = await world.shop.query<{ id: number; price: number; name: string }>('select * from products');
      const wanted = new Map(rows.map(({ id, price, name }) => [String(id), { price, name }]));
      const found = await index.documents();
      const wrong = [...new Set([...wanted.keys(), ...found.keys()])].filter(
        (id) => JSON.stringify(wanted.get(id)) !== JSON.stringify(found.get(id)),
      );
      expect(wrong.slice(0, 10), `${wrong.length} of ${wanted.size} differ`).to.deep.equal([]);
      return wanted.size;
    };
    const sql = (text: string): Promise<unknown> => world.shop.query(text);

    it('a request held back by a proxy and released later overwrites nothing', async () => {
      await sql(`insert into products select n, n, 'first' from generate_series(1, ${ROWS}) n`);
      await expectEqual();
      // Paused meanwhile, so that each lane finds all of its changes at once.
      await world.messages.query("select millrace.pause('products')");
      relay.holdBack(true);
      await sql(`update products set price = -1, name = 'held'; insert into products values (${ROWS + 1}, 1, 'held')`);
      await world.captured();
      await world.messages.query("select millrace.resume('products')");
      await until('each lane has a request held back', () => relay.held.length >= 2);
      const operations = relay.held.join('').split('\n').length;
      // What comes after is sent, and is newer: changed, deleted, and deleted and made again.
      await sql(`delete from products where id % 5 = 0 or id > ${ROWS};
                 update products set price = price + id, name = 'newer' where id % 3 = 0`);
      await sql(`insert into products select n, 7, 'again' from generate_series(5, ${ROWS}, 20) n`);
      await world.captured();
      relay.holdBack(false);
      await world.messages.query(
        `update millrace_private.delivery_states set due_at = clock_timestamp() where due_at is not null;
         update millrace_private.circuits set probe_at = clock_timestamp();
         select pg_notify('millrace_messages', '')`,
      );
      const count = await expectEqual();
      expect(count).to.be.greaterThan(ROWS / 2);
      const held = relay.held.length;
      const answers = await relay.letGo();
      expect(answers).to.have.length(held);
      expect(answers.join('').split('version_conflict_engine_exception').length - 1).to.be.greaterThan(ROWS / 2);
      expect(operations).to.be.greaterThan(ROWS);
      expect(await expectEqual()).to.equal(count);
    });

    it('documents of nearly 4 MB, and thousands a request', async () => {
      await sql(`insert into products select n, n, 'small' from generate_series(1, ${MANY}) n`);
      await sql(`insert into products
                 select ${MANY} + n, n, left(repeat('words of row ' || n || ' ', 500000), ${LARGE}) from generate_series(1, 4) n`);
      expect(await expectEqual()).to.equal(MANY + 4);
      await sql(`update products set price = 0 where id > ${MANY} - 4000; delete from products where id = ${MANY} + 2`);
      expect(await expectEqual()).to.equal(MANY + 3);
    });
  });
}
