/**
 * What a role without any rights but `create` on schema public can plant there for others to run: functions, aggregates,
 * operators, types and views under the names of all those of pg_catalog. Each says that it ran, whatever becomes of the
 * transaction, and fails. Who has `public` before pg_catalog in the path runs them with every unqualified name.
 */
import pg from 'pg';

/** The worst path that an owner of a database may give to a role. */
export const HOSTILE_PATH = 'public, pg_catalog';

const PLANT = `
set search_path = pg_catalog;
do $$ begin create role mallory nologin; exception when duplicate_object then null; end $$;
create schema mallory authorization mallory;
grant create, usage on schema public to mallory;
grant usage on schema mallory to public;
set role mallory;
create sequence mallory.ran;
grant usage, update, select on sequence mallory.ran to public;
create function mallory.ran(name text) returns boolean language plpgsql set search_path = pg_catalog as $$
begin
  perform nextval('mallory.ran');
  raise 'a trojan ran: %', name;
end $$;
do $$
declare
  f record;
  planted integer := 0;
begin
  for f in
    select p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result
      from pg_proc p
     where p.pronamespace = 'pg_catalog'::regnamespace and p.prorettype not in (2281, 2275, 2279, 3838)
       and not (p.proargtypes::oid[] && array[2281, 2275, 2276]::oid[])
  loop
    begin
      execute format('create function public.%I(%s) returns %s language plpgsql as %L', f.name, f.arguments, f.result,
                     format('begin perform mallory.ran(%L); end', 'function ' || f.name));
      planted := planted + 1;
    exception when others then null;
    end;
  end loop;
  if planted < 2000 then raise 'only % functions could be planted', planted; end if;
  planted := 0;
  for f in
    select o.oprname as name, format_type(o.oprleft, null) as "left", format_type(o.oprright, null) as "right",
           format_type(o.oprresult, null) as result, row_number() over () as n, o.oprleft
      from pg_operator o where o.oprnamespace = 'pg_catalog'::regnamespace
  loop
    begin
      execute format('create function mallory.operator_%s(%s %s) returns %s language plpgsql as %L', f.n,
                     case when f.oprleft = 0 then '' else f.left || ', ' end, f.right, f.result,
                     format('begin perform mallory.ran(%L); end', 'operator ' || f.name));
      execute format('create operator public.%s (%s rightarg = %s, function = mallory.operator_%s)', f.name,
                     case when f.oprleft = 0 then '' else format('leftarg = %s, ', f.left) end, f.right, f.n);
      planted := planted + 1;
    exception when others then null;
    end;
  end loop;
  if planted < 500 then raise 'only % operators could be planted', planted; end if;
  planted := 0;
  for f in
    select t.typname as name from pg_type t
     where t.typnamespace = 'pg_catalog'::regnamespace and t.typtype in ('b', 'r') and t.typname not like '\\_%'
  loop
    begin
      execute format('create domain public.%I as pg_catalog.%I check (mallory.ran(%L))', f.name, f.name, 'type ' || f.name);
      planted := planted + 1;
    exception when others then null;
    end;
  end loop;
  if planted < 50 then raise 'only % types could be planted', planted; end if;
  for f in
    select c.relname as name from pg_class c
     where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind in ('r', 'v')
  loop
    begin
      execute format('create view public.%I as select x.* from pg_catalog.%I x where mallory.ran(%L)', f.name, f.name,
                     'view ' || f.name);
      execute format('grant select on public.%I to public', f.name);
    exception when others then null;
    end;
  end loop;
end $$;
reset role;
`;

/** As the superuser of this address. */
export async function plantTrojans(url: string): Promise<void> {
  await asked(url, PLANT);
}

/** How often one of them ran in this database. */
export async function trojansRan(url: string): Promise<number> {
  const rows = await asked(url, 'select case when is_called then last_value else 0 end as n from mallory.ran');
  return Number(rows[0]!.n);
}

async function asked(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, options: '-c search_path=pg_catalog' });
  await client.connect();
  try {
    const answer: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
    return Array.isArray(answer) ? [] : answer.rows;
  } finally {
    await client.end();
  }
}
