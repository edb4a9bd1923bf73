/** Rows that are read by their keys: as many at a time as fit into memory, and of one that is too large its key. */
import { expect } from 'chai';
import { openKeyReader } from '../../src/backfill/read-keys.ts';
import { openPool } from '../../src/db/pool.ts';
import { loadRelation } from '../../src/routing/relation.ts';
import { SaidNotices } from '../../src/routing/said-notices.ts';
import { describeTable } from '../../src/source/describe-table.ts';
import { type Captured, captured, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { traitsOf } from '../support/fixtures/sinks.ts';

describe('rows read by key', () => {
  let on: Captured;
  afterEach(() => on.close());

  it('are read in parts that fit into memory, and each is sent once', async () => {
    on = await captured(`create table docs (id int primary key, body text);
      alter table docs alter body set storage external;
      insert into docs select n, repeat('x', case when n = 7 then 400000 else 30000 end) from generate_series(1, 20) n;
      create publication given for table docs`);
    const source = openPool({ address: on.sourceUrl, max: 2, applicationName: 'test', path: 'role' });
    try {
      const table = await describeTable(source, { publication: 'given', schema: 'public', name: 'docs' });
      const sink = { no: 1, name: 'index', traits: traitsOf('search_index'), lanes: 1 };
      const settings = sinkSettings({ name: 'index', destination: SEARCH });
      const deps = {
        source,
        messages: on.messages.db,
        databaseNo: on.databaseNo,
        publication: 'given',
        said: new SaidNotices(),
        changeTables: new Set<string>(),
      };
      const relation = await loadRelation({ ...deps, sinks: [{ ...sink, settings }] }, table.message);
      const keys = Array.from({ length: 22 }, (_, n) => [String(n + 1)]);
      const reader = openKeyReader({ table, relation, keys, budget: { bytes: 100_000, maxRowBytes: 200_000 } });
      const parts: number[] = [];
      let position: unknown = null;
      for (let ended = false; !ended; ) {
        const part = await source.session(async (client) => {
          await client.query('begin isolation level repeatable read');
          try {
            return await reader.read(client, position);
          } finally {
            await client.query('rollback');
          }
        });
        parts.push(part.read);
        ({ position, ended } = part);
      }
      // The seventh weighs nothing, and the last two are not there.
      expect(parts).to.deep.equal([3, 4, 3, 3, 3, 3, 3]);
    } finally {
      await source.close();
    }
  });
});
