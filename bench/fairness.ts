/**
 * Fairness: what do one sink that is dead, one that answers after seconds and one with a million messages pending cost the
 * others? Twenty search sinks, a table each, changed by turns at a steady rate; the time from the insert to its bulk
 * request, of the seventeen that are well: with the three paused, and with them at it.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { type Database, openPool } from '../src/db/pool.ts';
import { createTable, PUBLICATION, TABLE } from './changes.ts';
import { quantile } from './figures.ts';
import { commit, untilArrived } from './latency.ts';
import { watchMemory } from './processes.ts';
import type { Server } from './server.ts';
import { type Receiver, startReceiver, startService } from './service.ts';

export interface FairnessOptions {
  /** Transactions a second, over all tables. */
  rate: number;
  seconds: number;
  rounds: number;
}

interface Waits {
  p50Ms: number;
  p99Ms: number;
}

export interface FairnessRound {
  alone: Waits;
  beside: Waits;
  /** Of the million, in those seconds. */
  drained: number;
  peakRssBytes: number | undefined;
}

export interface Fairness {
  rate: number;
  seconds: number;
  pending: number;
  rounds: FairnessRound[];
}

const SINKS = 20;
const BAD = ['dead', 'slow', 'behind'] as const;
const PENDING = 1_000_000;
const SLOW_MS = 3_000;
const WARM_UP_SECONDS = 4;
const DEADLINE_MS = 300_000;

interface Receivers {
  good: Receiver;
  slow: Receiver;
  behind: Receiver;
}

export async function fairness(server: Server, options: FairnessOptions): Promise<Fairness> {
  const rounds: FairnessRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) rounds.push(await measure(server, options, round));
  return { rate: options.rate, seconds: options.seconds, pending: PENDING, rounds };
}

async function measure(server: Server, options: FairnessOptions, round: number): Promise<FairnessRound> {
  const [sourceUrl, messagesUrl] = [
    await server.database(`bench_fair_${round}`),
    await server.database(`bench_messages_${round}`),
  ];
  const source = openPool({ address: sourceUrl, max: 1, applicationName: 'bench', path: 'role' });
  const messages = openPool({
    address: messagesUrl,
    max: 1,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: DEADLINE_MS,
  });
  await createTables(source);
  const slot = `fair_${round}`;
  await source.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  const receivers: Receivers = {
    good: await startReceiver({ arrivals: true }),
    slow: await startReceiver({ arrivals: false, delayMs: SLOW_MS }),
    behind: await startReceiver({ arrivals: false }),
  };
  try {
    const service = await startService({
      messagesUrl,
      sourceUrl,
      slot,
      receiverUrl: '',
      declared: sinks(receivers, await deadUrl()),
      prepare: () => fill(messages),
    });
    const memory = watchMemory(service.pids);
    try {
      let from = 0;
      const waits = async (seconds: number): Promise<Waits> => {
        const before = (await receivers.good.arrivals()).length;
        const { sent } = await commit(sourceUrl, { rate: options.rate, seconds, tables: SINKS, from }, service.failed);
        const wanted = goodOf(sent);
        from += sent;
        await Promise.race([service.failed, untilArrived(receivers.good, before + wanted)]);
        const times = (await receivers.good.arrivals()).slice(before).map(([at, arrived]) => (arrived - at) / 1000);
        return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
      };
      await waits(WARM_UP_SECONDS);
      const alone = await waits(options.seconds);
      for (const name of BAD) await messages.query('select millrace.resume($1)', [name]);
      await waits(WARM_UP_SECONDS);
      const drainedBefore = (await receivers.behind.stats()).operations;
      const beside = await waits(options.seconds);
      const drained = (await receivers.behind.stats()).operations - drainedBefore;
      return { alone, beside, drained, peakRssBytes: memory.stop() };
    } finally {
      memory.stop();
      await service.stop();
    }
  } finally {
    await Promise.all(Object.values(receivers).map((receiver: Receiver) => receiver.stop()));
    await source.close();
    await messages.close();
    await server.admin.query(`select pg_drop_replication_slot('${slot}')`);
    await server.admin.query(`drop database bench_messages_${round} with (force)`);
  }
}

/** Of so many rows written by turns, how many belong to sinks that are well: those of the last tables. */
function goodOf(sent: number): number {
  let good = 0;
  for (let n = 1; n <= sent; n += 1) if (n % SINKS >= BAD.length) good += 1;
  return good;
}

async function createTables(source: Database): Promise<void> {
  await createTable(source);
  const names = Array.from({ length: SINKS }, (_, place) => `public.${TABLE}_${place + 1}`);
  for (const name of names) await source.query(`create table ${name} (like public.${TABLE} including all)`);
  await source.query(`alter publication ${PUBLICATION} set table ${names.join(', ')}`);
}

/** A port that nobody listens on. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function sinks(receivers: Receivers, dead: string): string {
  const urls = [dead, receivers.slow.url, receivers.behind.url];
  const each = Array.from({ length: SINKS }, (_, place) => {
    const bad = BAD[place];
    return `
  - name: ${bad ?? `well-${place + 1}`}
    database: bench
    status: ${bad ? 'paused' : 'active'}
    source: { include_tables: [${TABLE}_${place + 1}] }
    destination: { type: elasticsearch, endpoint_url: "${urls[place] ?? receivers.good.url}", index_name: bench, auth_type: none }`;
  });
  return `sinks:${each.join('')}\n`;
}

/** Messages of long ago, as capture writes them: their ids are below all that come. */
async function fill(messages: Database): Promise<void> {
  await messages.query(`
    with position as (
      insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
      select d.no, 16400, 'public', '${TABLE}_old', '"table_schema":"public","table_name":"${TABLE}_old"'
        from millrace_private.databases d returning no
    )
    insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
                                           commit_idx, committed_at, record)
    select s.no, n % s.lanes, n, n, p.no, 'insert', '["old-' || n || '"]', 1, n, now(),
           '{"id":' || n || ',"text":"' || repeat('x', 480) || '"}'
      from millrace_private.sinks s, position p, generate_series(1, ${PENDING}) n
     where s.name = 'behind'`);
}
