/** What checks hear of a source whose changes triggers note. */
import { expect } from 'chai';
import { repairText } from '../../../src/checks/finding.ts';
import { checkTriggers } from '../../../src/checks/triggers.ts';
import { openPool } from '../../../src/db/pool.ts';
import { quoteIdentifier } from '../../../src/model/quote.ts';
import { ensureTriggers } from '../../../src/source/triggers/ensure.ts';
import { readTriggerFacts } from '../../../src/source/triggers/for-checks.ts';
import { sayNeeded } from '../../../src/source/triggers/left.ts';
import { VERSION } from '../../../src/source/triggers/texts.ts';
import { truncateRead } from '../../../src/source/triggers/truncate-read.ts';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

function urlAs(url: string, role: string): string {
  const address = new URL(url);
  address.username = encodeURIComponent(role);
  address.password = 'plain';
  return address.href;
}

describe('facts of triggers for checks', () => {
  eachMajor((cluster, major) => {
    let on: Noted;
    afterEach(async () => await on.close());

    it('are those of the tables that the publication lists', async () => {
      const lists = major >= 15 ? ', lists (id)' : '';
      on = await noted(
        cluster(),
        `create table t (id int primary key); create table off (id int primary key); create table lists (id int primary key, v text);
         create table none (id int primary key); create publication p for table t, off, none${lists} with (publish = 'insert', publish_via_partition_root = true)`,
      );
      const before = await readTriggerFacts(on.source, 'p');
      expect([before.schemaVersion, before.wantedVersion, before.mayMakeSchema, before.notedBytes]).to.deep.equal([
        null,
        VERSION,
        true,
        0,
      ]);
      const { facts } = await on.ensure(['t', 'off']);
      const admin = await on.connect('superuser');
      const off = facts.tables.find(({ name }) => name === 'off')?.oid;
      await admin.query(`alter table off disable trigger "!millrace_${off}"`);
      const read = (await on.source.query<{ s: string }>('select pg_current_snapshot()::text as s')).rows[0]!.s;
      const quiet = await readTriggerFacts(on.source, 'p', { read });
      expect([quiet.schemaVersion, quiet.oldestUnreadSeconds]).to.deep.equal([VERSION, null]);
      await on.writer.query('insert into t values (1)');
      const now = await readTriggerFacts(on.source, 'p', { read });
      expect(now.oldestUnreadSeconds).to.be.within(0, 600);
      expect(now.notedBytes).to.be.greaterThan(0);
      const tables = [...now.tables.values()].map(({ name, hasTriggers, enabled, hasLists, mayMake }) => [
        name,
        hasTriggers,
        enabled,
        hasLists,
        mayMake,
      ]);
      expect(tables).to.deep.equal([
        ...(major >= 15 ? [['lists', false, 'always', true, true]] : []),
        ['none', false, 'always', false, true],
        ['off', true, 'disabled', false, true],
        ['t', true, 'always', false, true],
      ]);
      // What is printed brings them in order, as it stands.
      for (const { name, sql } of now.tables.values()) if (name !== 'lists') await admin.query(sql);
      const after = await readTriggerFacts(on.source, 'p');
      expect(
        [...after.tables.values()]
          .filter(({ name }) => name !== 'lists')
          .map(({ hasTriggers, enabled }) => [hasTriggers, enabled]),
      ).to.deep.equal([
        [true, 'always'],
        [true, 'always'],
        [true, 'always'],
      ]);
      await admin.query(after.schemaSql);
    });

    for (const damage of [
      '',
      'alter schema millrace_capture owner to current_user; alter view millrace_capture.reader owner to postgres',
      `comment on schema millrace_capture is 'left by its reader: millrace removes its triggers'`,
    ])
      it(`say whose the schema is, and what is printed then gives it to a role that is not his: ${damage}`, async () => {
        on = await noted(cluster(), 'create table t (id int primary key); create publication p for table t');
        const { facts } = await on.ensure(['t']);
        const admin = await on.connect('superuser');
        const role = `Zoë's "own" ${process.pid} ${major}`;
        const quoted = quoteIdentifier(role);
        await admin.query(`create role ${quoted} login password 'plain'; alter table t owner to ${quoted}`);
        await admin.query(damage.replaceAll('current_user', quoted));
        const own = openPool({ address: urlAs(on.url, role), max: 3, applicationName: 'test' });
        try {
          const wanted = { tables: facts.tables };
          const find = async () => checkTriggers(await readTriggerFacts(own, 'p'), { database: 'shop', isRead: true });
          const [found] = await find();
          expect([found?.id, found?.remedy]).to.deep.equal(['capture_schema_foreign', 'as a superuser']);
          await sayNeeded(own);
          const refused = await ensureTriggers(own, wanted).catch((error: unknown) => error);
          expect(refused).to.include({ code: 'bad_source', message: found!.summary, remedy: repairText(found!) });
          await admin.query(found!.sql!);
          expect(await find()).to.deep.equal([]);
          await sayNeeded(own);
          await ensureTriggers(own, { ...wanted, onError: 'skip' });
          await on.writer.query('insert into t values (1)');
          expect(await on.lines()).to.deep.equal(['I:  -> (1)']);
          const { snapshot } = await own
            .query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot')
            .then(({ rows }) => rows[0]!);
          expect((await truncateRead(own, { snapshot, currentBytes: 0 })).emptied).to.deep.equal([0]);
          const { rows } = await admin.query(
            "select pg_has_role($1, 'postgres', 'member') as is_member, (select rolsuper from pg_roles where rolname = $1)",
            [role],
          );
          expect(rows).to.deep.equal([{ is_member: false, rolsuper: false }]);
        } finally {
          await own.close();
          await admin.query(`drop owned by ${quoted} cascade; drop role ${quoted}`);
        }
      });
  });
});
