/** What a release does to a message database that others use, and what it leaves to a later one. */
import { expect } from 'chai';
import { PARSED, readDefinitions, readMigrations } from '../../src/db/definitions.ts';
import { migrateSchema } from '../../src/db/migrate.ts';
import { type Database, openPool, type PoolOptions } from '../../src/db/pool.ts';
import { readSchemaVersion, SCHEMA } from '../../src/db/schema-version.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { dumpSchema } from '../support/postgres/dump-schema.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';
import { openSession } from '../support/postgres/sessions.ts';

const optionsOf = (address: string): PoolOptions => ({ address, max: 1, applicationName: 'millrace test' });

/** A log that remembers its warnings; `onWarn` is called with each. */
function remembering(onWarn: () => void = () => undefined) {
  const warnings: string[] = [];
  const warn = (_: object, message: string): void => {
    warnings.push(message);
    onWarn();
  };
  return { warnings, log: { info: () => undefined, warn } };
}

describe('migrate', () => {
  let m: MessageDatabase;
  const migrate = (deps: Partial<Parameters<typeof migrateSchema>[0]> = {}) =>
    migrateSchema({ log: remembering().log, ...deps }, optionsOf(m.url));
  const pathOf = (name: string): string => `sql/schema/${name}.sql`;
  /** As an older release left it: with another body, or none. */
  const outdate = async (...names: string[]): Promise<void> => {
    await m.db.query(`update millrace_private.schema_files set sha256 = 'older' where path = any ($1::text[])`, [
      names.map(pathOf),
    ]);
  };
  beforeEach(async () => {
    m = await messageDatabase();
  });
  afterEach(async () => await m.drop());

  it('makes all of it from nothing, and then finds nothing to do', async () => {
    const database = await (await sharedCluster()).createDatabase();
    const deps = { log: remembering().log };
    const applied = await migrateSchema(deps, optionsOf(database.url));
    expect(applied).to.have.length(readMigrations().length + readDefinitions().length);
    expect(await migrateSchema(deps, optionsOf(database.url))).to.deep.equal([]);
    const db: Database = openPool(optionsOf(database.url));
    expect(await readSchemaVersion(db)).to.deep.equal(SCHEMA);
    await db.close();
    await database.drop();
  });

  it('applies definitions that have changed, in order, while messages are out: nothing is lost', async () => {
    const { no } = await addPullSink(m.db, { name: 'worker' });
    const ids = await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 1 }]);
    const leased = await m.db.query<{ ack_id: string }>("select ack_id from millrace.receive('worker', 1)");
    const before = await dumpSchema(m.db);
    const all = readDefinitions().map(({ name }) => name);
    await outdate(...all);
    await m.db.query(
      'create or replace function millrace_private.level_number(p_level text) returns integer language sql return 7',
    );
    expect(await migrate()).to.deep.equal(all.map(pathOf));
    expect(await dumpSchema(m.db)).to.equal(before);

    const ackIds = leased.rows.map((row) => row.ack_id);
    const acked = await m.db.query<{ ack: number }>("select millrace.ack('worker', $1::text[])", [ackIds]);
    expect(acked.rows[0]!.ack).to.equal(1);
    const rest = await m.db.query<{ ack_id: string }>("select ack_id from millrace.receive('worker', 10)");
    expect(rest.rows.map((row) => Number(row.ack_id.slice(33))).toSorted()).to.deep.equal(ids.slice(1));
  });

  it('locks no view that has not changed, and gives rights again where something has', async () => {
    const reader = await openSession(m.db);
    await reader.query('begin');
    await reader.query('select * from millrace.sink_status');
    await outdate('messages/metrics');
    await m.db.query('drop function millrace.metrics()');
    expect(await migrate()).to.deep.equal(['sql/schema/messages/metrics.sql', 'sql/schema/grants.sql']);
    const { rows } = await m.db.query(
      `select has_function_privilege('millrace_reader', 'millrace.metrics()', 'execute') as reader,
              has_function_privilege('public', 'millrace.metrics()', 'execute') as everybody`,
    );
    expect(rows).to.deep.equal([{ reader: true, everybody: false }]);
    await reader.query('commit');
    await reader.close();
  });

  it('undoes all of it when a lock is in the way, and tries again until that is gone', async () => {
    const reader = await openSession(m.db);
    await reader.query('begin');
    await reader.query('select * from millrace.sink_status');
    await outdate('messages/metrics', 'views/sink_status');
    const failed = await migrate({ patienceMs: 0 }).catch((error: Error & { code?: string }) => error);
    expect(failed).to.have.property('code', '55P03');
    expect(failed).to.have.property('message').that.contains('sql/schema/views/sink_status.sql: ');
    const { rows } = await m.db.query(
      `select path from millrace_private.schema_files where sha256 = 'older' order by 1`,
    );
    expect(rows).to.deep.equal([{ path: pathOf('messages/metrics') }, { path: pathOf('views/sink_status') }]);

    const { warnings, log } = remembering(() => void reader.query('commit'));
    expect(await migrate({ log })).to.have.length(3);
    expect(warnings).to.have.length(1);
    await reader.close();
  });

  it('changes nothing of a later release, and ends where this one cannot work with it', async () => {
    await outdate(...PARSED);
    await m.db.query('update millrace_private.schema_state set version = version + 1');
    const { warnings, log } = remembering();
    expect(await migrate({ log })).to.deep.equal([]);
    expect(warnings).to.deep.equal(['a later release migrated the message database: this one changes nothing']);
    const { rows } = await m.db.query(`select from millrace_private.schema_files where sha256 = 'older'`);
    expect(rows).to.have.length(PARSED.length);

    await m.db.query('update millrace_private.schema_state set serves = version');
    const failed = await migrate().catch((error: unknown) => error);
    expect(failed)
      .to.have.property('message')
      .that.contains(`works with releases of version ${SCHEMA.version + 1} and later`);
  });

  for (const encoding of ['LATIN1', 'SQL_ASCII']) {
    it(`refuses to begin in a database of ${encoding}, which could not keep every message, and says what to do`, async () => {
      const { name, url } = await (await sharedCluster()).createDatabase({ encoding });
      const db = openPool(optionsOf(url));
      const failed = await migrateSchema({ log: remembering().log }, optionsOf(url)).catch((error: unknown) => error);
      expect(failed).to.have.property('code', 'bad_setting');
      expect(failed).to.have.property('message').that.contains(`encoding is ${encoding}, not UTF8`);
      const { remedy } = failed as { remedy: string };
      expect(remedy).to.match(/^create database millrace encoding 'UTF8'/);
      const { rows } = await db.query(`select from pg_namespace where nspname like 'millrace%'`);
      expect(rows).to.deep.equal([]);
      const sql = remedy.slice(0, remedy.indexOf(';')).replace('millrace', `${name}_utf8`);
      await db.query(sql);
      await db.query(`drop database ${name}_utf8`);
      await db.close();
    });
  }

  it('notes a higher version, also where no file has changed', async () => {
    await m.db.query('update millrace_private.schema_state set version = 0, serves = 0');
    expect(await migrate()).to.deep.equal([]);
    expect(await readSchemaVersion(m.db)).to.deep.equal(SCHEMA);
  });

  for (const [what, sql] of [
    ['of the list of migrations that it kept', 'create table millrace_private.schema_migrations ()'],
    [
      'of a migration that reads otherwise',
      `update millrace_private.schema_files set sha256 = 'x' where path ~ '^migrations/0003'`,
    ],
    [
      'of a migration that is none',
      `insert into millrace_private.schema_files values ('migrations/0003_receive.sql', 'x')`,
    ],
  ] as const) {
    it(`refuses a database that no release has made, because ${what}, and says what to do`, async () => {
      await m.db.query(sql);
      const before = await dumpSchema(m.db);
      const failed = await migrate().catch((error: unknown) => error);
      expect(failed).to.have.property('code', 'bad_setting');
      expect(failed).to.have.property('message').that.contains('never released');
      expect(failed).to.have.property('remedy').that.contains('Use an empty database');
      expect(await dumpSchema(m.db)).to.equal(before);
    });
  }
});
