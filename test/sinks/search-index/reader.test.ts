import { expect } from 'chai';
import { MillraceError } from '../../../src/model/errors.ts';
import type { IndexReader } from '../../../src/model/index-reader.ts';
import { openSearchReader } from '../../../src/sinks/search-index/reader.ts';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { NEVER, searchDestination } from '../../support/engines/search-sink.ts';

describe('sinks/search-index/reader', () => {
  let server: BulkServer;
  let reader: IndexReader;
  let slept: number[];

  beforeEach(async () => {
    server = await startBulkServer({ indexes: ['products'] });
    slept = [];
    const parts = {
      sleep: (ms: number): Promise<void> => {
        slept.push(ms);
        return Promise.resolve();
      },
      random: () => 0.5,
    };
    reader = openSearchReader(parts, { destination: searchDestination(server.url), authValue: null });
  });

  afterEach(async () => {
    await reader.close();
    await server.close();
  });

  const put = (count: number, source = (i: number) => `{"n":${i}}`): void => {
    for (let i = 0; i < count; i += 1) server.engine.plant('products', `k${i}`, source(i));
  };
  const listed = async (index = 'products'): Promise<string[]> => {
    const found: string[] = [];
    for await (const { documents } of reader.list(index, NEVER)) found.push(...documents.map(({ id }) => id));
    return found;
  };
  const failure = async (work: Promise<unknown>): Promise<MillraceError> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(MillraceError);
    return error as MillraceError;
  };

  it('fetches documents by id, with every digit and every space', async () => {
    server.engine.plant('products', 'a"b', '{"price": 1.10,"big":12345678901234567890,"e":1e3}');
    server.engine.plant('products', 'gone', undefined);
    const found = await reader.fetch('products', ['a"b', 'gone', 'nobody'], NEVER);
    expect([...found.keys()]).to.deep.equal(['a"b']);
    expect(found.get('a"b')!.source).to.equal('{"price": 1.10,"big":12345678901234567890,"e":1e3}');
  });

  it('tells two writes of one document apart', async () => {
    server.engine.plant('products', 'a', '{}');
    const before = (await reader.fetch('products', ['a'], NEVER)).get('a')!.version;
    expect((await reader.fetch('products', ['a'], NEVER)).get('a')!.version).to.equal(before);
    server.engine.plant('products', 'a', '{}');
    expect((await reader.fetch('products', ['a'], NEVER)).get('a')!.version).not.to.equal(before);
  });

  it('lists every id, of several shards too, and none twice but where pieces meet', async () => {
    for (const shards of [1, 3]) {
      server.engine.shards = shards;
      server.engine.createIndex(`of-${shards}`);
      for (let i = 0; i < 25_000; i += 1) server.engine.plant(`of-${shards}`, `k${i}`, '{}');
      for (let i = 0; i < 25_000; i += 5) server.engine.plant(`of-${shards}`, `k${i}`, undefined);
      const ids = await listed(`of-${shards}`);
      expect(new Set(ids).size, `${shards} shards`).to.equal(20_000);
      expect(ids.length).to.be.lessThan(20_000 + 100);
    }
    expect(server.strays()).to.deep.equal([]);
  });

  it('lists an empty index, and a routed one that is not there', async () => {
    expect(await listed()).to.deep.equal([]);
    expect(await listed('routed')).to.deep.equal([]);
    expect((await reader.fetch('routed', ['a'], NEVER)).size).to.equal(0);
  });

  it('crosses long stretches of numbers that are not used any more', async () => {
    server.engine.plant('products', 'first', '{}');
    for (let i = 0; i < 300_000; i += 1) server.engine.plant('products', 'busy', '{}');
    server.requests.length = 0;
    expect(new Set(await listed())).to.deep.equal(new Set(['first', 'busy']));
    expect(server.requests.length).to.be.lessThan(10);
  });

  it('finds what is static while other documents are written', async () => {
    put(30_000);
    const ids = new Set<string>();
    let piece = 0;
    for await (const { documents } of reader.list('products', NEVER)) {
      for (const { id } of documents) ids.add(id);
      piece += 1;
      for (let i = 1; i < 30_000; i += 7) server.engine.plant('products', `k${i}`, `{"n":${i},"piece":${piece}}`);
    }
    const unseen = Array.from({ length: 30_000 }, (_, i) => i).filter((i) => i % 7 !== 1 && !ids.has(`k${i}`));
    expect(unseen).to.deep.equal([]);
  });

  it('asks for less when an answer is too much, or the request', async () => {
    put(600, (i) => `{"n":${i}}`);
    server.fail({ kind: 'status', status: 413, text: 'too large' }, { path: /_search/, times: 3 });
    const ids = Array.from({ length: 600 }, (_, i) => `k${i}`);
    expect((await reader.fetch('products', ids, NEVER)).size).to.equal(600);
    server.maxBytes = 400;
    expect((await reader.fetch('products', ids, NEVER)).size).to.equal(600);
    server.maxBytes = Infinity;
    server.engine.mostHits = 100;
    expect(new Set(await listed()).size).to.equal(600);
    expect(slept).to.deep.equal([]);
  });

  it('asks for so many documents that an answer stays at some megabytes', async () => {
    put(3_000, (i) => `{"n":${i},"text":"${'x'.repeat(20_000)}"}`);
    const ids = Array.from({ length: 3_000 }, (_, i) => `k${i}`);
    expect((await reader.fetch('products', ids, NEVER)).size).to.equal(3_000);
    const sizes = server.requests.map(({ body }) => (JSON.parse(body) as { size: number }).size);
    expect(sizes[0]).to.equal(500);
    expect(Math.max(...sizes)).to.be.lessThan(550);
  }).timeout(10_000);

  it('waits for what passes: a busy engine, a lost connection, a shard that does not answer', async () => {
    put(10);
    const search = { path: /_search/, times: 1 };
    server.fail({ kind: 'status', status: 429, headers: { 'retry-after': '3' } }, search);
    server.fail({ kind: 'close' }, search);
    const partial = '"_shards":{"total":2,"successful":1,"skipped":0,"failed":1},"hits":{"hits":[]}';
    server.fail({ kind: 'text', text: `{"timed_out":false,${partial}}` }, search);
    server.fail({ kind: 'text', text: `{"timed_out":true,${partial.replace('"failed":1', '"failed":0')}}` }, search);
    expect((await reader.fetch('products', ['k1'], NEVER)).size).to.equal(1);
    expect(slept).to.deep.equal([3_000, 1_000, 2_000, 4_000]);
  });

  it('never takes an answer that lacks a shard for the whole', async () => {
    const text = '{"timed_out":false,"_shards":{"total":2,"successful":1,"skipped":0,"failed":1},"hits":{"hits":[]}}';
    server.fail({ kind: 'text', text }, { path: /_search/, times: 100 });
    const error = await failure(listed());
    expect(error.message).to.match(/index products cannot be read: an answer of 1 out of 2 shards/);
    expect(slept.length).to.equal(5);
  });

  it('does not take one of several documents of an _id, as an alias of two indexes has them, for the document', async () => {
    const hit = (index: string, id: string) =>
      `{"_index":"${index}","_id":"${id}","_seq_no":1,"_primary_term":1,"_source":{}}`;
    const hits = `"hits":{"hits":[${hit('old', 'a')},${hit('new', 'a')}]}`;
    const text = `{"timed_out":false,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0},${hits}}`;
    server.fail({ kind: 'text', text }, { path: /_search/ });
    const { message, remedy } = await failure(reader.fetch('products', ['a', 'b'], NEVER));
    expect(message).to.equal('index products has several documents of one _id, as an alias of several indexes may');
    expect(remedy).to.equal(
      'Let index_name be one index, or an alias of one, without documents of the same rows elsewhere; then verify again.',
    );
  });

  it('says at once what no waiting changes, in the engine’s words', async () => {
    server.fail({ kind: 'status', status: 403 }, { path: /_search/ });
    expect((await failure(reader.fetch('products', ['a'], NEVER))).message).to.match(/scripted 403/);
    server.engine.deleteIndex('products');
    const missing = await failure(listed());
    expect(missing.message).to.match(/no such index/);
    expect(missing.remedy).to.match(/index_name/);
    expect(slept).to.deep.equal([]);
  });

  it('stops when it is told to', async () => {
    put(10);
    const abort = new AbortController();
    server.fail({ kind: 'hang' }, { path: /_search/ });
    const work = reader.fetch('products', ['k1'], abort.signal);
    abort.abort(new Error('stop'));
    expect(await work.catch((error: Error) => error.message)).to.equal('stop');
  });
});
