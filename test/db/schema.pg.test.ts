import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { PARSED, readDefinitions } from '../../src/db/definitions.ts';
import { openPool } from '../../src/db/pool.ts';
import { dumpSchema } from '../support/postgres/dump-schema.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

const DUMP = new URL('../schema.sql', import.meta.url);
const OTHER =
  'test/schema.sql is not the schema: write it with MILLRACE_WRITE_SCHEMA=1 npx mocha test/db/schema.pg.test.ts, then look at git diff';

describe('the schema', () => {
  let on: MessageDatabase;
  before(async () => {
    on = await messageDatabase();
  });
  after(async () => await on.drop());

  it('is the one that was looked at: whoever changes it changes test/schema.sql', async () => {
    const text = await dumpSchema(on.db);
    if (process.env.MILLRACE_WRITE_SCHEMA) writeFileSync(DUMP, text);
    expect(text, OTHER).to.equal(readFileSync(DUMP, 'utf8'));
  });

  it('has definitions that can be applied again, with bodies that Postgres accepts', async () => {
    const before = await dumpSchema(on.db);
    await on.db.transaction(async (tx) => {
      await tx.query('set local check_function_bodies = on');
      await tx.query('set local search_path = pg_catalog, pg_temp');
      for (const { text } of readDefinitions()) await tx.query(text);
    });
    expect(await dumpSchema(on.db)).to.equal(before);
  });

  it('has one definition a file, named like it, below what must stay true', async () => {
    for (const { name, text } of readDefinitions().filter(({ name }) => !['dropped', 'grants'].includes(name))) {
      expect(text, name).to.match(/^(-- .*\n|--\n)+create or replace (function|procedure|view) \w+\.(\w+)/);
      const made = [...text.matchAll(/^create or replace (?:function|procedure|view) \w+\.(\w+)/gm)].map((m) => m[1]);
      expect(made, name).to.deep.equal([name.slice(name.indexOf('/') + 1)]);
    }
  });

  it('has no function of more than 80 lines', () => {
    for (const { name, text } of readDefinitions()) {
      const [definition = ''] = text.slice(text.indexOf('create or replace')).split('\ncomment on ');
      expect(definition.trim().split('\n').length, name).to.be.at.most(80);
    }
  });

  it('makes its views in an order of their own, which names them all', () => {
    const views = readDefinitions().flatMap(({ name }) => (name.startsWith('views/') ? [name] : []));
    expect(PARSED.filter((name) => name.startsWith('views/'))).to.deep.equal(views);
  });

  it('explains every view, and every function of the public contract', async () => {
    const { rows } = await on.db.query<{ name: string }>(`
      select c.oid::regclass::text as name from pg_class c
       where c.relnamespace = 'millrace'::regnamespace and c.relkind = 'v' and obj_description(c.oid, 'pg_class') is null
      union all
      select p.oid::regprocedure::text from pg_proc p
       where p.pronamespace = 'millrace'::regnamespace and obj_description(p.oid, 'pg_proc') is null`);
    expect(rows, 'no `comment on` in the file of').to.deep.equal([]);
  });

  it('has no function that looks names up where its caller does', async () => {
    const { rows } = await on.db.query<{ name: string }>(`
      select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace in ('millrace'::regnamespace, 'millrace_private'::regnamespace)
         and p.prokind <> 'p' and p.prosqlbody is null
         and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']`);
    expect(rows, 'no `set search_path = pg_catalog, pg_temp` in').to.deep.equal([]);
  });

  it('lets a reader look at the views, and do nothing else', async () => {
    await on.db.transaction(async (tx) => {
      await tx.query('set local role millrace_reader');
      for (const view of ['pending_messages', 'parked_messages', 'sink_status', 'consumer_status', 'database_status'])
        await tx.query(`select * from millrace.${view}`);
      await tx.query('select * from millrace.metrics()');
    });
    for (const forbidden of [
      'select * from millrace_private.messages',
      "select millrace.pause('x')",
      "select * from millrace.receive('x')",
    ]) {
      const error = await on.db
        .transaction(async (tx) => {
          await tx.query('set local role millrace_reader');
          await tx.query(forbidden);
        })
        .then(
          () => undefined,
          (thrown: Error & { code?: string }) => thrown.code,
        );
      expect(error, forbidden).to.equal('42501');
    }
  });

  it('has no function that finds rows by index, and may start parallel workers for that', async () => {
    const { rows } = await on.db.query<{ name: string; isAlone: boolean }>(
      `select p.oid::regproc::text as name, 'max_parallel_workers_per_gather=0' = any (p.proconfig) as "isAlone"
           from pg_proc p where p.pronamespace::regnamespace::text like 'millrace%' and 'jit=off' = any (p.proconfig)`,
    );
    expect(rows.map(({ name }) => name)).to.include('millrace.ack');
    expect(rows.filter(({ isAlone }) => !isAlone)).to.deep.equal([]);
    const queue = openPool({ address: on.url, max: 1, applicationName: 'test', queue: true });
    const shown = await queue.query('show max_parallel_workers_per_gather').finally(() => queue.close());
    expect(shown.rows).to.deep.equal([{ max_parallel_workers_per_gather: '0' }]);
  });
});
