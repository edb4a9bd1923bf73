/**
 * Pull: the same rows received and acknowledged by four clients, over SQL and over HTTP with order kept, beside what people
 * build by themselves: a table leased by `update ... for update skip locked`, deleted from afterwards, without any order, also over
 * SQL and over HTTP. With two calls each, and with one that acknowledges the batch before and receives the next one (`-at-once`). Small batches also by many
 * clients over HTTP.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openPool } from '../src/db/pool.ts';
import { freePort } from '../src/runtime/free-port.ts';
import { serverCpu } from './processes.ts';
import type { Server } from './server.ts';

export const PULL_BATCHES = [1, 10, 100, 1_000] as const;
export const PULL_CLIENTS = 4;
export const MANY_CLIENTS = 64;
export const SMALL_BATCHES = [1, 10] as const;
const WAYS = [
  ...(['reference', 'sql', 'sql-at-once'] as const),
  ...(['http-reference', 'http', 'http-at-once', 'many', 'many-at-once'] as const),
];
/** Rows of each run, by batch size. */
const ROWS: Record<(typeof PULL_BATCHES)[number], number> = { 1: 8_000, 10: 20_000, 100: 60_000, 1000: 60_000 };
const FIRST_ID = 1_790_000_000_000_000;
const TOKEN = 'b0c4d1e92f7a4f6d8a3c5e2b7f019d64';
const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
const START_MS = 30_000;

export type PullWay = (typeof WAYS)[number];

export interface PullRound {
  batch: number;
  way: PullWay;
  perSecond: number;
  /** Milliseconds, of a receive. */
  p99Ms: number;
  /** Microseconds of Postgres' CPU a message. */
  serverCpu: number | undefined;
}

/**
 * One client. `receive` leases up to `batch` and returns what is to be acknowledged, or, if there is no `ack`, acknowledges what
 * it returned before; no message is parsed.
 */
interface Client {
  receive(batch: number, before: unknown[]): Promise<unknown[]>;
  ack?(leased: unknown[]): Promise<unknown>;
}

/** `most`: rows of each run at most. */
export async function pull(server: Server, options: { rounds: number; most?: number }): Promise<PullRound[]> {
  const url = await server.database('bench_pull');
  const port = await freePort();
  const web = await startWeb(url, port);
  const db = openPool({
    address: url,
    max: PULL_CLIENTS + 1,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: 300_000,
  });
  const measured: PullRound[] = [];
  let referenceWeb: ChildProcess | undefined;
  try {
    await prepareQueue(db);
    const referencePort = await freePort();
    referenceWeb = await startReference(url, referencePort);
    for (let round = 0; round < options.rounds; round += 1) {
      for (const batch of PULL_BATCHES) {
        for (const way of waysOf(batch)) {
          const rows = Math.min(ROWS[batch], options.most ?? Number.POSITIVE_INFINITY);
          measured.push(await measure(server, db, { batch, way, port, referencePort, rows }));
        }
      }
    }
  } finally {
    await db.close();
    await end(web);
    if (referenceWeb) await end(referenceWeb);
    await server.admin.query('drop database bench_pull with (force)');
  }
  return measured;
}

/** Of small batches all, else without the many clients. */
const waysOf = (batch: number): readonly PullWay[] =>
  WAYS.filter((way) => !way.startsWith('many') || SMALL_BATCHES.some((small) => small === batch));

async function measure(
  server: Server,
  db: Database,
  run: { batch: (typeof PULL_BATCHES)[number]; way: PullWay; port: number; referencePort: number; rows: number },
): Promise<PullRound> {
  const { rows } = run;
  await db.query(`select bench_fill('${run.way}', ${rows})`);
  const client = clientOf(db, run);
  const clients = run.way.startsWith('many') ? MANY_CLIENTS : PULL_CLIENTS;
  const took: number[] = [];
  const cpuBefore = serverCpu(server.pid)?.others;
  const begun = performance.now();
  let left = rows;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let leased: unknown[] = []; left > 0 || leased.length > 0; ) {
        const asked = performance.now();
        leased = await client.receive(run.batch, leased);
        took.push(performance.now() - asked);
        left -= leased.length;
        if (client.ack === undefined) continue;
        if (leased.length > 0) await client.ack(leased);
        leased = [];
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  const cpuAfter = serverCpu(server.pid)?.others;
  const cpu = cpuBefore === undefined || cpuAfter === undefined ? undefined : ((cpuAfter - cpuBefore) * 1e6) / rows;
  const p99Ms = took.sort((one, other) => one - other)[Math.floor(took.length * 0.99)] ?? 0;
  return { batch: run.batch, way: run.way, perSecond: rows / seconds, p99Ms, serverCpu: cpu };
}

function clientOf(
  db: Database,
  { way, port, referencePort }: { way: PullWay; port: number; referencePort: number },
): Client {
  if (way === 'reference') {
    const { lease, remove } = reference(db);
    return { receive: async (batch) => (await lease(batch)).map(({ id }) => id), ack: remove };
  }
  if (way === 'http-reference') return overHttp(referencePort, way, '');
  return way.startsWith('sql') ? overSql(db, way) : overHttp(port, way);
}

/**
 * Rows of one key each, about 500 bytes; nothing is analysed, as in a queue that has just filled. The reference has the same
 * columns, and the finished message in one of them.
 */
