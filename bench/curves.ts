/**
 * Growth curves: what becomes of the throughput with more tables, more sinks, more pending messages, larger rows and more
 * client processes, and of the latency with more transactions a second. Each point is one run, and counts what arrived: a
 * message that is lost or doubled ends the run.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openPool } from '../src/db/pool.ts';
import { freePort } from '../src/runtime/free-port.ts';
import { createTable, PUBLICATION, rowOf, TABLE } from './changes.ts';
import { drainOnce } from './drain.ts';
import { load, open, round } from './growth.ts';
import { latency } from './latency.ts';
import type { Chart, Line } from './plot.ts';
import { end, prepareQueue, startWeb } from './pull.ts';
import type { Server } from './server.ts';
import { searchSink } from './service.ts';

/** A chart, and the name of its file. */
export interface Curve extends Chart {
  name: string;
}

/** Where the points are, and how much each of them moves. */
export interface CurvesOptions {
  tables: readonly number[];
  sinks: readonly number[];
  pending: readonly number[];
  rowBytes: readonly number[];
  processes: readonly number[];
  rates: readonly number[];
  changes: number;
  seconds: number;
}

export const WHOLE: CurvesOptions = {
  tables: [1, 10, 100, 1_000],
  sinks: [1, 3, 10, 30, 100],
  pending: [1_000, 10_000, 100_000, 1_000_000, 10_000_000],
  rowBytes: [100, 1_000, 10_000, 100_000, 1_000_000],
  processes: [1, 2, 4, 8],
  rates: [100, 300, 1_000, 2_000, 3_000],
  changes: 100_000,
  seconds: 5,
};

/** So many rows a transaction. */
const TRANSACTION = 20;
/** All rows of one size take about so many bytes. */
const TOTAL_BYTES = 64 * 1024 * 1024;
const BATCH = 100;
const STATEMENT_MS = 600_000;

type Points = Line['points'];

export async function curves(server: Server, options: CurvesOptions): Promise<Curve[]> {
  const { changes } = options;
  const tables = await points(options.tables, (count) => drained(server, overTables(count, changes)));
  const sinks = await points(options.sinks, (count) => drained(server, intoSinks(count, changes)));
  const sizes = await points(options.rowBytes, (bytes) => drained(server, ofSize(bytes, changes)));
  const pending = await besidePending(server, options.pending);
  const processes = await byProcesses(server, options.processes, changes);
  const waits = await byRate(server, options);
  const chart = (name: string, title: string, [x, y]: [string, string], lines: Line[]): Curve => ({
    ...{ name, title, x, y, lines },
  });
  return [
    chart('tables', 'Drain of changes that lie in many tables', ['tables', 'changes/s'], [line('drain', tables)]),
    chart('sinks', 'One change into many search indexes', ['sinks', 'deliveries/s'], [line('drain', sinks)]),
    chart('row-size', 'Drain of larger rows', ['bytes of a row', 'changes/s'], [line('drain', sizes)]),
    chart(
      'pending',
      'Beside a stopped consumer',
      ['messages pending there', 'messages/s'],
      [line('receive and ack', pending.received), line('append', pending.appended)],
    ),
    chart(
      'processes',
      'Client processes of one consumer',
      ['processes', 'messages/s'],
      [line('receive and ack', processes)],
    ),
    chart(
      'latency',
      'From the insert to its bulk request',
      ['transactions a second', 'ms'],
      [line('99th percentile', waits.p99), line('median', waits.p50)],
    ),
  ];
}

const line = (name: string, found: Points): Line => ({ name, points: found });

async function points(at: readonly number[], measure: (x: number) => Promise<number>): Promise<Points> {
  const found: { x: number; y: number }[] = [];
  for (const x of at) found.push({ x, y: await measure(x) });
  return found;
}

interface Load {
  /** Makes tables and publication. */
  tables: readonly string[];
  /** Makes the changes, in transactions of its own. */
  changes: string;
  /** So many operations arrive. */
  deliveries: number;
  declared?: (receiverUrl: string) => string;
}

/** Every key is another one: of two operations on one document in a batch only the last is sent. */
function overTables(count: number, changes: number): Load {
  const tables = Array.from({ length: count }, (_, n) => `public.t${n}`);
  return {
    tables: [
      ...tables.map((name) => `create table ${name} (id bigint primary key, body text not null)`),
      `create publication ${PUBLICATION} for table ${tables.join(', ')}`,
    ],
    changes: transactions(
      changes / TRANSACTION,
      `execute format('insert into public.t%s select i, repeat(''x'', 400) from generate_series(%s, %s) i',
                      n % ${count}, n * ${TRANSACTION}, n * ${TRANSACTION} + ${TRANSACTION - 1})`,
    ),
    deliveries: changes,
  };
}

function intoSinks(count: number, deliveries: number): Load {
  const changes = Math.ceil(deliveries / count / TRANSACTION) * TRANSACTION;
  const ids = `generate_series(n * ${TRANSACTION}, n * ${TRANSACTION} + ${TRANSACTION - 1}) i`;
  return {
    tables: [],
    changes: transactions(changes / TRANSACTION, `insert into public.${TABLE} select ${rowOf('i', '0')} from ${ids}`),
    deliveries: changes * count,
    declared: (url) =>
      `sinks:\n${Array.from({ length: count }, (_, n) =>
        searchSink(url).replace('sinks:\n', '').replace('name: bench', `name: bench-${n}`),
      ).join('')}`,
  };
}

