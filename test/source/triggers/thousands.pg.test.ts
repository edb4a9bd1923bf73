/** Where triggers note the changes of very many tables, each look at them compares none with all the others. */
import { expect } from 'chai';
import { openPool } from '../../../src/db/pool.ts';
import { ensureTriggers } from '../../../src/source/triggers/ensure.ts';
import { sharedSource } from '../../support/postgres/postgres.ts';
import { noted } from './noted.ts';

describe('functions that note changes', () => {
  it('are looked through in a moment, also twenty thousand of them, and those of no table that is listed go', async () => {
    const on = await noted(await sharedSource(), 'create table t (id int primary key)');
    // What compares the name of each function with each of the list takes longer on any machine.
    const hurried = openPool({ address: on.url, max: 1, applicationName: 'test', statementTimeoutMs: 8_000 });
    try {
      await on.ensure(['t']);
      await on.source.query(
        `do $$ begin for n in 0..20000 loop
           execute format('create function millrace_capture.table_%s() returns trigger language plpgsql as ''begin return null; end''',
                          100000000 + n);
         end loop; end $$`,
      );
      const oids = Array.from({ length: 20_000 }, (_, n) => 100_000_000 + n);
      await ensureTriggers(hurried, { tables: oids.map((oid) => ({ oid, schema: 'public', name: `t${oid}` })) });
      const { rows } = await on.source.query(
        `select p.proname from pg_proc p where p.proname like 'table\\_1000%' and p.proname >= 'table_10001999' order by 1`,
      );
      expect(rows).to.have.length(10);
    } finally {
      await hurried.close();
      await on.close();
    }
  });

  it('leave no setting for each table in the session that looks after them', async () => {
    const on = await noted(await sharedSource(), 'create table t (id int primary key); create table other (id int)');
    const pool = openPool({ address: on.url, max: 1, applicationName: 'test' });
    try {
      await on.ensure(['t', 'other']);
      const { rows: tables } = await pool.query<{ oid: number; schema: string; name: string }>(
        `select c.oid::bigint as oid, 'public' as schema, c.relname::text as name from pg_class c
          where c.oid in ('public.t'::regclass, 'public.other'::regclass)`,
      );
      await ensureTriggers(pool, { tables });
      const { rows } = await pool.query<{ kept: string | null }>(
        `select current_setting('millrace.shape_' || c.oid, true) as kept from unnest($1::bigint[]) c (oid)`,
        [tables.map(({ oid }) => oid)],
      );
      expect(rows.map(({ kept }) => kept)).to.deep.equal([null, null]);
    } finally {
      await pool.close();
      await on.close();
    }
  });
});
