/** What checks hear of a source whose changes triggers note. */
import { expect } from 'chai';
import { checkTriggers } from '../../../src/checks/triggers.ts';
import { readTriggerFacts } from '../../../src/source/triggers/for-checks.ts';
import { VERSION } from '../../../src/source/triggers/texts.ts';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

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

    it('say whose the schema is, and the grant that is printed then is all that is missing', async () => {
      on = await noted(cluster(), 'create table t (id int primary key); create publication p for table t');
      await on.ensure(['t']);
      const admin = await on.connect('superuser');
      const role = `other_${process.pid}_${major}`;
      await admin.query(`create role ${role}`);
      try {
        await admin.query(`alter schema millrace_capture owner to ${role}`);
        const asWriter = async () =>
          await on.source.transaction(async (tx) => {
            await tx.query('set local role writer');
            // biome-ignore lint/suspicious/noExplicitAny: the pool of one transaction
            const facts = await readTriggerFacts(tx as any, 'p');
            return checkTriggers(facts, { database: 'shop', isRead: true });
          });
        const [found] = await asWriter();
        expect([found?.id, found?.sql]).to.deep.equal(['capture_schema_foreign', `grant "${role}" to "writer"`]);
        await admin.query(`alter table millrace_capture.about owner to ${role}; ${found?.sql}`);
        expect(await asWriter()).to.deep.equal([]);
      } finally {
        await admin.query(`drop owned by ${role} cascade; drop role ${role}`);
      }
    });
  });
});
