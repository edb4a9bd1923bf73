/**
 * Growth: what does a consumer that stopped long ago cost the others? Receive and acknowledge of one consumer, and capture's
 * appending, with nothing else there, beside millions of messages pending for another one, under a snapshot that somebody
 * holds open, beside rows that change without pause, and behind a group that is blocked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openPool } from '../src/db/pool.ts';
import { quantile } from './figures.ts';
import { appendRows, type Bench, HOT_ROWS, migrate, prepare, type SinkName } from './growth-database.ts';
import type { Server } from './server.ts';

const CLIENTS = 4;
const BATCH = 100;
/** Rows of a round. */
const ROWS = 40_000;
const APPEND_ROWS = 500;
/** Bursts while a snapshot is held: so seldom that they do not fill the machine's memory. */
const BURST_MS = 15_000;
const BLOCKED_ROWS = 100_000;

export interface GrowthRound {
  receivePerSecond: number;
  /** Milliseconds, of one receive and its acknowledgement. */
  receiveP99Ms: number;
  appendPerSecond: number;
  /** Milliseconds, of one transaction of 500 rows. */
  appendP99Ms: number;
}

export interface GrowthLine {
  what: string;
  /** Each beside one in a database where there is nothing else, right before it: others use the machine too. */
  rounds: { ours: GrowthRound; control: GrowthRound }[];
}

export interface Growth {
  pending: number;
  holdSeconds: number;
  lines: GrowthLine[];
  /** Milliseconds. */
  views: { what: string; ms: number }[];
}

export interface GrowthOptions {
  rounds: number;
  pending: number;
  holdSeconds: number;
  /** Of all comparisons, only the one under a snapshot that is held. */
  onlyHeld: boolean;
}

export async function growth(server: Server, options: GrowthOptions): Promise<Growth> {
  const [bench, control] = [await open(server, 'bench_growth'), await open(server, 'bench_growth_control')];
  const lines: GrowthLine[] = [];
  const alone = async (): Promise<GrowthRound> => await round(control, 'busy');
  const measure = async (
    what: string,
    ours: () => Promise<GrowthRound>,
    reference: () => Promise<GrowthRound> = alone,
  ): Promise<void> => {
    const rounds: GrowthLine['rounds'] = [];
    for (let n = 0; n < options.rounds; n += 1) {
      const before = await reference();
      rounds.push({ ours: await ours(), control: before });
    }
    lines.push({ what, rounds });
  };
  try {
    // To warm up.
    for (const one of [control, bench]) await round(one, 'busy');
    const held = async (): Promise<void> => {
      await server.admin.query('checkpoint');
      const rounds = await underSnapshot(bench, options, alone);
      lines.push({ what: `under a snapshot held open, the last of ${options.holdSeconds} s`, rounds });
    };
    if (options.onlyHeld) {
      await held();
      return { pending: 0, holdSeconds: options.holdSeconds, lines, views: [] };
    }
    await measure('nothing else', () => round(bench, 'busy'));
    await measure(
      'another consumer reads 50 rows that change without pause (compared: as many rows that change once)',
      () => beside(bench, 'hot', () => round(bench, 'busy')),
      () => beside(bench, 'single', () => round(bench, 'busy')),
    );
    await block(bench);
    await measure('in a consumer with a blocked group, 100,000 messages behind it', () => round(bench, 'noisy'));
    await measure('beside that consumer', () => round(bench, 'busy'));
    if (options.holdSeconds > 0) await held();
    await server.admin.query('checkpoint');
    await load(bench, options.pending);
    await server.admin.query('checkpoint');
    const pending = options.pending.toLocaleString('en-GB');
    await measure(`beside a stopped consumer with ${pending} pending`, () => round(bench, 'busy'));
    return { pending: options.pending, holdSeconds: options.holdSeconds, lines, views: await timeViews(bench.db) };
  } finally {
    for (const { db } of [bench, control]) await db.close();
    for (const name of ['bench_growth', 'bench_growth_control'])
      await server.admin.query(`drop database ${name} with (force)`);
  }
}

export async function open(server: Server, name: string): Promise<Bench> {
  const url = await server.database(name);
  await migrate(url);
  // A connection for who writes beside, one for who reads beside, one that holds a snapshot.
  return await prepare(
    openPool({ address: url, max: CLIENTS + 3, applicationName: 'bench', path: 'role', statementTimeoutMs: 1_800_000 }),
  );
}

