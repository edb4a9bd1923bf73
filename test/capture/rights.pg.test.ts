/** Roles that are not what one expects: capture says which right is missing, and needs no other. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { plainRoleOf } from '../support/postgres/plain-role.ts';
import { hasPostgres15, sharedCluster, startCluster } from '../support/postgres/postgres.ts';

const replicating = ofReplication('triggers need no right to replicate');

const TIMING = { checkMs: 150, recheckMs: 100 };

for (const major of [15, 18] as const) {
  describe(`capture as a plain role of Postgres ${major}`, () => {
    let on: Captured;
    let role: string;
    let sink: number;
    let cluster: Awaited<ReturnType<typeof startCluster>>;
    before(async function () {
      if (major === 15 && !hasPostgres15()) this.skip();
      cluster = major === 18 ? await sharedCluster() : await startCluster({ major });
    });
    after(async () => {
      if (major === 15) await cluster?.stop();
    });
    beforeEach(async () => {
      const database = await cluster.createDatabase();
      role = plainRoleOf(database);
      on = await captured('create table items (id int primary key, name text)', {
        cluster,
        database,
        as: 'plain',
        timing: TIMING,
      });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    });
    afterEach(async () => {
      await on.close();
    });
    const works = async (): Promise<void> => {
      on.start();
      await on.streaming();
      await on.source.query("insert into items values (1, 'a')");
      expect((await on.received(sink, 1)).map(({ record }) => JSON.parse(record))).to.deep.equal([
        { id: 1, name: 'a' },
      ]);
    };

    it('needs no more than the documented rights', works);

    it('works whatever the role sets for its sessions', async () => {
      for (const setting of [
        "search_path = ''",
        'search_path = nowhere, public, pg_catalog',
        'default_transaction_read_only = on',
        "default_transaction_isolation = 'serializable'",
        "statement_timeout = '300ms'",
        'lock_timeout = 1',
        "idle_in_transaction_session_timeout = '300ms'",
        "idle_session_timeout = '300ms'",
        ...(major >= 17 ? ["transaction_timeout = '300ms'"] : []),
        'row_security = off',
        'array_nulls = off',
        'quote_all_identifiers = on',
        'standard_conforming_strings = off',
        'transform_null_equals = on',
        'check_function_bodies = off',
        "default_text_search_config = 'pg_catalog.german'",
        "client_encoding = 'LATIN1'",
        "client_min_messages = 'debug5'",
      ])
        await on.source.query(`alter role ${role} set ${setting}`).catch((error: unknown) => {
          // Only a superuser may give it to another.
          if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
        });
      await works();
    });

    replicating.it('names the role that may not replicate: the one that logs in, or the one it is set to', async () => {
      const owner = `${role}_owner`;
      await on.source.query(`create role ${owner}; grant ${owner} to ${role}; alter role ${role} set role ${owner}`);
      on.start();
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.equal(`role ${owner} may not replicate`);
      await on.source.query(remedy.split(' (')[0]!);
      await on.source.query(`grant create on database ${new URL(on.sourceUrl).pathname.slice(1)} to ${owner}`);
      await on.source.query(`alter table items owner to ${owner}`);
      await on.streaming();
      await on.stop();
      await works();
    });

    it('may read nothing of the control file', async () => {
      for (const name of ['pg_control_system', 'pg_control_checkpoint'])
        await on.source.query(`revoke execute on function ${name}() from public`);
      await works();
      await on.stop();
      on.start();
      await on.streaming();
    });
  });
}
