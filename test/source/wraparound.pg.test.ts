/** Transaction ids begin again at 3 after 2^32: those of rows that were frozen before look as if they were still to come. */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { hasCatalogChanged, nextXid } from '../../src/source/catalog-changes.ts';
import { hasPostgres15 } from '../support/postgres/postgres.ts';
import { type SourceServer, startSourceServer } from '../support/postgres/source-server.ts';

const PARTITIONS = statement('capture/partitions');

describe('a source whose transaction ids have begun again', () => {
  let server: SourceServer | undefined;
  let source: Database | undefined;
  before('needs pg_resetwal of Postgres 15', async function () {
    if (!hasPostgres15()) this.skip();
    server = await startSourceServer({ major: 15 });
    const before = openPool({ address: server.database.url, max: 1, applicationName: 'test', path: 'role' });
    await before.query(
      `create table parts (id int) partition by range (id);
       create table halves partition of parts for values from (0) to (100) partition by range (id)`,
    );
    await before.close();
    await server.goOnAt(2n ** 32n + 10n);
    source = openPool({ address: server.database.url, max: 1, applicationName: 'test', path: 'role' });
  });
  after(async () => {
    await source?.close();
    await server?.close();
  });

  it('has a catalog that changes when it is changed', async () => {
    const since = await nextXid(source!);
    expect(Number(since)).to.be.below(100);
    expect(await hasCatalogChanged(source!, since, 150_000)).to.equal(false);
    await source!.query('create table rows (id int)');
    expect(await hasCatalogChanged(source!, since, 150_000)).to.equal(true);
    expect(await hasCatalogChanged(source!, await nextXid(source!), 150_000)).to.equal(false);
  });

  it('has partitions below one that was attached before they were made', async () => {
    await source!.query('create table quarter partition of halves for values from (0) to (50)');
    const { rows } = await source!.query<{ name: string; attachedAtOnce: boolean }>(PARTITIONS, [
      (await source!.query<{ oid: number }>("select 'parts'::regclass::oid::bigint as oid")).rows.map(({ oid }) => oid),
    ]);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({ name: 'public.quarter', attachedAtOnce: false });
  });
});
