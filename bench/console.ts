/**
 * What a console costs: the overview of a hundred sinks with messages that wait; pull consumers, and a drain, beside twenty
 * tabs that poll as the console does, by turns with none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOverview } from '../src/admin/overview.ts';
import { createUser } from '../src/admin/users.ts';
import { openPool } from '../src/db/pool.ts';
import { freePortFrom } from '../src/runtime/free-port.ts';
import { drainOnce, freshChanges, prepareSource, until } from './drain.ts';
import { quantile } from './figures.ts';
import { drawFirstPage } from './first-page.ts';
import { fill, manySinksYaml, migrateWith, SECRET_KEY, TOKEN } from './many-sinks.ts';
import type { Server } from './server.ts';
import { searchSink } from './service.ts';

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
const SINKS = 100;
const TABLES = 1_000;
const ANN = { email: 'ann@example.org', name: 'Ann', scopes: ['admin'], password: 'correct horse' };
export const TABS = 20;
const CLIENTS = 4;
const BATCH = 10;
const POLL_MS = 2_000;
/** What is asked less often is asked each so many times. */
const SLOWLY = 5;
const ASKED = 20;

export interface Console {
  pending: number;
  /** Milliseconds until `/` is drawn; undefined: it could not be. */
  firstPageMs: number[] | undefined;
  overview: { snapshotMs: number; answerMs: number; bytes: number }[];
  pull: { aloneP99Ms: number; besideP99Ms: number; alonePerSecond: number; besidePerSecond: number }[];
  drain: { alonePerSecond: number; besidePerSecond: number }[];
}

export interface ConsoleOptions {
  pending: number;
  seconds: number;
  /** To be drained. */
  changes: number;
  rounds: number;
}

export async function consoleBench(server: Server, options: ConsoleOptions): Promise<Console> {
  const { pending } = options;
  return { pending, ...(await besidePull(server, options)), drain: await besideDrain(server, options) };
}

/** The roles that drain, and the web role that the tabs ask, share the message database. */
async function besideDrain(server: Server, options: ConsoleOptions): Promise<Console['drain']> {
  const { changes } = options;
  const { source, sourceUrl } = await prepareSource(server);
  const token = `api_tokens: [{ name: bench, token: ${TOKEN}, scopes: [admin] }]\n`;
  const once = async (round: number, polled: boolean): Promise<number> => {
    await freshChanges(source, { slot: `drain_${round}`, changes });
    const declared = (url: string): string => searchSink(url) + token;
    const { perSecond } = await drainOnce(server, {
      ...{ sourceUrl, round, changes, declared },
      ...(polled && { beside: openTabs }),
    });
    return perSecond;
  };
  const rounds: Console['drain'] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const alonePerSecond = await once(2 * round - 1, false);
    rounds.push({ alonePerSecond, besidePerSecond: await once(2 * round, true) });
  }
  await source.close();
  return rounds;
}

async function openTabs(messagesUrl: string): Promise<() => Promise<void>> {
  const web = await startWeb(messagesUrl);
  // The first question of all loads the management API; these tabs have been open for a while.
  const { often, slowly } = askedBy('bench');
  for (const at of [...often, ...slowly]) await ask(web.base + at, { seconds: 0 });
  const tabs = poll(web.base, 'bench');
  return async () => {
    await tabs.end();
    await web.stop();
  };
}

async function besidePull(server: Server, options: ConsoleOptions): Promise<Omit<Console, 'pending' | 'drain'>> {
  const url = await server.database('bench_console');
  const yaml = manySinksYaml(url, SINKS);
  await migrateWith(url, yaml);
  const filling = {
    address: url,
    max: 1,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: 600_000,
  } as const;
  const db = openPool(filling);
  await fill(db, options.pending);
  await db.query(`insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
    select d.no, 20000 + n, 'public', 'bench_' || n, '"table_schema":"public","table_name":"bench_' || n || '"'
      from millrace_private.databases d, generate_series(2, ${TABLES}) n`);
  await createUser(db, ANN, { kind: 'cli', name: 'bench' });
  await db.close();
  const measured: Pick<Console, 'overview' | 'pull' | 'firstPageMs'> = {
    firstPageMs: undefined,
    overview: [],
    pull: [],
  };
  const reader = openPool({ address: url, max: 1, applicationName: 'bench', queue: true });
  const web = await startWeb(url);
  try {
    await readOverview(reader, Date.now);
    measured.firstPageMs = await drawFirstPage(web.base, { sinks: SINKS, ...ANN });
    for (let round = 0; round < options.rounds; round += 1) {
      measured.overview.push(await overviewOnce(() => readOverview(reader, Date.now), web.base));
      const alone = await pullFor(web.base, options.seconds);
      const tabs = poll(web.base, 'consumer-0');
      const beside = await pullFor(web.base, options.seconds);
      await tabs.end();
      measured.pull.push({
        aloneP99Ms: quantile(alone, 0.99),
        besideP99Ms: quantile(beside, 0.99),
        alonePerSecond: (alone.length * BATCH) / options.seconds,
        besidePerSecond: (beside.length * BATCH) / options.seconds,
      });
    }
  } finally {
    await web.stop();
    await reader.close();
  }
  return measured;
}

