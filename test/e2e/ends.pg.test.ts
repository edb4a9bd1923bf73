/**
 * A row changes in the source, and comes out of every end: a search index, a pull consumer (over HTTP and in SQL), and a
 * change table in each place that one can be. Real processes, real Postgres; the search engine is a scripted one.
 */
import { expect } from 'chai';
import { freePort, freePortFrom } from '../../src/runtime/free-port.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { changeRows, foldChanges, tableRows } from '../support/fixtures/change-rows.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { type PullClient, pullByHttp, pullBySql, type Received } from '../support/pull/client.ts';
import { until } from '../support/until.ts';

const SCHEMA = `
  create table products (id int primary key, name text not null, price numeric(10, 2) not null, kind text not null);
  create table orders (id int primary key, customer_id int not null, status text not null);
  alter table products replica identity full;
  alter table orders replica identity full;
`;

const declaration = (endpoint: string): string => `
functions:
  - name: product-document
    type: transform
    code: |-
      export default (action, record, changes, metadata) => ({ title: record.name.toUpperCase(), cents: record.price * 100 })
  - name: by-kind
    type: routing
    sink_type: elasticsearch
    code: "(action, record, changes, metadata) => ({ index_name: 'kind-' + record.kind })"
  - name: not-draft
    type: filter
    code: "(action, record) => record.status !== 'draft'"
  - name: order-event
    type: transform
    code: |-
      export default (action, record, changes, metadata) => ({ what: action, order: record.id, was: changes?.status ?? null })
sinks:
  - name: products-index
    database: shop
    source: { include_tables: [public.products] }
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: products, auth_type: none }
  - name: products-shaped
    database: shop
    source: { include_tables: [public.products] }
    transform: product-document
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: shaped, auth_type: none }
  - name: products-routed
    database: shop
    source: { include_tables: [public.products] }
    transform: product-document
    routing: by-kind
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: unused, auth_type: none }
  - name: orders-http
    database: shop
    source: { include_tables: [public.orders] }
    destination: { type: pull }
  - name: orders-sql
    database: shop
    source: { include_tables: [public.orders] }
    destination: { type: pull }
  - name: orders-shaped
    database: shop
    source: { include_tables: [public.orders] }
    filter: not-draft
    transform: order-event
    destination: { type: pull }
  - name: orders-shaped-sql
    database: shop
    source: { include_tables: [public.orders] }
    filter: not-draft
    transform: order-event
    destination: { type: pull }
change_retentions:
${['shop', 'home', 'archive']
  .map(
    (place) => `
  - name: products-in-${place}
    source_database: shop
    source_table_schema: public
    source_table_name: products
    destination_database: ${place}
    destination_table_schema: public
    destination_table_name: products_events
    create_if_not_exists: true`,
  )
  .join('')}
`;

