/** Traps in a source whose changes triggers note: each is found, and gone when what is printed was run. */
import { expect } from 'chai';
import pg from 'pg';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { ensurePublication } from '../../../src/source/publication.ts';
import { ensureTriggers } from '../../../src/source/triggers/ensure.ts';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { until } from '../../support/until.ts';

const WELL = /^OK {2}database shop: .*\nOK {2}sink all: /m;
const SCHEMA = `create table ledger (id int primary key, note text); create table keyless (a int);`;

describe('millrace doctor: a source whose changes triggers note', function () {
  this.timeout(120_000);
  let by: Examined;
  let source: Database;
  const query = (sql: string) => by.on.source.query(sql);
  const gone = async (id: string): Promise<void> => {
    const found = await by.finding(id);
    expect(found, found?.text).to.equal(undefined);
  };

  before(async () => {
    by = await examined(SCHEMA, { settings: { capture: 'triggers' } });
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    source = openPool({ ...by.on.declared, max: 1, applicationName: 'test', onError: () => undefined });
  });
  after(async () => {
    await source?.close();
    await by?.close();
  });
  const publication = () => ({ ...by.on.declared.settings.publication, byTriggers: true });
  const made = async (): Promise<void> => {
    const { rows } = await source.query<{ version: number }>(
      "select current_setting('server_version_num')::integer as version",
    );
    const { tables } = await ensurePublication(source, publication(), rows[0]!.version);
    await ensureTriggers(source, { tables: tables.filter(({ published }) => published) });
  };

  it('says nothing of slots, nor of what is yet to be made', async () => {
    const { text } = await by.doctor();
    expect(text)
      .to.match(WELL)
      .and.not.match(/slot|wal_level|NOT SEEN/);
  });

  it('finds nothing once all is made, also of a table without a key, whose updates go on', async () => {
    await made();
    await query('insert into keyless values (1); update keyless set a = 2; delete from keyless');
    const { text } = await by.doctor();
    expect(text).to.match(WELL);
    const { rows } = await query('select pubinsert, pubupdate, pubdelete, pubtruncate from pg_publication');
    expect(rows).to.deep.equal([{ pubinsert: true, pubupdate: false, pubdelete: false, pubtruncate: false }]);
  });

  const traps: [string, string, string][] = [
    [
      'trigger_missing',
      'WARNING',
      `do $$ begin execute (select format('drop trigger %I on ledger', tgname) from pg_trigger
         where tgrelid = 'ledger'::regclass and tgname ~ 'millrace_[0-9]'); end $$`,
    ],
    ['trigger_disabled', 'ERROR', 'alter table ledger disable trigger user'],
    ['trigger_disabled', 'WARNING', 'alter table ledger enable trigger user'],
    [
      'trigger_lists',
      'ERROR',
      'alter publication millrace_test drop table ledger; alter publication millrace_test add table ledger where (id > 0)',
    ],
    ['breaks_updates', 'ERROR', "alter publication millrace_test set (publish = 'insert, update, delete')"],
  ];
  for (const [id, status, sql] of traps)
    it(`finds ${id}, a ${status.toLowerCase()}`, async () => {
      await query(sql);
      const printed = await by.repair(id);
      expect([printed.status, printed.place]).to.deep.equal([status, 'database shop']);
      await gone(id);
    });

  it('of a database that is captured by replication, finds the triggers of before', async () => {
    await by.on.messages.db.query(`update millrace_private.databases set settings = settings - 'capture'`);
    // Another service captures it by them.
    await source.transaction(async (tx) => {
      await tx.query('lock table millrace_capture.reader in exclusive mode');
      await gone('capture_left');
    });
    const holder = new pg.Client({ connectionString: by.on.sourceUrl });
    await holder.connect();
    await holder.query('begin; lock table millrace_capture.shapes in access share mode');
    const repairing = by.repair('capture_left');
    await until('it is in the midst of it', async () => {
      const waits = "select from pg_locks where relation = to_regclass('millrace_capture.shapes') and not granted";
      return (await query(waits)).rowCount === 1;
    });
    // Whoever writes is nobody's victim.
    await query("set lock_timeout = '10s'; insert into ledger values (9, 'meanwhile')");
    await holder.end();
    expect(await repairing).to.include({ status: 'WARNING', place: 'database shop' });
    await gone('capture_left');
    expect((await query("select from pg_trigger where tgname like '!millrace%'")).rowCount).to.equal(0);
    const { text } = await by.doctor();
    expect(text).to.match(/\(publication_incomplete\)/);
  });
});
