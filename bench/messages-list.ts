/**
 * What the console's list of messages costs the message database: a million messages of one sink, a fifth of them parked; its pages,
 * filters and groups of errors, in milliseconds of the statement and of its session's CPU, as a web role asks.
 */

import { countMessages, listMessages, type MessageFilter } from '../src/admin/list-messages.ts';
import { groupMessages } from '../src/admin/message-groups.ts';
import { type Database, openPool } from '../src/db/pool.ts';
import { quantile } from './figures.ts';
import { manySinksYaml, migrateWith } from './many-sinks.ts';
import { cpuOf } from './processes.ts';
import type { Server } from './server.ts';

const LIMIT = 200;
const ASKED = 20;
const PARKED_PART = 5;
const TABLE = 'public.bench';

export interface MessagesList {
  pending: number;
  rounds: { what: string; p50Ms: number; p95Ms: number; cpuMs: number | undefined }[];
}

export async function messagesList(server: Server, { pending }: { pending: number }): Promise<MessagesList> {
  const url = await server.database('bench_messages');
  await migrateWith(url, manySinksYaml(url, 2));
  const db = openPool({ address: url, max: 1, applicationName: 'bench', path: 'role', statementTimeoutMs: 600_000 });
  const sinkNo = await fill(db, pending);
  await db.close();
  const reader = openPool({ address: url, max: 1, applicationName: 'bench', queue: true });
  try {
    const rounds: MessagesList['rounds'] = [];
    const { rows } = await reader.query<{ pid: number }>('select pg_catalog.pg_backend_pid() as pid');
    const pids = [rows[0]!.pid];
    for (const [what, ask] of casesOf(reader, sinkNo, pending)) {
      await ask();
      const took: number[] = [];
      const before = cpuOf(pids);
      for (let time = 0; time < ASKED; time += 1) {
        const begun = performance.now();
        await ask();
        took.push(performance.now() - begun);
      }
      const after = cpuOf(pids);
      const cpuMs = before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / ASKED;
      rounds.push({ what, p50Ms: quantile(took, 0.5), p95Ms: quantile(took, 0.95), cpuMs });
    }
    return { pending, rounds };
  } finally {
    await reader.close();
  }
}

function casesOf(db: Database, sinkNo: number, pending: number): [string, () => Promise<unknown>][] {
  const list =
    (filter: MessageFilter, after = 0) =>
    () =>
      listMessages(db, sinkNo, { filter, after, limit: LIMIT });
  return [
    ['first page', list({})],
    ['a page in the middle', list({}, pending / 2)],
    ['last page', list({}, pending - LIMIT)],
    ['parked ones', list({ state: 'parked' })],
    ['parked ones, a page in their middle', list({ state: 'parked' }, pending / 2)],
    ['by key', list({ key: '4999' })],
    ['by a key that none has and its table, among parked ones', list({ state: 'parked', table: TABLE, key: '77777' })],
    [
      'by an action that none has and its table, among parked ones',
      list({ state: 'parked', table: TABLE, action: 'read' }),
    ],
    ['by a state that none has', list({ state: 'held' })],
    ['by an error that none has, 50,000 looked at', list({ state: 'parked', error: 'nothing like it' })],
    ['what is new, nothing', list({}, pending)],
    ['groups of errors', () => groupMessages(db, sinkNo)],
    ['counted by table', () => countMessages(db, sinkNo, { table: TABLE })],
    ['counted by key', () => countMessages(db, sinkNo, { key: '4999' })],
  ];
}

/** Of the search index; those that are parked have two causes, with their own numbers in them. */
async function fill(db: Database, pending: number): Promise<number> {
  await db.query(`insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
    select d.no, 16400, 'public', 'bench', '"table_schema":"public","table_name":"bench"' from millrace_private.databases d`);
  const { rows } = await db.query<{ no: number }>(
    "select s.no from millrace_private.sinks s where s.kind = 'search_index' order by s.no limit 1",
  );
  const no = rows[0]!.no;
  await db.query(
    `insert into millrace_private.messages_${no} (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
                                                 commit_idx, committed_at, record)
     select ${no}, n % 2, n, n % 5000, 1, 'update', '["' || n % 5000 || '"]', n, 0, now(), '{"id":' || n % 5000 || '}'
       from generate_series(1, ${pending}) n`,
  );
  await db.query(
    `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at,
                                                    source_table, action, record_pks, committed_at)
     select ${no}, m.id, m.lane, m.group_key, 'parked', 1, 'send',
            case when m.id % 3 = 0 then 'version_conflict_engine_exception: [' || m.id || ']'
                 else 'mapper_parsing_exception: failed to parse field [price] of document ' || m.id end, now(),
            m.source_table, m.action, m.record_pks, m.committed_at
       from millrace_private.messages_${no} m where m.id % ${PARKED_PART} = 0`,
  );
  await db.query('vacuum analyze');
  return no;
}
