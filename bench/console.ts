/**
 * What a console costs: the overview of a hundred sinks with messages that wait, and pull consumers beside twenty tabs that
 * poll as the console does, by turns with none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOverview } from '../src/admin/overview.ts';
import { openPool } from '../src/db/pool.ts';
import { freePortFrom } from '../src/runtime/free-port.ts';
import { until } from './drain.ts';
import { quantile } from './figures.ts';
import { fill, manySinksYaml, migrateWith, SECRET_KEY, TOKEN } from './many-sinks.ts';
import type { Server } from './server.ts';

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
const SINKS = 100;
export const TABS = 20;
const CLIENTS = 4;
const BATCH = 10;
const POLL_MS = 2_000;
const ASKED = 20;

export interface Console {
  pending: number;
  overview: { snapshotMs: number; answerMs: number; bytes: number }[];
  pull: { aloneP99Ms: number; besideP99Ms: number; alonePerSecond: number; besidePerSecond: number }[];
}

export async function consoleBench(
  server: Server,
  options: { pending: number; seconds: number; rounds: number },
): Promise<Console> {
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
  await db.close();
  const measured: Console = { pending: options.pending, overview: [], pull: [] };
  const reader = openPool({ address: url, max: 1, applicationName: 'bench', queue: true });
  const web = await startWeb(url);
  try {
    await readOverview(reader, Date.now);
    for (let round = 0; round < options.rounds; round += 1) {
      measured.overview.push(await overviewOnce(() => readOverview(reader, Date.now), web.base));
      const alone = await pullFor(web.base, options.seconds);
      const tabs = new AbortController();
      const polling = Array.from({ length: TABS }, () => poll(web.base, tabs.signal));
      const beside = await pullFor(web.base, options.seconds);
      tabs.abort();
      await Promise.all(polling);
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

/** Milliseconds of each receive with its acknowledgement. */
async function pullFor(base: string, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1_000;
  const times: number[] = [];
  const post = async (sink: string, verb: string, body: object) => {
    const at = `${base}/api/http_pull_consumers/${sink}/${verb}`;
    const response = await fetch(at, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
    if (response.status !== 200) throw new Error(`${verb} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { data?: { ack_id: string }[] };
  };
  const client = async (sink: string): Promise<void> => {
    while (performance.now() < end) {
      const at = performance.now();
      const { data = [] } = await post(sink, 'receive', { batch_size: BATCH });
      if (data.length === 0) throw new Error(`${sink} has no more messages: begin with more that are pending`);
      await post(sink, 'ack', { ack_ids: data.map(({ ack_id }) => ack_id) });
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(`consumer-${2 * n}`)));
  return times;
}

/** One tab on the page of a sink. */
async function poll(base: string, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const paths = [
      '/api/overview',
      '/api/sinks/consumer-0',
      ...(turn % 5 === 0 ? ['/api/sinks/consumer-0/metrics'] : []),
    ];
    for (const at of paths) {
      const response = await fetch(base + at, { headers: HEADERS, signal }).catch(() => undefined);
      await response?.arrayBuffer().catch(() => undefined);
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
