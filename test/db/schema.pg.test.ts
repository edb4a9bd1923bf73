import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

/** The schema as one text, from the catalogs: MILLRACE_WRITE_SCHEMA=1 writes it anew after a migration. */
const DUMP = new URL('../schema.txt', import.meta.url);
const DESCRIBE = `
  select 'column ' || n.nspname || '.' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull then ' not null' else '' end as line
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where n.nspname in ('millrace', 'millrace_private') and c.relkind in ('r', 'p', 'v')
  union all
  select 'index ' || indexdef from pg_indexes where schemaname = 'millrace_private'
  union all
  select 'constraint ' || r.conrelid::regclass || ' ' || r.conname || ' ' || pg_get_constraintdef(r.oid)
    from pg_constraint r join pg_namespace n on n.oid = r.connamespace
   where n.nspname = 'millrace_private' and r.contype <> 'n'
  union all
  select 'function ' || n.nspname || '.' || p.proname || '(' || pg_get_function_arguments(p.oid) || ') '
         || coalesce(pg_get_function_result(p.oid), '')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('millrace', 'millrace_private')
  order by 1`;

describe('the schema', () => {
  let on: MessageDatabase;
  before(async () => {
    on = await messageDatabase();
  });
  after(async () => await on.drop());

  it('is the one that was looked at: a migration that changes it changes test/schema.txt', async () => {
    const { rows } = await on.db.query<{ line: string }>(DESCRIBE);
    const text = `${rows.map((row) => row.line).join('\n')}\n`;
    if (process.env.MILLRACE_WRITE_SCHEMA) writeFileSync(DUMP, text);
    expect(text).to.equal(readFileSync(DUMP, 'utf8'));
  });

  it('explains every view, and every function of the public contract', async () => {
    const { rows } = await on.db.query<{ name: string }>(`
      select c.oid::regclass::text as name from pg_class c
       where c.relnamespace = 'millrace'::regnamespace and c.relkind = 'v' and obj_description(c.oid, 'pg_class') is null
      union all
      select p.oid::regprocedure::text from pg_proc p
       where p.pronamespace = 'millrace'::regnamespace and obj_description(p.oid, 'pg_proc') is null`);
    expect(rows).to.deep.equal([]);
  });

  it('has no function that looks names up where its caller does', async () => {
    const { rows } = await on.db.query<{ name: string }>(`
      select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace in ('millrace'::regnamespace, 'millrace_private'::regnamespace)
         and p.prokind <> 'p' and p.prosqlbody is null
         and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']`);
    expect(rows).to.deep.equal([]);
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
});
