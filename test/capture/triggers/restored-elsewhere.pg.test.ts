/** A source whose dump is restored on another server, where ids of transactions are lower: what it has brought along is nobody's, and goes. */
import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { AS_PLAIN, makePlainRole } from '../../support/postgres/plain-role.ts';
import { hasPostgres15 } from '../../support/postgres/postgres.ts';
import { type PostgresRelay, startPostgresRelay } from '../../support/postgres/postgres-relay.ts';
import { type SourceServer, startSourceServer } from '../../support/postgres/source-server.ts';

const BIN = '/usr/lib/postgresql/15/bin';
const SCHEMA = `
  create table rows (id int primary key, value text);
  create table parts (id int primary key) partition by range (id);
  create table parts_1 partition of parts for values from (0) to (100)`;

describe('capture by triggers of a dump that was restored', function () {
  this.timeout(120_000);
  let before_: SourceServer | undefined;
  let now: SourceServer | undefined;
  let relay: PostgresRelay | undefined;
  let on: Captured | undefined;
  before('needs pg_dump of Postgres 15', function () {
    if (!hasPostgres15()) this.skip();
  });
  after(async () => {
    await on?.close();
    await relay?.close();
    await before_?.close();
    await now?.close();
  });

  it('is a gap, and goes on from there when that is accepted, with no note of before', async () => {
    before_ = await startSourceServer({ major: 15 });
    await before_.goOnAt(5_000_000_000n);
    relay = await startPostgresRelay(before_.database.url);
    const through = relay.url;
    on = await captured(SCHEMA, {
      database: before_.database,
      through: () => through,
      settings: { capture: 'triggers' },
    });
    const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query("insert into rows values (1, 'there'); insert into parts values (1)");
    await on.received(sink, 2);
    await on.stop();
    await on.source.query("insert into rows values (2, 'there, and unread')");

    now = await startSourceServer({ major: 15 });
    if (AS_PLAIN) await makePlainRole(now.database);
    const dump = execFileSync(`${BIN}/pg_dump`, ['-d', before_.database.url]);
    execFileSync(`${BIN}/psql`, ['-q', '-v', 'ON_ERROR_STOP=1', '-d', now.database.url], { input: dump });
    const here = new pg.Client({ connectionString: now.database.url });
    await here.connect();
    try {
      await here.query("insert into rows values (3, 'here, before capture')");
      relay.leadTo(now.database.url);
      on.start();
      expect((await on.becomes('needs_resync')).reason).to.include('another database than before');
      await on.messages.db.query("select millrace.accept_gap('shop')");
      await on.streaming();
      await here.query(
        "insert into rows values (4, 'here'); insert into parts values (2); delete from rows where id = 2",
      );
      expect((await on.received(sink, 5)).slice(2).map(({ action, record }) => `${action} ${record}`)).to.deep.equal([
        'insert {"id":4,"value":"here"}',
        'insert {"id":2}',
        'delete {"id":2,"value":"there, and unread"}',
      ]);
      const { rows } = await here.query<{ notes: number; functions: number }>(
        `select (select count(*) from millrace_capture.changes where xid > '4999999999')::integer as notes,
                (select count(*) from pg_proc where pronamespace = 'millrace_capture'::regnamespace and proname like 'table\\_%')::integer
                  as functions`,
      );
      expect(rows).to.deep.equal([{ notes: 0, functions: 2 }]);
    } finally {
      await here.end();
    }
  });
});
