/** A database whose changes triggers note, and a role that writes there and may do nothing else. */
import pg from 'pg';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { type Ensured, ensureTriggers } from '../../../src/source/triggers/ensure.ts';
import type { Wanted } from '../../../src/source/triggers/noting.ts';
import type { Cluster } from '../../support/postgres/postgres.ts';

export interface NotedChange {
  table: string;
  op: string;
  old: string | null;
  new: string | null;
}

export interface Noted {
  source: Database;
  url: string;
  /** Of the role that writes. */
  writer: pg.Client;
  connect(role?: 'writer' | 'superuser'): Promise<pg.Client>;
  /** For these tables, by their names in SQL. */
  ensure(tables: readonly string[], options?: Omit<Wanted, 'tables'>): Promise<Ensured>;
  /** What was noted since the last call: `table` without its schema, rows as composite texts. */
  changes(): Promise<NotedChange[]>;
  /** The same, as `I: -> (1,x)`. */
  lines(): Promise<string[]>;
  close(): Promise<void>;
}

/** `sql` is run as a superuser; the writer may use schema public and what it grants. */
export async function noted(cluster: Cluster, sql: string): Promise<Noted> {
  const database = await cluster.createDatabase();
  const source = openPool({ address: database.url, max: 3, applicationName: 'test' });
  const clients: pg.Client[] = [];
  const connect: Noted['connect'] = async (role = 'writer') => {
    const url = new URL(database.url);
    const client = new pg.Client({
      ...{ host: url.hostname, port: Number(url.port), user: url.username, password: url.password },
      database: database.name,
    });
    await client.connect();
    clients.push(client);
    if (role === 'writer') await client.query('set session authorization writer');
    return client;
  };
  const superuser = await connect('superuser');
  await superuser.query(
    `do $$ begin create role writer; exception when duplicate_object then null; end $$;
     grant all on schema public to writer; alter default privileges grant all on tables to writer;
     alter default privileges grant all on sequences to writer; alter default privileges grant all on schemas to writer;
     alter default privileges revoke execute on functions from public; ${sql}`,
  );
  const writer = await connect();
  let seen = 0;
  const noted: Noted = {
    source,
    url: database.url,
    writer,
    connect,
    async ensure(tables, options = {}) {
      const { rows } = await superuser.query<{ oid: string; schema: string; name: string }>(
        `select c.oid, n.nspname as schema, c.relname as name from unnest($1::text[]) t
           join pg_class c on c.oid = t::regclass join pg_namespace n on n.oid = c.relnamespace`,
        [tables],
      );
      return await ensureTriggers(source, {
        ...options,
        tables: rows.map(({ oid, schema, name }) => ({ oid: Number(oid), schema, name })),
      });
    },
    async changes() {
      const { rows } = await superuser.query<NotedChange & { seq: string }>(
        `select n.seq, coalesce(c.relname::text, n.rel::text) as table, n.op::text as op, n.old, n.new
           from millrace_capture.changes n left join pg_class c on c.oid = n.rel where n.seq > $1 order by n.seq`,
        [seen],
      );
      seen = Number(rows.at(-1)?.seq ?? seen);
      return rows.map(({ table, op, old, new: after }) => ({ table, op, old, new: after }));
    },
    async lines() {
      return (await noted.changes()).map(({ op, old, new: after }) => `${op}: ${old ?? ''} -> ${after ?? ''}`);
    },
    async close() {
      await Promise.allSettled(clients.map((client) => client.end()));
      await source.close();
      await database.drop();
    },
  };
  return noted;
}