/** As compressible as JSON is. In the source it is not compressed: that is no part of a drain. */
function ofSize(bytes: number, most: number): Load {
  const perTransaction = bytes > 10_000 ? 2 : TRANSACTION;
  const rows = Math.max(perTransaction, Math.min(most, TOTAL_BYTES / bytes));
  const count = Math.floor(rows / perTransaction);
  const ids = `generate_series(n * ${perTransaction}, n * ${perTransaction} + ${perTransaction - 1}) i`;
  return {
    tables: [
      'create table public.sized (id bigint primary key, body text not null)',
      'alter table public.sized alter column body set storage external',
      `create publication ${PUBLICATION} for table public.sized`,
      `create table public.text as select string_agg('{"name": "' || md5(k::text) || '", "is_active": true}, ', '') as text
         from generate_series(1, 30000) k`,
    ],
    changes: transactions(
      count,
      `insert into public.sized select i, substr(text, 1 + i % 1000, ${bytes}) from ${ids}, public.text`,
    ),
    deliveries: count * perTransaction,
  };
}

const transactions = (count: number, statement: string): string =>
  `do $$ begin for n in 0 .. ${Math.ceil(count) - 1} loop ${statement}; commit; end loop; end $$`;

let made = 0;

/** Operations a second, of changes that are in the WAL when it begins. */
async function drained(server: Server, what: Load): Promise<number> {
  made += 1;
  const name = `bench_curve_${made}`;
  const slot = `drain_${made}`;
  const sourceUrl = await server.database(name);
  const source = openPool({
    ...{ address: sourceUrl, max: 1, applicationName: 'bench', path: 'role' as const },
    statementTimeoutMs: STATEMENT_MS,
  });
  try {
    if (what.tables.length === 0) await createTable(source);
    for (const statement of what.tables) await source.query(statement);
    await source.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
    await source.query(what.changes);
    const { deliveries: changes, declared } = what;
    const { perSecond } = await drainOnce(server, { sourceUrl, round: made, changes, ...(declared && { declared }) });
    await source.query(`select pg_drop_replication_slot('${slot}')`);
    return perSecond;
  } finally {
    await source.close();
    await server.admin.query(`drop database ${name} with (force)`);
  }
}

async function besidePending(server: Server, at: readonly number[]): Promise<Record<'received' | 'appended', Points>> {
  const bench = await open(server, 'bench_curve_pending');
  const received: { x: number; y: number }[] = [];
  const appended: { x: number; y: number }[] = [];
  try {
    await round(bench, 'busy');
    let there = 0;
    for (const x of at) {
      await load(bench, x - there);
      there = x;
      await server.admin.query('checkpoint');
      const { receivePerSecond, appendPerSecond } = await round(bench, 'busy');
      received.push({ x, y: receivePerSecond });
      appended.push({ x, y: appendPerSecond });
    }
  } finally {
    await bench.db.close();
    await server.admin.query('drop database bench_curve_pending with (force)');
  }
  return { received, appended };
}

/** Each process is one client, that asks for a hundred at a time. */
async function byProcesses(server: Server, at: readonly number[], rows: number): Promise<Points> {
  const url = await server.database('bench_curve_pull');
  const port = await freePort();
  const web = await startWeb(url, port);
  const db = openPool({
    ...{ address: url, max: 1, applicationName: 'bench', path: 'role' as const },
    statementTimeoutMs: STATEMENT_MS,
  });
  try {
    await prepareQueue(db);
    return await points(at, async (count) => {
      await db.query(`select bench_fill('http', ${rows})`);
      const begun = performance.now();
      const had = await Promise.all(Array.from({ length: count }, () => clientProcess(port)));
      const seconds = (performance.now() - begun) / 1_000;
      const all = had.reduce((sum, own) => sum + own, 0);
      if (all !== rows) throw new Error(`${all} messages received and acknowledged, of ${rows}`);
      return rows / seconds;
    });
  } finally {
    await db.close();
    await end(web);
    await server.admin.query('drop database bench_curve_pull with (force)');
  }
}

async function clientProcess(port: number): Promise<number> {
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'pull-client.ts'), [String(port), String(BATCH)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const [text] = (await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line'),
    exit.then(([code]) => Promise.reject(new Error(`a client ended with ${code ?? 'a signal'}`))),
  ])) as [string];
  child.disconnect();
  await exit;
  return Number(text);
}

async function byRate(server: Server, { rates, seconds }: CurvesOptions): Promise<Record<'p50' | 'p99', Points>> {
  const p50: { x: number; y: number }[] = [];
  const p99: { x: number; y: number }[] = [];
  for (const rate of rates) {
    const [found] = await latency(server, { rate, seconds, rounds: 1 });
    p50.push({ x: rate, y: found!.p50Ms });
    p99.push({ x: rate, y: found!.p99Ms });
    await server.admin.query('drop database bench_paced_1 with (force)');
  }
  return { p50, p99 };
}
