/**
 * A change table beside Postgres' own COPY of the same rows into the same table: changes that are already in the WAL, until
 * all are entries of a table in the message database.
 */
import { rm } from 'node:fs/promises';
import { openPool } from '../src/db/pool.ts';
import { TABLE } from './changes.ts';
import { freshChanges, prepareSource, until, untilStreaming } from './drain.ts';
import type { Server } from './server.ts';
import { startService } from './service.ts';

export interface ChangeTableRound {
  perSecond: number;
  copyPerSecond: number;
}

export interface ChangeTable {
  changes: number;
  rounds: ChangeTableRound[];
}

const DEADLINE_MS = 120_000;

export async function changeTable(server: Server, options: { changes: number; rounds: number }): Promise<ChangeTable> {
  const { changes } = options;
  const { source, sourceUrl } = await prepareSource(server);
  const rounds: ChangeTableRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    await freshChanges(source, { slot: `retain_${round}`, changes });
    rounds.push(await measure(server, { sourceUrl, round, changes }));
  }
  await source.close();
  return { changes, rounds };
}

async function measure(
  server: Server,
  { sourceUrl, round, changes }: { sourceUrl: string; round: number; changes: number },
): Promise<ChangeTableRound> {
  const name = `bench_messages_${round}`;
  const messagesUrl = await server.database(name);
  const messages = openPool({
    address: messagesUrl,
    max: 1,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: DEADLINE_MS,
  });
  const slot = `retain_${round}`;
  const service = await startService({
    messagesUrl,
    sourceUrl,
    slot,
    receiverUrl: '',
    declared: declaration(messagesUrl),
  });
  let perSecond: number;
  try {
    const begunAt = await Promise.race([service.failed, untilStreaming(server, slot)]);
    const done = until('every change is an entry', async () => {
      const sql = `select coalesce(pg_sequence_last_value(to_regclass('public.events_id_seq')), 0)::int as entries`;
      const { rows } = await messages.query<{ entries: number }>(sql);
      return rows[0]!.entries >= changes ? Date.now() : undefined;
    });
    perSecond = changes / (((await Promise.race([service.failed, done])) - begunAt) / 1000);
    await until('the last batch is settled', async () => {
      const { rows } = await messages.query<{ entries: number }>('select count(*)::int as entries from public.events');
      if (rows[0]!.entries > changes) throw new Error(`${rows[0]!.entries} entries for ${changes} changes`);
      return rows[0]!.entries === changes ? true : undefined;
    });
  } finally {
    await service.stop();
  }
  const file = `/tmp/millrace-bench-events-${process.pid}-${round}`;
  try {
    const columns =
      'seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk, record, changes, action, committed_at';
    await messages.query(`copy (select ${columns} from public.events order by id) to '${file}'`);
    await messages.query('create table public.copied (like public.events including all)');
    const start = performance.now();
    await messages.query(`copy public.copied (${columns}) from '${file}'`);
    return { perSecond, copyPerSecond: changes / ((performance.now() - start) / 1000) };
  } finally {
    await messages.close();
    await rm(file, { force: true });
    await server.admin.query(`drop database ${name} with (force)`);
  }
}

const declaration = (messagesUrl: string): string => `
  - { name: home, url: ${JSON.stringify(messagesUrl)}, ssl: false }

change_retentions:
  - name: events
    source_database: bench
    source_table_name: ${TABLE}
    destination_database: home
    destination_table_name: events
    create_if_not_exists: true
`;