describe('end to end', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  /** Of capture; the worker has the next one. */
  let metricsPort: number;

  before(async () => {
    do metricsPort = await freePort();
    while ((await freePortFrom(metricsPort + 1)) !== metricsPort + 1);
    world = await createWorld(SCHEMA);
    engine = await startBulkServer({ indexes: ['products', 'shaped', 'unused', 'kind-book', 'kind-pen'] });
    service = await startService({
      databaseUrl: world.messagesUrl,
      yaml: world.yaml + declaration(engine.url),
      env: { METRICS_PORT: String(metricsPort) },
    });
  });
  after(async () => {
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(service.output().slice(-4_000));
  });

  describe('a search index', () => {
    before(async () => {
      await world.shop.query(`
        insert into products values (1, 'quill', 4.50, 'pen'), (2, 'atlas', 80, 'book'), (3, 'ink', 3, 'pen');
        update products set price = 5.25 where id = 1;
        update products set kind = 'book' where id = 3;
        update products set id = 20 where id = 2`);
      await world.shop.query(`insert into products values (4, 'map', 1, 'book'); delete from products where id = 4`);
      await world.settled(['products-index', 'products-shaped', 'products-routed']);
    });

    it('holds the rows', async () => {
      const rows = await tableRows(world.shop, 'products');
      const documents = engine.engine.documents('products');
      expect(documents).to.deep.equal(new Map([...rows].map(([id, row]) => [String(id), row])));
      expect([...documents.keys()].sort()).to.deep.equal(['1', '20', '3']);
    });

    it('holds what the transform makes of them', () => {
      expect(engine.engine.documents('shaped')).to.deep.equal(
        new Map([
          ['1', { title: 'QUILL', cents: 525 }],
          ['3', { title: 'INK', cents: 300 }],
          ['20', { title: 'ATLAS', cents: 8000 }],
        ]),
      );
    });

    it('holds each row in the index that the routing names, and no other', () => {
      expect([...engine.engine.documents('kind-pen').keys()]).to.deep.equal(['1']);
      expect([...engine.engine.documents('kind-book').keys()].sort()).to.deep.equal(['20', '3']);
      expect(engine.engine.documents('unused').size).to.equal(0);
    });

    it('was asked nothing but _bulk and _search', () => {
      expect(engine.strays()).to.deep.equal([]);
    });
  });

  describe('a change table', () => {
    for (const place of ['shop', 'home', 'archive'] as const) {
      it(`in the database ${place} holds every change once, in order`, async () => {
        await world.settled([`products-in-${place}`]);
        const db = { shop: world.shop, home: world.messages, archive: world.archive }[place];
        const rows = await changeRows(db, 'products_events');
        expect(rows.map(({ action, record_pk }) => `${action} ${record_pk}`)).to.deep.equal([
          'insert 1',
          'insert 2',
          'insert 3',
          'update 1',
          'update 3',
          'update 20',
          'insert 4',
          'delete 4',
        ]);
        expect(rows[3]).to.deep.include({ changes: { price: 4.5 } });
        expect(rows[7]?.record).to.deep.equal({ id: 4, name: 'map', price: 1, kind: 'book' });
        expect(rows[7]?.changes).to.equal(null);
        expect(foldChanges(rows)).to.deep.equal(await tableRows(world.shop, 'products'));
      });
    }

    it('is not captured itself', async () => {
      const { rows } = await world.messages.query<{ table_name: string }>(
        `select distinct table_name from millrace.pending_messages where table_name like 'products_events%'`,
      );
      expect(rows).to.deep.equal([]);
    });
  });

  describe('a pull consumer', () => {
    before(async () => {
      await world.shop.query(`
        insert into orders values (1, 7, 'draft'), (2, 7, 'open');
        update orders set status = 'open' where id = 1;
        update orders set status = 'paid' where id = 2;
        delete from orders where id = 2`);
    });

    const plain = ({ message: { action, record, changes } }: Received) => ({ action, record, changes });
    const PLAIN = [
      { action: 'insert', record: { id: 1, customer_id: 7, status: 'draft' }, changes: null },
      { action: 'insert', record: { id: 2, customer_id: 7, status: 'open' }, changes: null },
      { action: 'update', record: { id: 1, customer_id: 7, status: 'open' }, changes: { status: 'draft' } },
      { action: 'update', record: { id: 2, customer_id: 7, status: 'paid' }, changes: { status: 'open' } },
      { action: 'delete', record: { id: 2, customer_id: 7, status: 'paid' }, changes: null },
    ];
    const SHAPED = [
      { what: 'insert', order: 2, was: null },
      { what: 'update', order: 1, was: 'draft' },
      { what: 'update', order: 2, was: 'open' },
      { what: 'delete', order: 2, was: null },
    ];

    /** The next messages: gives each back once, takes it again, and acknowledges it. */
    async function drain(client: PullClient, count: number): Promise<Received[]> {
      const found: Received[] = [];
      await until(`${count} messages`, async () => {
        const batch = await client.receive(10, 200);
        if (batch.length > 0) {
          const ids = batch.map(({ ack_id }) => ack_id);
          expect(await client.nack(ids)).to.equal(ids.length);
          const again = await client.receive(10, 2_000);
          expect(again.map(({ message }) => message)).to.deep.equal(batch.map(({ message }) => message));
          const newIds = again.map(({ ack_id }) => ack_id);
          expect(newIds).to.have.lengthOf(ids.length).and.not.include.members(ids);
          expect(await client.ack(ids)).to.equal(0);
          expect(await client.ack(newIds)).to.equal(ids.length);
          expect(await client.ack(newIds)).to.equal(0);
          found.push(...batch);
        }
        return found.length >= count;
      });
      expect(await client.receive(10)).to.deep.equal([]);
      return found;
    }

    const byRow = (messages: readonly Received[]): Received[] =>
      messages.toSorted((a, b) => a.message.metadata.commit_idx - b.message.metadata.commit_idx);

    it('over HTTP: received, given back, received again, acknowledged, gone', async () => {
      const messages = await drain(pullByHttp(service.url, 'orders-http'), 5);
      expect(byRow(messages).map(plain)).to.deep.equal(PLAIN);
      await world.settled(['orders-http']);
    });

    it('in SQL: the same', async () => {
      const messages = await drain(pullBySql(world.messages, 'orders-sql'), 5);
      expect(byRow(messages).map(plain)).to.deep.equal(PLAIN);
      await world.settled(['orders-sql']);
    });

    it('with a filter and a transform, over HTTP', async () => {
      const messages = await drain(pullByHttp(service.url, 'orders-shaped'), 4);
      const data = messages.map(({ message }) => message.data);
      expect(data).to.have.deep.members(SHAPED);
      await world.settled(['orders-shaped']);
    });

    it('with a filter and a transform, in SQL', async () => {
      const messages = await drain(pullBySql(world.messages, 'orders-shaped-sql', { shaped: true }), 4);
      expect(messages.map(({ message }) => message.data)).to.have.deep.members(SHAPED);
      await world.settled(['orders-shaped-sql']);
    });

    it('with functions: what is given back holds up no later change of its row for good', async () => {
      const client = pullBySql(world.messages, 'orders-shaped-sql', { shaped: true });
      const next = async (): Promise<Received> => await until('a message', async () => (await client.receive(1))[0]);
      await world.shop.query("insert into orders values (3, 8, 'open')");
      const first = await next();
      await client.nack([first.ack_id]);
      await world.shop.query("update orders set status = 'paid' where id = 3");
      await world.captured();
      const again = await next();
      expect(again.message.data).to.deep.equal({ what: 'insert', order: 3, was: null });
      expect(await client.ack([again.ack_id])).to.equal(1);
      const second = await next();
      expect(second.message.data).to.deep.equal({ what: 'update', order: 3, was: 'open' });
      expect(await client.ack([second.ack_id])).to.equal(1);
      await world.settled(['orders-shaped-sql']);
    });
  });

  describe('each process', () => {
    it('tells at a port of its own how long the stages took', async () => {
      const metrics = async (port: number) => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const stages = (text: string) =>
        [...text.matchAll(/^millrace_process_stage_seconds_count\{stage="(\w+)"\} [1-9]/gm)].map(([, stage]) => stage);
      const [capture, worker] = [await metrics(metricsPort), await metrics(metricsPort + 1)];
      expect(stages(capture)).to.have.members(['decode', 'write', 'commit']);
      expect(stages(worker)).to.have.members(['read', 'shape', 'send', 'settle']);
      expect(capture).to.match(/^millrace_process_persisted_messages_total [1-9]/m);
      expect(worker).to.match(/^millrace_process_delivered_messages_total [1-9]/m);
    });
  });
});
