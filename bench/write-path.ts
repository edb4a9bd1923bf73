/**
 * What a write costs its own session where triggers note its changes: beside none at all, beside an outbox that an application
 * would write for itself, and beside a trigger that notifies, as PGSync's does. CPU of the backend, by turns.
 */
import { type Database, openPool } from '../src/db/pool.ts';
import { ensureTriggers } from '../src/source/triggers/ensure.ts';
import { cpuOf } from './cpu.ts';
import type { Server } from './server.ts';

const WAYS = ['none', 'notify', 'outbox', 'ours'] as const;
type Way = (typeof WAYS)[number];

/** Microseconds of CPU: of a transaction that updates a row, and of one row among many. */
export type WriteCost = Record<'single' | 'update' | 'copy', number>;

export interface WritePath {
  rounds: Record<Way, WriteCost>[];
}

const SINGLES = 4_000;
const UPDATED = 1_000;
const UPDATES = 5;
const COPIED = 100_000;

const TABLES = `
  create table public.orders (id int primary key, customer text, amount numeric(12, 2), at timestamptz not null, lines jsonb, tags text[]);
  insert into public.orders select n, 'customer ' || n, n, now(), '{"sku": "a-1", "count": 2}', '{new,paid}' from generate_series(1, 10000) n;
  create table public.copied (like public.orders including all);
  create table public.kept_outbox (id bigint generated always as identity primary key, op text, tab text, old jsonb, new jsonb, at timestamptz default now());
  create function public.outbox() returns trigger language plpgsql as $$
  begin
    insert into public.kept_outbox (op, tab, old, new)
    values (tg_op, tg_table_name, case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end);
    return null;
  end $$;
  create materialized view public._view as
    select t.name as table_name, array['id'] as primary_keys, '{}'::text[] as foreign_keys, array['orders'] as indices
      from unnest(array['orders', 'copied']) t (name);
  create function public.notify() returns trigger language plpgsql as $$
  declare
    old_row json;
    new_row json;
    keys text[];
    foreign_keys text[];
    indices text[];
  begin
    select v.primary_keys, v.foreign_keys, v.indices into keys, foreign_keys, indices from public._view v where v.table_name = tg_table_name;
    new_row := row_to_json(new);
    new_row := (select jsonb_object_agg(e.key, e.value) from json_each(new_row) e where e.key = any (keys || foreign_keys));
    if tg_op = 'UPDATE' then
      old_row := row_to_json(old);
      old_row := (select jsonb_object_agg(e.key, e.value) from json_each(old_row) e where e.key = any (keys || foreign_keys));
    end if;
    perform pg_notify(current_database(), jsonb_build_object('xmin', new.xmin::text::bigint, 'new', new_row, 'old', old_row, 'indices', indices,
                                                            'tg_op', tg_op, 'table', tg_table_name, 'schema', tg_table_schema)::text);
    return new;
  end $$;`;

export async function writePath(server: Server, { rounds }: { rounds: number }): Promise<WritePath> {
  const address = await server.database('write_path');
  const source = openPool({ address, max: 1, applicationName: 'bench', statementTimeoutMs: 600_000 });
  const measured: WritePath['rounds'] = [];
  try {
    await source.query(TABLES);
    for (let round = 0; round < rounds; round += 1) {
      const costs: Partial<Record<Way, WriteCost>> = {};
      for (const way of WAYS) {
        await put(source, way);
        costs[way] = await costOf(source);
      }
      measured.push(costs as Record<Way, WriteCost>);
    }
    return { rounds: measured };
  } finally {
    await source.close();
  }
}

/** Nothing of the others is left. */
async function put(source: Database, way: Way): Promise<void> {
  const { rows } = await source.query<{ oid: number; name: string }>(
    "select oid::bigint as oid, relname::text as name from pg_class where relname in ('orders', 'copied') and relkind = 'r'",
  );
  for (const { name } of rows) await source.query(`drop trigger if exists theirs on public.${name}`);
  if (way !== 'none' && way !== 'ours')
    for (const { name } of rows)
      await source.query(
        `create trigger theirs after insert or update on public.${name} for each row execute function public.${way}()`,
      );
  await ensureTriggers(source, { tables: way === 'ours' ? rows.map((row) => ({ ...row, schema: 'public' })) : [] });
  await source.query('truncate public.copied, public.kept_outbox, millrace_capture.changes');
  await source.query('vacuum analyze public.orders');
}

async function costOf(source: Database): Promise<WriteCost> {
  return await source.session(async (client) => {
    const run = async (sql: string): Promise<number> => {
      const before = await cpuOf(pid);
      await client.query(sql);
      return (await cpuOf(pid)) - before;
    };
    const pid = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
    const singles = (count: number): string =>
      `do $$ begin for n in 1..${count} loop update public.orders set amount = amount + 1 where id = n; commit; end loop; end $$`;
    await run(singles(500));
    const single = (await run(singles(SINGLES))) / SINGLES;
    let update = 0;
    for (let n = 0; n < UPDATES; n += 1)
      update += (await run(`update public.orders set amount = amount + 1 where id <= ${UPDATED}`)) / UPDATED / UPDATES;
    const copy = (await run(await copySql(client))) / COPIED;
    return { single, update, copy };
  });
}

/** From a file that the server wrote itself. */
async function copySql(client: { query(sql: string): Promise<{ rows: { dir?: string }[] }> }): Promise<string> {
  const { rows } = await client.query("select current_setting('data_directory') as dir");
  const file = `${rows[0]!.dir}/copied`;
  await client.query(
    `copy (select n, 'customer ' || n, n, now(), '{"sku": "a-1", "count": 2}'::jsonb, '{new,paid}'::text[] from generate_series(1, ${COPIED}) n) to '${file}'`,
  );
  return `copy public.copied from '${file}'`;
}