async function startWeb(url: string): Promise<{ base: string; stop(): Promise<void> }> {
  const port = await freePortFrom(7_600);
  const env = {
    ...process.env,
    DATABASE_URL: url,
    SECRET_KEY,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, [MAIN, 'web'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const over = once(child, 'exit');
  const base = `http://127.0.0.1:${port}`;
  await until('the web role answers', async () =>
    (await fetch(`${base}/readyz`).catch(() => undefined))?.ok ? true : undefined,
  );
  return {
    base,
    async stop() {
      child.kill('SIGTERM');
      await over;
    },
  };
}

const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

/** Answered from the snapshot of the last two seconds, as most are. */
async function overviewOnce(snapshot: () => Promise<unknown>, base: string): Promise<Console['overview'][number]> {
  const begun = performance.now();
  await snapshot();
  const snapshotMs = performance.now() - begun;
  const ask = async (): Promise<string> => {
    const response = await fetch(`${base}/api/overview`, { headers: HEADERS });
    if (response.status !== 200) throw new Error(`the overview answered ${response.status}: ${await response.text()}`);
    return await response.text();
  };
  const { length } = await ask();
  const answers: number[] = [];
  for (let asked = 0; asked < ASKED; asked += 1) {
    const at = performance.now();
    await ask();
    answers.push(performance.now() - at);
  }
  return { snapshotMs, answerMs: quantile(answers, 0.9), bytes: length };
}

/** Milliseconds of each receive with its acknowledgement; each client takes the consumers by turns. */
async function pullFor(base: string, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1_000;
  const times: number[] = [];
  const post = async (sink: string, verb: string, body: object) => {
    const at = `${base}/api/http_pull_consumers/${sink}/${verb}`;
    const response = await fetch(at, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
    if (response.status !== 200) throw new Error(`${verb} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { data?: { ack_id: string }[] };
  };
  const client = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() < end; turn += CLIENTS) {
      const sink = `consumer-${(2 * turn) % SINKS}`;
      const at = performance.now();
      const { data = [] } = await post(sink, 'receive', { batch_size: BATCH });
      if (data.length === 0) throw new Error(`${sink} has no more messages: begin with more that are pending`);
      await post(sink, 'ack', { ack_ids: data.map(({ ack_id }) => ack_id) });
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  return times;
}

/** Twenty tabs on the page of a sink, with all that it asks: src/console/pages/sinks/overview. Each was opened at another moment. */
function poll(base: string, sink: string): { end(): Promise<void> } {
  const over = new AbortController();
  const tabs = Array.from({ length: TABS }, (_, n) =>
    pollOne({ base, sink, afterMs: (n * POLL_MS) / TABS }, over.signal),
  );
  return {
    async end() {
      over.abort();
      await Promise.all(tabs);
    },
  };
}

/** What a tab asks each two seconds, and each ten. */
const askedBy = (sink: string): { often: string[]; slowly: string[] } => {
  const page = `/api/sinks/${sink}`;
  return { often: ['/api/overview', page], slowly: [`${page}/metrics`, `${page}/messages/count?state=leased`] };
};

async function ask(url: string, { seconds, signal }: { seconds: number; signal?: AbortSignal }): Promise<void> {
  const headers = { ...HEADERS, 'cache-control': `max-age=${seconds}` };
  const response = await fetch(url, { headers, ...(signal && { signal }) });
  await response.arrayBuffer();
}

async function pollOne(
  { base, sink, afterMs }: { base: string; sink: string; afterMs: number },
  signal: AbortSignal,
): Promise<void> {
  await sleep(afterMs, undefined, { signal }).catch(() => undefined);
  const { often, slowly } = askedBy(sink);
  for (let turn = 0; !signal.aborted; turn += 1) {
    for (const at of [...often, ...(turn % SLOWLY === 0 ? slowly : [])]) {
      // As the console does from the second time on: half of the time until the next one.
      const seconds = turn === 0 ? 0 : slowly.includes(at) ? SLOWLY * (POLL_MS / 2_000) : POLL_MS / 2_000;
      await ask(base + at, { seconds, signal }).catch(() => undefined);
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
