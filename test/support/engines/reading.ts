/** What a real engine must prove of reading an index back: the same tests for each. */
import { expect } from 'chai';
import type { IndexReader } from '../../../src/model/index-reader.ts';
import { openSearchReader } from '../../../src/sinks/search-index/reader.ts';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { verification } from '../fixtures/verification.ts';
import { startService, stopServices } from '../processes/service.ts';
import { createWorld } from '../processes/world.ts';
import { until } from '../until.ts';
import { ask, type EngineAccess, newIndexName } from './index-tools.ts';
import { NEVER, searchDestination } from './search-sink.ts';

export interface EngineToRead {
  /** Of somebody who may do anything. */
  access: EngineAccess;
  /** How a sink may use it. */
  auth: { auth_type: SearchDestination['auth_type']; auth_value: string | null };
}

const SHARDS = 3;
/** Of the index's, and some more. */
const REFRESH_MS = 1_500;

export function readsBack(engine: () => EngineToRead): void {
  describe('reading an index back', () => {
    let index: string;
    let reader: IndexReader;

    beforeEach(async () => {
      index = newIndexName();
      const settings = { number_of_shards: SHARDS, number_of_replicas: 0 };
      await ask(engine().access, 'PUT', `/${index}`, { settings });
      const { auth_type, auth_value } = engine().auth;
      const destination = searchDestination(engine().access.url, { index_name: index, auth_type });
      reader = openSearchReader(
        { sleep: () => Promise.resolve(), random: () => 0.5 },
        { destination, authValue: auth_value },
      );
    });
    afterEach(async () => {
      await reader.close();
      await ask(engine().access, 'DELETE', `/${index}`);
    });

    const put = async (documents: readonly (readonly [string, string | null])[]): Promise<void> => {
      const lines = documents.map(([id, source]) =>
        source === null ? `{"delete":{"_id":"${id}"}}\n` : `{"index":{"_id":"${id}"}}\n${source}\n`,
      );
      await bulk(engine().access, index, lines.join(''));
    };
    const listed = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { documents } of reader.list(index, NEVER)) found.push(...documents.map(({ id }) => id));
      return found;
    };
    const refreshed = (): Promise<unknown> => ask(engine().access, 'POST', `/${index}/_refresh`);

    it('an index that nothing was written to is empty', async () => {
      expect(await listed()).to.deep.equal([]);
      expect((await reader.fetch(index, ['a'], NEVER)).size).to.equal(0);
    });

    it('lists every document of several shards, and no deleted one', async () => {
      const count = 23_000;
      await put(Array.from({ length: count }, (_, n) => [`k${n}`, `{"n":${n}}`]));
      await put(Array.from({ length: 1_000 }, (_, n) => [`k${n * 3}`, null]));
      await put(Array.from({ length: 1_000 }, (_, n) => [`k${n * 3 + 1}`, '{"again":true}']));
      await refreshed();
      const ids = await listed();
      expect(new Set(ids).size).to.equal(count - 1_000);
      expect(ids.length).to.be.lessThan(count - 1_000 + 10 * SHARDS);
      expect(ids).not.to.include('k3');
      const wanted = Array.from({ length: 12_000 }, (_, n) => `k${n * 2}`);
      expect((await reader.fetch(index, wanted, NEVER)).size).to.equal(wanted.filter((id) => ids.includes(id)).length);
    });

    it('gives a document back letter by letter, and tells two writes of it apart', async () => {
      const source = '{"a": 1.10,\t"e":1e3,"nested":{"z":[ ],"é":"\\u00e9"},"small":0.1000000000000000055}';
      await put([['a', source]]);
      await refreshed();
      const first = (await reader.fetch(index, ['a'], NEVER)).get('a')!;
      expect(first.source).to.equal(source);
      await put([['a', source]]);
      await refreshed();
      expect((await reader.fetch(index, ['a'], NEVER)).get('a')!.version).not.to.equal(first.version);
    });

    it('verify finds what was planted, repairs it, and finds nothing else', async () => {
      const world = await createWorld(
        "create table products (id int primary key, name text); insert into products select n, 'p' || n from generate_series(1, 300) n",
      );
      try {
        const { auth_type, auth_value } = engine().auth;
        const auth = auth_value === null ? '' : `, auth_value: "${auth_value}"`;
        const yaml = `${world.yaml}
sinks:
  - name: products
    database: shop
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "${engine().access.url}", index_name: ${index}, auth_type: ${auth_type}${auth} }
`;
        await startService({ databaseUrl: world.messagesUrl, yaml });
        const verify = verification(world.messagesUrl, REFRESH_MS);
        await until('the first rows are sent', async () => {
          const sql = "select 1 from millrace.backfill_status where kind = 'table' and state = 'done'";
          return (await world.messages.query(sql)).rowCount > 0;
        });
        expect(await verify('products')).to.include({ code: 0 });
        await put([
          ['5', null],
          ['6', '{"id":6,"name":"other"}'],
          ['999', '{"id":999}'],
        ]);
        const found = await verify('products');
        expect(found.out).to.match(/missing 1, extra 1, different 1/);
        const repaired = await verify('products', { repair: true });
        expect([repaired.code, /3 documents repaired/.test(repaired.out)], repaired.out).to.deep.equal([0, true]);
      } finally {
        await stopServices();
        await world.drop();
      }
    }).timeout(90_000);
  });
}

async function bulk({ url, authorization }: EngineAccess, index: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson', ...(authorization === undefined ? {} : { authorization }) };
  const answer = await fetch(`${url}/${index}/_bulk`, { method: 'POST', headers, body });
  const { errors } = (await answer.json()) as { errors: boolean };
  expect([answer.status, errors]).to.deep.equal([200, false]);
}
