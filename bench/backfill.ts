/**
 * The whole sample database backfilled: rows read, taken into the message table, sent in bulk, settled. Beside it, by turns,
 * the same rows drained from the WAL that their inserts wrote, and `copy ... to stdout` of the same tables on one connection,
 * its bytes thrown away.
 */
import { copyOut } from '../src/db/copy-out.ts';
import { type Database, openPool } from '../src/db/pool.ts';
import { PUBLICATION } from './changes.ts';
import { type Drained, drainOnce, less, SELDOM_MS, until } from './drain.ts';
import { cpuOf, serverCpu, watchMemory } from './processes.ts';
import { createSample, sampleTables } from './sample/database.ts';
import type { Server } from './server.ts';
import { startReceiver, startService } from './service.ts';

export interface BackfillOptions {
  rows: number;
  rounds: number;
}

export interface BackfillRound {
  copyPerSecond: number;
  /** The inserts of the same rows, from the WAL. */
  drained: Drained;
  /** Until the last row was read and is in the message table. */
  readPerSecond: number;
  /** Until the last row has arrived at the receiver. */
  perSecond: number;
  rolesCpu: number | undefined;
  serverCpu: number | undefined;
  peakRssBytes: number | undefined;
}

export interface Backfill {
  rows: number;
  bytes: number;
  tables: number;
  rounds: BackfillRound[];
}

const STATEMENT_MS = 120_000;

export async function backfill(server: Server, options: BackfillOptions): Promise<Backfill> {
  const measured: (Omit<Backfill, 'rounds'> & { round: BackfillRound })[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    measured.push(await onSample(server, { round, atLeast: options.rows }));
  }
  const { rows, bytes, tables } = measured[0]!;
  return { rows, bytes, tables, rounds: measured.map(({ round }) => round) };
}

/** On a sample database of its own: see drain.ts. */
async function onSample(
  server: Server,
  { round, atLeast }: { round: number; atLeast: number },
): Promise<Omit<Backfill, 'rounds'> & { round: BackfillRound }> {
  const sourceUrl = await server.database(`bench_sample_${round}`);
  const source = openPool({
    address: sourceUrl,
    max: 1,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: STATEMENT_MS,
  });
  try {
    await createSample(source, {
      rows: atLeast,
      async beforeRows() {
        await source.query(
          `create publication ${PUBLICATION} for tables in schema sample with (publish_via_partition_root = true)`,
        );
        await source.query(`select pg_create_logical_replication_slot('drain_${round}', 'pgoutput')`);
      },
    });
    await source.query('vacuum analyze');
    const tables = (await sampleTables(source)).map(({ sql }) => sql);
    let rows = 0;
    for (const table of tables) {
      const { rows: counted } = await source.query<{ count: number }>(`select count(*) from ${table}`);
      rows += counted[0]!.count;
    }
    await copyAll(source, tables);
    const { bytes, seconds } = await copyAll(source, tables);
    const drained = await drainOnce(server, { sourceUrl, round, changes: rows });
    const ours = await backfillOnce(server, { sourceUrl, round, rows });
    return { rows, bytes, tables: tables.length, round: { ...ours, drained, copyPerSecond: rows / seconds } };
  } finally {
    await source.close();
  }
}

async function copyAll(source: Database, tables: readonly string[]): Promise<{ seconds: number; bytes: number }> {
  let bytes = 0;
  const begun = performance.now();
  await source.session(async (client) => {
    for (const table of tables) {
      await copyOut(client, { sql: `copy (select * from ${table}) to stdout` }, (line) => {
        bytes += line.length;
      });
    }
  });
  return { seconds: (performance.now() - begun) / 1_000, bytes };
}

async function backfillOnce(
  server: Server,
  input: { sourceUrl: string; round: number; rows: number },
): Promise<Omit<BackfillRound, 'copyPerSecond' | 'drained'>> {
  const { sourceUrl, round, rows } = input;
  const slot = `backfill_${round}`;
  const name = `bench_messages_${round}`;
  const messagesUrl = await server.database(name);
  const receiver = await startReceiver({ arrivals: false });
  const messages = openPool({ address: messagesUrl, max: 1, applicationName: 'bench', path: 'role' });
  try {
    const service = await startService({ messagesUrl, sourceUrl, slot, receiverUrl: receiver.url });
    const memory = watchMemory(service.pids);
    const unlessItFails = <Value>(work: Promise<Value>): Promise<Value> => Promise.race([service.failed, work]);
    try {
      await unlessItFails(untilThere(messages, "select from millrace.database_status where state = 'streaming'"));
      const before = { roles: cpuOf(service.pids), server: serverCpu(server.pid)?.others };
      const begun = Date.now();
      await messages.query("select millrace.backfill('bench')");
      const readAt = await unlessItFails(untilRead(messages));
      const lastAt = await unlessItFails(
        until(
          'every row has arrived',
          async () => {
            const { operations, lastAt } = await receiver.stats();
            return operations >= rows ? lastAt : undefined;
          },
          SELDOM_MS,
        ),
      );
      await unlessItFails(untilThere(messages, 'select where not exists (select from millrace_private.messages)'));
      const { operations } = await receiver.stats();
      if (operations !== rows) throw new Error(`${operations} operations for ${rows} rows`);
      return {
        readPerSecond: rows / ((readAt - begun) / 1_000),
        perSecond: rows / ((lastAt - begun) / 1_000),
        rolesCpu: less(cpuOf(service.pids), before.roles),
        serverCpu: less(serverCpu(server.pid)?.others, before.server),
        peakRssBytes: memory.stop(),
      };
    } finally {
      memory.stop();
      await service.stop();
    }
  } finally {
    await messages.close();
    await receiver.stop();
    await server.admin.query(`drop database ${name} with (force)`);
  }
}

const untilThere = (messages: Database, sql: string): Promise<true> =>
  until(sql, async () => ((await messages.query(sql)).rows.length > 0 ? true : undefined));

/** Milliseconds since 1970. */
const untilRead = (messages: Database): Promise<number> =>
  until(
    'every table was read',
    async () => {
      const { rows } = await messages.query<{ open: number; failed: string | null }>(
        `select count(*) filter (where state <> 'done') as open,
              max(table_name || ': ' || reason) filter (where state = 'failed') as failed
         from millrace.backfill_status`,
      );
      if (rows[0]!.failed !== null) throw new Error(rows[0]!.failed);
      return rows[0]!.open === 0 ? Date.now() : undefined;
    },
    SELDOM_MS,
  );
