/** A description of a table is never taken for one of what the table has become meanwhile. */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { inSnapshot } from '../../src/db/snapshot.ts';
import { describeTable } from '../../src/source/describe-table.ts';
import { holdTable, ReloadError } from '../../src/source/hold-table.ts';
import { sharedSource } from '../support/postgres/postgres.ts';

const CHANGES = {
  'a column is added': 'alter table items add column more text',
  'a column is renamed': 'alter table items rename column body to text',
  'another table takes its name': 'alter table items rename to former; alter table other rename to items',
  'its columns are listed': 'alter publication p set table items (id), other',
};

describe('a table that changes while it is described', () => {
  for (const [what, sql] of Object.entries(CHANGES)) {
    it(`is described anew before it is read: ${what}`, async () => {
      const database = await (await sharedSource()).createDatabase();
      const source = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
      const table = { publication: 'p', schema: 'public', name: 'items' };
      const make = `create table items (id integer primary key, body text);
        create table other (id integer primary key, body text);
        create publication p for table items, other;`;
      const isCurrent = async (described: Parameters<typeof holdTable>[1]): Promise<boolean> =>
        await source.session((client) =>
          inSnapshot(client, {}, () => holdTable(client, described)).then(
            () => true,
            (error) => {
              if (error instanceof ReloadError) return false;
              throw error;
            },
          ),
        );
      try {
        await source.query(make);
        expect(await isCurrent(await describeTable(source, table))).to.equal(true);
        for (let at = 1, asked = at; asked >= at; at += 1) {
          await source.query(`drop publication p; drop table if exists items, other, former; ${make}`);
          asked = 0;
          const changing: Database = {
            ...source,
            async query(...given: Parameters<Database['query']>) {
              asked += 1;
              if (asked === at) await source.query(sql);
              return await source.query(...given);
            },
          } as Database;
          const described = await describeTable(changing, table);
          // Before the first statement there was no table but the later one.
          if (asked >= at) expect(await isCurrent(described), `before statement ${at}`).to.equal(at === 1);
        }
      } finally {
        await source.close();
        await database.drop();
      }
    });
  }
});
