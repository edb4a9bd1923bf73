/** Routed indexes: asked for before their first use, and held back one by one. */
import { expect } from 'chai';
import type { Delivery, SendResult, Sink } from '../../../src/model/sink.ts';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { NEVER, type OpenOptions, openTestSearchSink, searchDestination } from '../../support/engines/search-sink.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const kinds = ({ outcomes }: SendResult): string[] => outcomes.map(({ kind }) => kind);

describe('the search-index sink with a routing function', () => {
  let server: BulkServer;
  let opened: Sink[];

  beforeEach(async () => {
    server = await startBulkServer({ indexes: ['products'] });
    opened = [];
  });

  afterEach(async () => {
    for (const sink of opened) await sink.close();
    await server.close();
    expect(server.strays()).to.deep.equal([]);
  });

  function open(changed: Partial<SearchDestination> = {}, options: OpenOptions = {}): Sink {
    const sink = openTestSearchSink(searchDestination(server.url, changed), options);
    opened.push(sink);
    return sink;
  }

  const routed = (): Delivery[] => [
    delivery(1, 'a'),
    delivery(2, 'b', { indexName: 'archive' }),
    delivery(3, 'c', { indexName: 'gone' }),
    delivery(4, 'd', { indexName: 'products' }),
  ];

  it('asks for a routed name before its first use; a missing one holds back only its own messages', async () => {
    server.engine.createIndex('archive');
    server.engine.autoCreate = true;
    const sink = open();
    const { outcomes } = await sink.send(routed(), NEVER);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['done', 'done', 'wait', 'done']);
    expect(outcomes[2])
      .to.include({ retryAfterMs: 30_000 })
      .and.have.property('error')
      .that.contains('no such index [gone]');
    const paths = server.requests.map(({ path }) => path).toSorted();
    expect(paths).to.deep.equal(['/archive/_bulk', '/archive/_search', '/gone/_search', '/products/_bulk']);
    await sink.send(routed(), NEVER);
    expect(server.requests.filter(({ path }) => path.endsWith('_search'))).to.have.length(2);
  });

  it('asks again for a missing name after its time, and for a known one when it has failed', async () => {
    let clock = 1_000_000;
    const sink = open({}, { now: () => clock });
    const batch = [delivery(1, 'a', { indexName: 'archive' })];
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait']);
    server.engine.createIndex('archive');
    clock += 29_000;
    expect((await sink.send(batch, NEVER)).outcomes[0]).to.include({ kind: 'wait', retryAfterMs: 1000 });
    clock += 1001;
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['done']);
    server.engine.deleteIndex('archive');
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait']);
    const searches = server.requests.length;
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait']);
    expect(server.requests[searches]?.path).to.equal('/archive/_search');
  });

  it('deletes nothing from an index that the engine says is missing, and does not wait for it', async () => {
    server.engine.autoCreate = true;
    const sink = open();
    const batch = [
      delivery(1, 'a', { action: 'delete', indexName: 'gone' }),
      delivery(2, 'a', { indexName: 'products' }),
      delivery(3, 'b', { indexName: 'gone' }),
    ];
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['done', 'done', 'wait']);
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['done', 'done', 'wait']);
    expect(server.requests.map(({ path }) => path)).not.to.include('/gone/_bulk');
  });

  it('asks again before it takes a delete for done: the index may be there by now, with a document', async () => {
    const sink = open();
    const gone = [delivery(2, 'a', { action: 'delete', indexName: 'archive' })];
    expect(kinds(await sink.send(gone, NEVER))).to.deep.equal(['done']);
    server.engine.createIndex('archive');
    // By another worker.
    await open().send([delivery(3, 'a', { indexName: 'archive' })], NEVER);
    expect([...server.engine.documents('archive').keys()]).to.deep.equal(['a']);
    await sink.send([delivery(4, 'a', { action: 'delete', indexName: 'archive' })], NEVER);
    expect([...server.engine.documents('archive').keys()]).to.deep.equal([]);
  });

  it('nor from one that is deleted after its first use', async () => {
    server.engine.createIndex('archive');
    const sink = open();
    await sink.send([delivery(1, 'a', { indexName: 'archive' })], NEVER);
    server.engine.deleteIndex('archive');
    const batch = [
      delivery(2, 'a', { action: 'delete', indexName: 'archive' }),
      delivery(3, 'b', { indexName: 'archive' }),
    ];
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['done', 'wait']);
  });

  it('waits with deletes when a 404 is not the answer of an engine', async () => {
    const sink = open();
    server.fail({ kind: 'status', status: 404, text: '{"error":"no such route"}' }, { path: /archive\/_search$/ });
    const batch = [delivery(1, 'a', { action: 'delete', indexName: 'archive' })];
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait']);
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait']);
  });

  it('a name that is none parks; a credential that is refused stops the sink; 403 holds back the index', async () => {
    const sink = open();
    const batch = [delivery(1, 'a', { indexName: 'archive' }), delivery(2, 'b')];
    const search = { path: /archive\/_search$/ };
    server.fail({ kind: 'status', status: 400, text: '{"error":{"type":"invalid_index_name_exception"}}' }, search);
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['park', 'done']);
    server.fail({ kind: 'status', status: 503 }, search);
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait', 'done']);
    server.fail({ kind: 'status', status: 503, text: 'busy' }, search);
    expect((await sink.send(batch.slice(0, 1), NEVER)).circuit).to.include({ reason: 'overloaded', error: 'busy' });
    server.fail({ kind: 'status', status: 401 }, search);
    expect((await sink.send(batch, NEVER)).circuit?.reason).to.equal('auth_failed');
    server.fail({ kind: 'status', status: 403 }, search);
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['wait', 'done']);
  });

  for (const error of [
    {
      type: 'cluster_block_exception',
      reason: 'index [archive] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded]',
    },
    { type: 'unavailable_shards_exception', reason: '[archive][0] primary shard is not active' },
  ]) {
    it(`${error.type} for all of a routed index holds back its messages alone, however many they are`, async () => {
      server.engine.createIndex('archive');
      const refused = { status: error.type.startsWith('cluster') ? 429 : 503, error };
      server.fail({ kind: 'items', decide: () => refused }, { path: /archive\/_bulk$/, times: 100 });
      const archived = Array.from({ length: 8 }, (_, i) => delivery(i + 1, `${i}`, { indexName: 'archive' }));
      const { outcomes, circuit } = await open({ batch_size: 2 }).send([...archived, delivery(9, 'b')], NEVER);
      expect(circuit).to.equal(undefined);
      expect(outcomes.pop()).to.deep.equal({ kind: 'done' });
      for (const outcome of outcomes)
        expect(outcome).to.deep.equal({
          kind: 'wait',
          error: JSON.stringify(error),
          retryAfterMs: 30_000,
          isForIndex: true,
        });
      expect(server.bulks()).to.have.length.below(5);
    });
  }

  it('a routed index of which no shard can be searched holds back its messages alone', async () => {
    server.engine.createIndex('archive');
    const away = '{"error":{"type":"search_phase_execution_exception","reason":"all shards failed"},"status":503}';
    server.fail({ kind: 'status', status: 503, text: away }, { path: /archive\/_search$/ });
    const sent = await open().send([delivery(1, 'a', { indexName: 'archive' })], NEVER);
    expect(sent.circuit).to.equal(undefined);
    expect(sent.outcomes[0]).to.include({ kind: 'wait', retryAfterMs: 30_000 });
  });

  it('an index that is closed for a while holds back its messages, and parks none', async () => {
    let clock = 1_000_000;
    server.engine.createIndex('archive');
    const sink = open({}, { now: () => clock });
    const batch = [delivery(1, 'a', { indexName: 'archive' })];
    const closed = '{"error":{"type":"index_closed_exception","reason":"closed"},"status":400}';
    server.fail({ kind: 'status', status: 400, text: closed }, { path: /archive\/_search$/ });
    expect((await sink.send(batch, NEVER)).outcomes[0]).to.include({ kind: 'wait', retryAfterMs: 30_000 });
    clock += 30_001;
    expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(['done']);
  });

  it('encodes a name into the path', async () => {
    await open({ index_name: 'größe-100%' }).send([delivery(1, 'a')], NEVER);
    expect(server.requests[0]?.path).to.equal('/gr%C3%B6%C3%9Fe-100%25/_bulk');
  });
});
