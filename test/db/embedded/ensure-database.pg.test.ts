/** The databases of the embedded server belong to roles of their own: one that does not was made before the first release. */
import { expect } from 'chai';
import pg from 'pg';
import { ensureDatabase } from '../../../src/db/embedded/ensure-database.ts';
import { sharedCluster } from '../../support/postgres/postgres.ts';

describe('a database of the embedded server', () => {
  let admin: pg.Client;
  let adminUrl: string;
  before(async () => {
    ({ adminUrl } = await sharedCluster());
    admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
  });
  after(async () => {
    for (const name of ['ensured', 'older']) await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query('drop role if exists ensured');
    await admin.end();
  });

  it('belongs to its role, which is no superuser, and lets nobody else in, however often it is asked for', async () => {
    const wanted = { name: 'ensured', password: 'first' };
    await ensureDatabase(adminUrl, wanted);
    const client = new pg.Client({
      connectionString: await ensureDatabase(adminUrl, { ...wanted, password: 'second' }),
    });
    await client.connect();
    const { rows } = await client.query(
      `select r.rolname as owner, r.rolsuper, r.rolreplication, has_database_privilege('public', d.oid, 'connect') as everybody
         from pg_database d join pg_roles r on r.oid = d.datdba where d.datname = current_database()`,
    );
    await client.end();
    expect(rows).to.deep.equal([{ owner: 'ensured', rolsuper: false, rolreplication: false, everybody: false }]);
  });

  it('of somebody else is refused, with what to do, and nothing is made', async () => {
    await admin.query('create database older');
    const failed = await ensureDatabase(adminUrl, { name: 'older', password: 'x' }).catch((error: unknown) => error);
    expect(failed).to.have.property('message').that.contains('never released');
    expect(failed).to.have.property('remedy').that.contains('remove the folder .millrace');
    const { rows } = await admin.query("select from pg_roles where rolname = 'older'");
    expect(rows).to.have.length(0);
  });
});