export async function prepareQueue(db: Database): Promise<void> {
  await db.query(`create table bench_queue (like millrace_private.messages, leased_until timestamptz, primary key (id));
    create sequence bench_ids start ${FIRST_ID};
    insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
    select d.no, 16400, 'public', 'bench', '"table_schema":"public","table_name":"bench"' from millrace_private.databases d;
    create function bench_fill(p_way text, p_rows integer) returns void language plpgsql as $$
    begin
      if p_way like '%reference' then
        truncate bench_queue;
        perform bench_fill('sql', p_rows);
        insert into bench_queue
        select m.sink_no, m.lane, m.id, m.group_key, m.group_key2, m.source_table, m.action, m.record_pks, m.commit_lsn,
               m.commit_idx, m.committed_at, '', m.changes, m.annotations, m.unchanged_toast,
               millrace_private.message_text(m, t.metadata, s.metadata)
          from millrace_private.messages m, millrace_private.sinks s, millrace_private.source_tables t
         order by m.id;
        delete from millrace_private.messages;
      else
        insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
               commit_idx, committed_at, record)
        select s.no, 0, n.id, hashint8extended(n.id, 0), t.no, 'insert', '["' || n.id || '"]', n.id, 0, now(),
               '{"id":' || n.id || ',"text":"' || repeat('x', 480) || '"}'
          from (select nextval('bench_ids') as id from generate_series(1, p_rows)) n,
               millrace_private.sinks s, millrace_private.source_tables t
         order by n.id;
      end if;
    end $$`);
}

function overSql(db: Database, way: PullWay): Client {
  if (way === 'sql-at-once') {
    const text = `select r.ack_id, r.message::text from millrace.ack_and_receive('bench', $1::text[], $2) r where r.ack_id is not null`;
    const step = { name: 'step', text };
    return {
      receive: async (batch, before) =>
        (await db.query<{ ack_id: string }>(step, [before, batch])).rows.map(({ ack_id }) => ack_id),
    };
  }
  const receive = { name: 'receive', text: `select r.ack_id, r.message::text from millrace.receive('bench', $1) r` };
  const ack = { name: 'ack', text: `select millrace.ack('bench', $1::text[])` };
  return {
    receive: async (batch) => (await db.query<{ ack_id: string }>(receive, [batch])).rows.map(({ ack_id }) => ack_id),
    ack: (ids) => db.query(ack, [ids]),
  };
}

export interface ReferenceQueue {
  lease(batch: number): Promise<{ id: number; payload: string }[]>;
  remove(ids: unknown[]): Promise<unknown>;
}

export function reference(db: Database): ReferenceQueue {
  const lease = {
    name: 'lease',
    text: `update bench_queue q set leased_until = clock_timestamp() + interval '30 s'
            where q.id = any (array(select f.id from bench_queue f
                                     where f.leased_until is null or f.leased_until < clock_timestamp()
                                     order by f.id limit $1::integer for update skip locked))
        returning q.id, q.payload`,
  };
  const remove = { name: 'remove', text: 'delete from bench_queue q where q.id = any ($1::bigint[])' };
  return {
    lease: async (batch) => (await db.query<{ id: number; payload: string }>(lease, [batch])).rows,
    remove: (ids) => db.query(remove, [ids]),
  };
}

const ACK_IDS = /"ack_id":"([^"]+)"/g;

export function overHttp(port: number, way: PullWay, base = '/api/http_pull_consumers/bench'): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: MANY_CLIENTS });
  const post = async (verb: string, body: string): Promise<string> => {
    const request = http.request({
      agent,
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `${base}/${verb}`,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    const text = Buffer.concat(parts).toString('latin1');
    if (response.statusCode !== 200) throw new Error(`${verb}: ${response.statusCode} ${text}`);
    return text;
  };
  const receive = async (body: object): Promise<unknown[]> =>
    Array.from((await post('receive', JSON.stringify(body))).matchAll(ACK_IDS), (match) => match[1]);
  if (way.endsWith('-at-once')) return { receive: (batch, before) => receive({ batch_size: batch, ack_ids: before }) };
  return {
    receive: (batch) => receive({ batch_size: batch }),
    ack: (ids) => post('ack', JSON.stringify({ ack_ids: ids })),
  };
}

/** The role web on a message database with one consumer; its source is declared, and never captured. */
export async function startWeb(url: string, port: number): Promise<ChildProcess> {
  const yaml = `
api_tokens:
  - { name: bench, token: ${TOKEN} }
databases:
  - { name: bench, url: ${JSON.stringify(url)}, ssl: false, slot: { name: bench_pull }, publication: { name: bench } }
sinks:
  - { name: bench, database: bench, destination: { type: pull } }
`;
  const env = {
    ...process.env,
    DATABASE_URL: url,
    PORT: String(port),
    HOST: '127.0.0.1',
    SECRET_KEY: 't5KzQw8RyB1nVh4Xc7LsJf0Gd3MpUa6E',
    CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  };
  const migrate = spawn(process.execPath, [MAIN, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(migrate, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate ended with ${code}`);
  const profile = process.env.MILLRACE_BENCH_PROFILE;
  const execArgv = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const web = fork(MAIN, ['web'], { env, execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const deadline = performance.now() + START_MS;
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (ready) return web;
    if (web.exitCode !== null || performance.now() > deadline) throw new Error('the role web does not answer');
    await sleep(50);
  }
}

async function startReference(url: string, port: number): Promise<ChildProcess> {
  const env = { ...process.env, URL: url, PORT: String(port) };
  const child = fork(path.join(import.meta.dirname, 'pull-reference.ts'), {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}
