/** Pages of a table whose large values lie outside their rows. */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { inSnapshot } from '../../src/db/snapshot.ts';
import { describeTable } from '../../src/source/describe-table.ts';
import type { PageRow } from '../../src/source/page-rows.ts';
import { type ReadPage, readPage } from '../../src/source/read-page.ts';
import { sharedSource } from '../support/postgres/postgres.ts';

const firstOf = ({ tuple }: PageRow): number => Number(tuple.bytes.toString('utf8', tuple.ranges[0], tuple.ranges[1]));
/** The texts that go over the connection. */
function listen(client: object, method: 'parse' | 'query', texts: Set<string>): void {
  const connection = Reflect.get(client, 'connection');
  if (Object.hasOwn(connection, method)) return;
  const send = connection[method].bind(connection);
  connection[method] = (sent: string | { text: string }, ...more: unknown[]) => {
    texts.add(typeof sent === 'string' ? sent : sent.text);
    return send(sent, ...more);
  };
}

const BUDGET = { rows: 2_000, bytes: 1_000_000, ms: 60_000, step: 2_000, maxRowBytes: 150_000 };

describe('a page of a table with large values', function () {
  this.timeout(120_000);

  it('looks at the lengths of no more rows than may fit, and leaves none out', async () => {
    const database = await (await sharedSource()).createDatabase();
    const source = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    try {
      await source.query('create table items (id integer primary key, body text)');
      await source.query('alter table items alter body set storage external');
      // Small ones, large ones, and some that are too large to be read.
      await source.query(`insert into items select n, repeat('x', case when n <= 300 then 10 when n % 50 = 0 then 200000
        when n <= 400 then 100000 else 3000 end) from generate_series(1, 1000) n`);
      await source.query('create publication p for table items');
      const table = await describeTable(source, { publication: 'p', schema: 'public', name: 'items' });
      const read = (after: readonly string[] | undefined, rowBytes?: number): Promise<ReadPage> =>
        source.session((client) =>
          inSnapshot(client, {}, () =>
            readPage(
              { client, now: () => 0 },
              { table, sort: undefined, from: undefined, after },
              { ...BUDGET, rowBytes },
            ),
          ),
        );
      // The page before had rows of 20,000 bytes: a hundred of those are twice as many as fit.
      const page = await read(undefined, 20_000);
      expect(page).to.include({ ended: false });
      expect(page.rows).to.have.length(100);
      const ids: number[] = [];
      const large: number[] = [];
      let after: readonly string[] | undefined;
      for (let rowBytes: number | undefined, ended = false; !ended; ) {
        const { rows, bytes, ...next } = await read(after, rowBytes);
        ids.push(...[...rows].map(firstOf));
        large.push(...[...rows].filter(({ tooLarge }) => tooLarge !== null).map(firstOf));
        expect(bytes).to.be.at.most(1_200_000);
        rowBytes = bytes / rows.length;
        ({ ended, last: after } = next);
      }
      expect(ids).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => n + 1));
      expect(large).to.deep.equal(Array.from({ length: 14 }, (_, n) => 350 + n * 50));
    } finally {
      await source.close();
      await database.drop();
    }
  });

  it('sends no value of a row in the text of a statement, and the same texts for all pages', async () => {
    const database = await (await sharedSource()).createDatabase();
    const source = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    try {
      await source.query('create table items (code text, kind integer, body text, primary key (code, kind))');
      await source.query(
        "insert into items select 'it''s \\ secret ' || n, n, repeat('x', n) from generate_series(1, 500) n",
      );
      await source.query('create publication p for table items');
      const table = await describeTable(source, { publication: 'p', schema: 'public', name: 'items' });
      const texts = new Set<string>();
      let after: readonly string[] | undefined;
      let read = 0;
      for (let ended = false; !ended; ) {
        const next = await source.session(async (client) => {
          for (const sent of ['parse', 'query'] as const) listen(client, sent, texts);
          return await inSnapshot(client, {}, () =>
            readPage(
              { client, now: () => 0 },
              { table, sort: undefined, from: undefined, after },
              { ...BUDGET, rows: 20 + (read % 7), rowBytes: undefined },
            ),
          );
        });
        read += next.rows.length;
        ({ ended, last: after } = next);
      }
      expect(read).to.equal(500);
      expect([...texts].filter((text) => /secret/.test(text))).to.deep.equal([]);
      // With and without a row to begin after.
      expect([...texts].filter((text) => text.startsWith('copy '))).to.have.length(2);
    } finally {
      await source.close();
      await database.drop();
    }
  });

  it('goes through no more rows than it may, and leaves none out, whatever the key is compared by', async () => {
    const database = await (await sharedSource()).createDatabase();
    const source = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    try {
      await source.query('create extension citext');
      const keys = ['id', 'kind, id', 'code, id', 'id, code', 'kind, code, id', 'price, id'];
      for (const [n, key] of keys.entries())
        for (const extra of ['', ', body text'])
          await source.query(`create table t${n}${extra ? 'b' : ''} (id int, kind "char", code citext, price numeric${extra}, primary key (${key}));
            insert into t${n}${extra ? 'b' : ''} (id, kind, code, price)
            select n, chr(65 + n % 3)::"char", case when n % 2 = 0 then 'Ab' else 'aB' end || n % 5, n % 7 from generate_series(1, 400) n;
            create publication p${n}${extra ? 'b' : ''} for table t${n}${extra ? 'b' : ''} where (mod(id, 97) = 3)`);
      for (const name of keys.flatMap((_, n) => [`${n}`, `${n}b`])) {
        const table = await describeTable(source, { publication: `p${name}`, schema: 'public', name: `t${name}` });
        const ids: number[] = [];
        let pages = 0;
        let after: readonly string[] | undefined;
        for (let ended = false; !ended; pages += 1) {
          const request = { table, sort: undefined, from: undefined, after };
          // Its time is over at once: a page is one step.
          let now = 0;
          const clock = (): number => (now += 1_000_000);
          const page = await source.session((client) =>
            inSnapshot(client, {}, () => readPage({ client, now: clock }, request, { ...BUDGET, step: 2, narrow: 5 })),
          );
          ids.push(...[...page.rows].map(firstOf));
          ({ ended, last: after } = page);
        }
        expect(
          ids.toSorted((one, other) => one - other),
          name,
        ).to.deep.equal([3, 100, 197, 294, 391]);
        expect(pages, name).to.be.greaterThan(30);
      }
    } finally {
      await source.close();
      await database.drop();
    }
  });

  for (const key of ['int8', 'case']) {
    it(`is read in the order of a key that is called as Postgres calls a column of the page: ${key}`, async () => {
      const database = await (await sharedSource()).createDatabase();
      const source = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
      try {
        await source.query(`create table items ("${key}" integer primary key)`);
        await source.query('alter table items add body text, alter body set storage external');
        // Read as bytes, for a text could have this character in place of one that is no UTF-8; and lengths before.
        await source.query('insert into items select n, repeat(chr(65533), 1000) from generate_series(1, 30) n');
        await source.query('create publication p for table items');
        const table = await describeTable(source, { publication: 'p', schema: 'public', name: 'items' });
        const ids: number[] = [];
        let after: readonly string[] | undefined;
        for (let ended = false; !ended; ) {
          const next = await source.session((client) =>
            inSnapshot(client, {}, () =>
              readPage(
                { client, now: () => 0 },
                { table, sort: undefined, from: undefined, after },
                { ...BUDGET, rows: 7, rowBytes: undefined },
              ),
            ),
          );
          ids.push(...[...next.rows].map(firstOf));
          ({ ended, last: after } = next);
        }
        expect(ids).to.deep.equal(Array.from({ length: 30 }, (_, n) => n + 1));
      } finally {
        await source.close();
        await database.drop();
      }
    });
  }
});
