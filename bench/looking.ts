/**
 * How capture comes to know of what triggers have noted: it looks, ever more seldom while there is nothing. Beside it a notification of each
 * transaction, and one of a batch: whoever writes notifies only where the reader has said that it sleeps. How long a change is
 * on its way, and what it costs those that write.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Connection, type Database, openPool } from '../src/db/pool.ts';
import { readNew, takeTurn } from '../src/source/read-changes.ts';
import { ensureTriggers } from '../src/source/triggers/ensure.ts';
import { cpuOf } from './cpu.ts';
import { quantile } from './figures.ts';
import type { Server } from './server.ts';

export const LOOKING_WAYS = ['looks', 'transaction', 'batch'] as const;
type Way = (typeof LOOKING_WAYS)[number];

export interface LookingRound {
  /** Milliseconds from before a write until its change is read: of writes that come now and then, and of many. */
  seldom: { p50: number; p99: number };
  often: { p50: number; p99: number };
  /** Of sessions that commit without a pause: transactions a second, and CPU us of each. */
  commitsPerSecond: number;
  commitUs: number;
  /** CPU ms a second of the session that reads while nothing happens. */
  idleMs: number;
}

export interface Looking {
  rounds: Record<Way, LookingRound>[];
}

const SOON_MS = 5;
const LATE_MS = 250;
const SLOWER = 1.5;
/** Looks without a find after which the reader lets itself be woken. */
const ARMED_AFTER = 3;
const SESSIONS = 4;
const COMMITS = 4_000;
const OFTEN_PER_SECOND = 200;

const SCHEMA = `
  create table public.rows (id int primary key, value int);
  insert into public.rows select n, 0 from generate_series(1, 100) n;
  create sequence public.asleep minvalue 0 start 0;
  create function public.transaction() returns trigger language plpgsql as $$
  begin
    perform pg_notify('noted', '');
    return null;
  end $$;
  create function public.batch() returns trigger language plpgsql as $$
  begin
    if (select s.last_value from public.asleep s) = 1 then
      perform pg_notify('noted', '');
    end if;
    return null;
  end $$`;

export async function looking(
  server: Server,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Looking> {
  const address = await server.database('looking');
  const source = openPool({ address, max: 2 + SESSIONS, applicationName: 'bench', statementTimeoutMs: 600_000 });
  const measured: Looking['rounds'] = [];
  try {
    await source.query(SCHEMA);
    const { rows } = await source.query<{ oid: number }>("select 'public.rows'::regclass::oid::bigint as oid");
    await ensureTriggers(source, { tables: [{ oid: rows[0]!.oid, schema: 'public', name: 'rows' }] });
    for (let round = 0; round < rounds; round += 1) {
      const figures: Partial<Record<Way, LookingRound>> = {};
      for (const way of LOOKING_WAYS) {
        await source.query('drop trigger if exists told on public.rows; truncate millrace_capture.changes');
        if (way !== 'looks')
          await source.query(
            `create trigger told after update on public.rows for each statement execute function public.${way}()`,
          );
        figures[way] = await measure({ source, address, way, seconds });
      }
      measured.push(figures as Record<Way, LookingRound>);
    }
    return { rounds: measured };
  } finally {
    await source.close();
  }
}

interface Measuring {
  source: Database;
  address: string;
  way: Way;
  seconds: number;
}

async function measure({ source, address, way, seconds }: Measuring): Promise<LookingRound> {
  const reader = await startReader(address, way);
  try {
    const latency = async (count: number, pause: () => number) => {
      const taken: number[] = [];
      for (let n = 0; n < count; n += 1) {
        await sleep(pause());
        taken.push(await reader.seen(source));
      }
      return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
    };
    const seldom = await latency(seconds * 2, () => 100 + 800 * Math.random());
    const often = await latency(seconds * OFTEN_PER_SECOND, () => Math.random() * (1_000 / OFTEN_PER_SECOND));
    const busy = await commits(source);
    await sleep(1_000);
    const before = await reader.cpu();
    await sleep(seconds * 500);
    const idleMs = (await reader.cpu()) - before;
    return { seldom, often, ...busy, idleMs: idleMs / 1_000 / (seconds / 2) };
  } finally {
    await reader.stop();
  }
}

async function commits(source: Database): Promise<{ commitsPerSecond: number; commitUs: number }> {
  const begun = performance.now();
  const cpu = await Promise.all(
    Array.from({ length: SESSIONS }, async (_, place) =>
      source.session(async (client) => {
        const pid = await pidOf(client);
        const before = await cpuOf(pid);
        await client.query(
          `do $$ begin for n in 1..${COMMITS} loop update public.rows set value = n where id = ${place + 2}; commit; end loop; end $$`,
        );
        return (await cpuOf(pid)) - before;
      }),
    ),
  );
  const all = SESSIONS * COMMITS;
  return {
    commitsPerSecond: (all * 1_000) / (performance.now() - begun),
    commitUs: cpu.reduce((sum, one) => sum + one, 0) / all,
  };
}

interface Reader {
  /** Writes a change; milliseconds until it is read. */
  seen(source: Database): Promise<number>;
  /** Microseconds of its sessions. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** Looks as capture does; where it is notified also then. */
async function startReader(address: string, way: Way): Promise<Reader> {
  const pool = openPool({ address, max: 1, queue: true, applicationName: 'bench', idleInTransactionMs: 0 });
  const beside = new pg.Client({ connectionString: address });
  await beside.connect();
  const besidePid = (await beside.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  if (way !== 'looks') await beside.query('listen noted');
  const over = new AbortController();
  let wake = Promise.withResolvers<void>();
  beside.on('notification', () => wake.resolve());
  const awaited = new Map<string, () => void>();
  let pid = 0;
  const started = Promise.withResolvers<void>();
  const running = pool.session(async (client) => {
    pid = await pidOf(client);
    let from = (await client.query<{ s: string }>('select pg_current_snapshot()::text as s')).rows[0]!.s;
    const turn = await takeTurn(client);
    started.resolve();
    let waitMs = SOON_MS;
    let idle = 0;
    while (!over.signal.aborted) {
      wake = Promise.withResolvers<void>();
      const look = await readNew(turn, from);
      from = look.snapshot;
      for (const row of look.rows ?? []) awaited.get(String(row.new))?.();
      if (look.rows?.length !== 0) {
        if (idle > ARMED_AFTER && way === 'batch') await beside.query("select setval('public.asleep', 0)");
        [waitMs, idle] = [SOON_MS, 0];
        continue;
      }
      idle += 1;
      if (idle === ARMED_AFTER + 1 && way === 'batch') await beside.query("select setval('public.asleep', 1)");
      const late = new AbortController();
      await Promise.race([sleep(waitMs, undefined, { signal: late.signal }).catch(() => undefined), wake.promise]);
      late.abort();
      waitMs = Math.min(LATE_MS, waitMs * SLOWER);
    }
    await client.query('rollback');
  });
  await started.promise;
  let n = 0;
  return {
    async seen(source) {
      n += 1;
      const found = Promise.withResolvers<void>();
      const text = `(1,${n})`;
      awaited.set(text, found.resolve);
      const begun = performance.now();
      await source.query('update public.rows set value = $1::integer where id = 1', [n]);
      await found.promise;
      awaited.delete(text);
      return performance.now() - begun;
    },
    cpu: async () => (await cpuOf(pid)) + (way === 'looks' ? 0 : await cpuOf(besidePid)),
    async stop() {
      over.abort();
      wake.resolve();
      await running;
      await beside.end();
      await pool.close();
    },
  };
}

async function pidOf(client: Connection): Promise<number> {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
}