/** Appends a round's rows as capture does, then receives and acknowledges them all. */
export async function round(bench: Bench, sink: SinkName): Promise<GrowthRound> {
  const appends: number[] = [];
  const appending = performance.now();
  for (let rows = 0; rows < ROWS; rows += APPEND_ROWS) {
    const begun = performance.now();
    await appendRows(bench, sink, { rows: APPEND_ROWS, groups: 'single' });
    appends.push(performance.now() - begun);
  }
  const appendMs = performance.now() - appending;
  const cycles: number[] = [];
  let left = ROWS;
  const receiving = performance.now();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left > 0) {
        const begun = performance.now();
        const received = await receiveAndAck(bench.db, sink);
        left -= received;
        cycles.push(performance.now() - begun);
      }
    }),
  );
  return {
    receivePerSecond: (ROWS * 1_000) / (performance.now() - receiving),
    receiveP99Ms: quantile(cycles, 0.99),
    appendPerSecond: (ROWS * 1_000) / appendMs,
    appendP99Ms: quantile(appends, 0.99),
  };
}

const RECEIVE = { name: 'receive', text: 'select r.ack_id, r.message::text from millrace.receive($1, $2) r' };
const ACK = { name: 'ack', text: 'select millrace.ack($1, $2::text[])' };

async function receiveAndAck(db: Database, sink: SinkName): Promise<number> {
  const { rows } = await db.query<{ ack_id: string }>(RECEIVE, [sink, BATCH]);
  if (rows.length > 0) await db.query(ACK, [sink, rows.map(({ ack_id }) => ack_id)]);
  return rows.length;
}

/** Another consumer gets 50 rows a transaction, 100 times a second, and reads them, while `work` is done. */
async function beside<Result>(bench: Bench, groups: 'single' | 'hot', work: () => Promise<Result>): Promise<Result> {
  let over = false;
  const write = async (): Promise<void> => {
    for (let next = performance.now() + 10; !over; next += 10) {
      await appendRows(bench, 'noisy', { rows: HOT_ROWS, groups });
      await sleep(Math.max(0, next - performance.now()));
    }
  };
  const read = async (): Promise<void> => {
    while (!over) if ((await receiveAndAck(bench.db, 'noisy')) === 0) await sleep(5);
  };
  const noise = Promise.all([write(), read()]);
  try {
    return await work();
  } finally {
    over = true;
    await noise;
    while ((await receiveAndAck(bench.db, 'noisy')) > 0);
  }
}

/** One message is leased for long, 100,000 later ones of its group wait, and a receive has passed them all. */
async function block(bench: Bench): Promise<void> {
  await appendRows(bench, 'noisy', { rows: 1, groups: 'one' });
  await bench.db.query("select ack_id from millrace.receive('noisy', 1, interval '12 h')");
  for (let rows = 0; rows < BLOCKED_ROWS; rows += 5_000)
    await appendRows(bench, 'noisy', { rows: 5_000, groups: 'one' });
  for (let calls = 0; calls <= BLOCKED_ROWS / 1_000; calls += 1) await receiveAndAck(bench.db, 'noisy');
}

async function underSnapshot(
  bench: Bench,
  options: GrowthOptions,
  alone: () => Promise<GrowthRound>,
): Promise<GrowthLine['rounds']> {
  const rounds: GrowthLine['rounds'] = [];
  await bench.db.session(async (client) => {
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('begin isolation level repeatable read; select count(*) from millrace_private.sinks');
    const end = performance.now() + options.holdSeconds * 1_000;
    while (performance.now() < end || rounds.length < options.rounds) {
      const next = performance.now() + BURST_MS;
      // Only the last ones are compared: by then the dead rows of the others are there.
      const control = next > end - BURST_MS * options.rounds ? await alone() : undefined;
      const ours = await round(bench, 'busy');
      if (control) rounds.push({ ours, control });
      await sleep(Math.max(0, Math.min(next, end) - performance.now()));
    }
    await client.query('rollback; set idle_in_transaction_session_timeout = 30000');
  });
  return rounds;
}

/** Straight into the table: rows as narrow as they get. */
export async function load(bench: Bench, pending: number): Promise<void> {
  for (let done = 0; done < pending; done += 500_000) {
    await bench.db.query(
      `insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
              commit_idx, committed_at, record)
       select $1::integer, 0, $2::bigint + n, $2::bigint + n, $4::integer, 'insert', '["' || n || '"]', n, 0, now(),
              '{"id":' || n || '}'
         from generate_series(0, $3::integer - 1) n`,
      [bench.sinks.stopped, bench.nextId, Math.min(500_000, pending - done), bench.tableNo],
    );
    bench.nextId += 500_000;
  }
}

async function timeViews(db: Database): Promise<Growth['views']> {
  const views = {
    '`select * from millrace.sink_status`': 'select * from millrace.sink_status',
    '`select * from millrace.consumer_status`': 'select * from millrace.consumer_status',
    '`select * from millrace.metrics()`': 'select * from millrace.metrics()',
    '`select count(*) from millrace.pending_messages`': 'select count(*) from millrace.pending_messages',
    "the same `where sink_name = 'busy'`": "select count(*) from millrace.pending_messages where sink_name = 'busy'",
  };
  const timed: Growth['views'] = [];
  for (const [what, sql] of Object.entries(views)) {
    const begun = performance.now();
    await db.query(sql);
    timed.push({ what, ms: performance.now() - begun });
  }
  return timed;
}
