/**
 * What do changes of the catalog cost a sink that none of them is about? Single-row transactions at a steady rate, each until
 * the bulk request that carries it has arrived: with the catalog at rest, and with another sink of the same table paused,
 * resumed and edited all the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openPool } from '../src/db/pool.ts';
import { createTable, TABLE } from './changes.ts';
import { quantile } from './figures.ts';
import { commit, untilArrived } from './latency.ts';
import type { Server } from './server.ts';
import { startReceiver, startService } from './service.ts';

export interface CatalogOptions {
  /** Transactions a second. */
  rate: number;
  seconds: number;
  rounds: number;
}

interface Waits {
  p50Ms: number;
  p99Ms: number;
}

export interface CatalogRound {
  atRest: Waits;
  changing: Waits;
  /** Changes of the catalog in those seconds. */
  changes: number;
}

export interface CatalogChanges {
  rate: number;
  seconds: number;
  rounds: CatalogRound[];
}

const WARM_UP_SECONDS = 3;
/** 500 a minute. */
const EVERY_MS = 120;

export async function catalogChanges(server: Server, options: CatalogOptions): Promise<CatalogChanges> {
  const rounds: CatalogRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) rounds.push(await measure(server, options, round));
  return { rate: options.rate, seconds: options.seconds, rounds };
}

async function measure(server: Server, options: CatalogOptions, round: number): Promise<CatalogRound> {
  const sourceUrl = await server.database(`bench_catalog_${round}`);
  const messagesUrl = await server.database(`bench_messages_${round}`);
  const source = openPool({ address: sourceUrl, max: 1, applicationName: 'bench', path: 'role' });
  const messages = openPool({ address: messagesUrl, max: 1, applicationName: 'bench', path: 'role' });
  await createTable(source);
  const slot = `catalog_${round}`;
  await source.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  const [watched, other] = [await startReceiver({ arrivals: true }), await startReceiver({ arrivals: false })];
  try {
    const declared = `sinks:${sink('watched', watched.url)}${sink('other', other.url)}\n`;
    const service = await startService({ messagesUrl, sourceUrl, slot, receiverUrl: '', declared });
    try {
      let from = 0;
      const waits = async (seconds: number): Promise<Waits> => {
        const before = (await watched.arrivals()).length;
        const { sent } = await commit(sourceUrl, { rate: options.rate, seconds, from }, service.failed);
        from += sent;
        await Promise.race([service.failed, untilArrived(watched, before + sent)]);
        const times = (await watched.arrivals()).slice(before).map(([at, arrived]) => (arrived - at) / 1000);
        return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
      };
      await waits(WARM_UP_SECONDS);
      const atRest = await waits(options.seconds);
      const changing = changeAllTheTime(messages);
      try {
        return { atRest, changing: await waits(options.seconds), changes: await changing.stop() };
      } finally {
        await changing.stop();
      }
    } finally {
      await service.stop();
    }
  } finally {
    await Promise.all([watched.stop(), other.stop(), source.close(), messages.close()]);
    await server.admin.query(`select pg_drop_replication_slot('${slot}')`);
    await server.admin.query(`drop database bench_messages_${round} with (force)`);
  }
}

/** `stop` returns how many changes there were. */
function changeAllTheTime(messages: Database): { stop(): Promise<number> } {
  let count = 0;
  let stopped = false;
  const kinds = [
    "select millrace.pause('other')",
    "select millrace.resume('other')",
    `with edited as (
       update millrace_private.sinks set settings = jsonb_set(settings, '{max_retry_count}', to_jsonb((random() * 9)::integer))
        where name = 'other' returning no
     )
     select millrace_private.publish_catalog() from edited`,
  ];
  const changing = (async () => {
    for (; !stopped; count += 1) {
      await messages.query(kinds[count % kinds.length]!);
      await sleep(EVERY_MS);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await changing;
      return count;
    },
  };
}

const sink = (name: string, url: string): string => `
  - name: ${name}
    database: bench
    source: { include_tables: [${TABLE}] }
    destination: { type: elasticsearch, endpoint_url: "${url}", index_name: bench, auth_type: none }`;
