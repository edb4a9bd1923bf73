/**
 * Latency: single-row transactions at a steady rate from a process of their own, each until the request that carries it
 * has arrived whole. Counted from the moment the insert is sent, so the insert and its commit are part of it.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool } from '../src/db/pool.ts';
import { createTable } from './changes.ts';
import { quantile } from './figures.ts';
import { cpuOf, watchMemory } from './processes.ts';
import type { Server } from './server.ts';
import { type Receiver, startReceiver, startService } from './service.ts';

export interface LatencyOptions {
  /** Transactions a second. */
  rate: number;
  seconds: number;
  rounds: number;
}

export interface LatencyRound {
  p50Ms: number;
  p99Ms: number;
  /** Transactions a second that the driver really made. */
  rate: number;
  rolesCpu: number | undefined;
  peakRssBytes: number | undefined;
}

/** Before these everything is cold; they are not counted. */
const WARM_UP_SECONDS = 3;
const ARRIVAL_MS = 30_000;

export async function latency(server: Server, options: LatencyOptions): Promise<LatencyRound[]> {
  const rounds: LatencyRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) rounds.push(await measure(server, options, round));
  return rounds;
}

async function measure(server: Server, options: LatencyOptions, round: number): Promise<LatencyRound> {
  const sourceUrl = await server.database(`bench_paced_${round}`);
  const messagesUrl = await server.database(`bench_messages_${round}`);
  const source = openPool({ address: sourceUrl, max: 1, applicationName: 'bench', path: 'role' });
  await createTable(source);
  const slot = `latency_${round}`;
  await source.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  const receiver = await startReceiver({ arrivals: true });
  try {
    const service = await startService({ messagesUrl, sourceUrl, slot, receiverUrl: receiver.url });
    const memory = watchMemory(service.pids);
    try {
      await commit(sourceUrl, { rate: options.rate, seconds: WARM_UP_SECONDS }, service.failed);
      await Promise.race([service.failed, untilArrived(receiver, options.rate * WARM_UP_SECONDS)]);
      await source.query('truncate orders');
      const warm = (await receiver.arrivals()).length;
      const cpuBefore = cpuOf(service.pids);
      const driven = await commit(sourceUrl, options, service.failed);
      await Promise.race([service.failed, untilArrived(receiver, warm + options.rate * options.seconds)]);
      const cpuAfter = cpuOf(service.pids);
      const waits = (await receiver.arrivals()).slice(warm).map(([sent, arrived]) => (arrived - sent) / 1000);
      return {
        p50Ms: quantile(waits, 0.5),
        p99Ms: quantile(waits, 0.99),
        rate: driven.sent / driven.seconds,
        rolesCpu: cpuAfter === undefined || cpuBefore === undefined ? undefined : cpuAfter - cpuBefore,
        peakRssBytes: memory.stop(),
      };
    } finally {
      memory.stop();
      await service.stop();
    }
  } finally {
    await receiver.stop();
    await source.close();
    await server.admin.query(`select pg_drop_replication_slot('${slot}')`);
    await server.admin.query(`drop database bench_messages_${round} with (force)`);
  }
}

/** `tables`: writes to so many by turns, with keys above `from`. */
export async function commit(
  sourceUrl: string,
  pace: { rate: number; seconds: number; tables?: number; from?: number },
  failed: Promise<never>,
): Promise<{ sent: number; seconds: number }> {
  const env = {
    ...process.env,
    SOURCE_URL: sourceUrl,
    RATE: String(pace.rate),
    SECONDS: String(pace.seconds),
    TABLES: String(pace.tables ?? 0),
    FROM: String(pace.from ?? 0),
  };
  const child = fork(path.join(import.meta.dirname, 'commit-driver.ts'), {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), pace.seconds * 4_000 + 10_000);
  try {
    const exit = once(child, 'exit');
    const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>;
    const early = exit.then(([code]) => {
      if (code !== 0) throw new Error(`the driver ended with ${code ?? 'a signal'}`);
      return line;
    });
    const [text] = await Promise.race([line, early, failed]);
    return JSON.parse(text);
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null) child.kill('SIGKILL');
  }
}

export async function untilArrived(receiver: Receiver, count: number): Promise<void> {
  const deadline = performance.now() + ARRIVAL_MS;
  for (;;) {
    const { operations } = await receiver.stats();
    if (operations >= count) return;
    if (performance.now() > deadline) throw new Error(`${operations} of ${count} changes have arrived`);
    await sleep(50);
  }
}
