import { expect } from 'chai';
import pg from 'pg';
import { sharedCluster } from '../support/postgres.ts';

describe('embedded postgres', () => {
  it('is what we promise', async () => {
    const cluster = await sharedCluster();
    const database = await cluster.createDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('wal_level') w, current_setting('server_version_num')::int / 10000 v, current_setting('server_encoding') e, (select datctype from pg_database where datname = current_database()) c",
    );
    await client.end();
    expect(rows[0]).to.deep.equal({ w: 'logical', v: 18, e: 'UTF8', c: 'C.UTF-8' });
    const copy = await cluster.createDatabase({ template: database.name });
    await copy.drop();
    await database.drop();
  });
});
