/** A message database with many sinks, and messages that wait in each of them: nothing runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Database } from '../src/db/pool.ts';

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
export const SECRET_KEY = 't5KzQw8RyB1nVh4Xc7LsJf0Gd3MpUa6E';
export const TOKEN = 'a8Zk2mQ7xW4nR9vT3bY6cL1d';

/** Half of them pull consumers, half search indexes. */
export function manySinksYaml(url: string, count: number): string {
  const sinks = Array.from({ length: count }, (_, n) =>
    n % 2 === 0
      ? `  - { name: consumer-${n}, database: bench, destination: { type: pull } }`
      : `  - { name: index-${n}, database: bench, destination: { type: elasticsearch, endpoint_url: "http://127.0.0.1:9", index_name: i${n}, auth_type: none } }`,
  );
  return `
databases:
  - { name: bench, url: ${JSON.stringify(url)}, ssl: false, slot: { name: bench }, publication: { name: bench } }
sinks:
${sinks.join('\n')}
api_tokens:
  - { name: bench, token: ${TOKEN}, scopes: [admin] }
`;
}

export async function migrateWith(url: string, yaml: string): Promise<void> {
  const env = {
    ...process.env,
    DATABASE_URL: url,
    SECRET_KEY,
    HOST: '127.0.0.1',
    CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  };
  const child = spawn(process.execPath, [MAIN, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate ended with ${code}`);
}

/** So many in all, the same number in each sink, a thousandth of them parked; with an hour of counters. */
export async function fill(db: Database, pending: number): Promise<void> {
  await db.query(`insert into millrace_private.positions (database_no, state) select d.no, 'streaming'
    from millrace_private.databases d on conflict (database_no) do update set state = excluded.state`);
  await db.query(`insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
    select d.no, 16400, 'public', 'bench', '"table_schema":"public","table_name":"bench"' from millrace_private.databases d`);
  const { rows } = await db.query<{ no: number; lanes: number; receivable: boolean }>(
    'select no, lanes, receivable from millrace_private.sinks order by no',
  );
  for (const { no, lanes, receivable } of rows) {
    const each = Math.floor(pending / rows.length);
    await db.query(
      `insert into millrace_private.messages_${no} (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
                                                   commit_idx, committed_at, record)
       select ${no}, ${receivable ? '0' : `n % ${lanes}`}, n, n % 5000, 1, 'update', '["' || n % 5000 || '"]', n, 0, now(),
              '{"id":' || n % 5000 || '}'
         from generate_series(1, ${each}) n`,
    );
    await db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at,
                                                      source_table, action, record_pks, committed_at)
       select ${no}, m.id, m.lane, m.group_key, 'parked', 1, 'send', 'refused', now(),
              m.source_table, m.action, m.record_pks, m.committed_at
         from millrace_private.messages_${no} m where m.id % 1000 = 0`,
    );
    await db.query(
      `insert into millrace_private.sink_counters (sink_no, step, at, persisted, delivered, latency)
       select ${no}, 'minute', date_trunc('minute', now()) - n * interval '1 min', 100, 100, array_fill(5::bigint, array[24])
         from generate_series(0, 59) n`,
    );
  }
  await db.query('vacuum analyze');
  await db.query(`insert into millrace_private.capture_beats (database_no, seq, at, next_id)
    select d.no, 1, clock_timestamp() - interval '10 min', 1 from millrace_private.databases d on conflict do nothing`);
}
