/**
 * Drain: changes that are already in the WAL behind a slot, until a search engine that costs nothing has all of them.
 * Every round makes them anew: a walsender reads all that follows them in the WAL, also what earlier rounds wrote into their
 * message tables. The limit, which writes nothing, has a copy of our slot.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openPool } from '../src/db/pool.ts';
import { createTable, makeChanges, TABLE } from './changes.ts';
import { limitName, measureLimit } from './limit.ts';
import { cpuOf, serverCpu, watchMemory } from './processes.ts';
import type { Server } from './server.ts';
import { startReceiver, startService } from './service.ts';

export interface DrainOptions {
  changes: number;
  rounds: number;
  /** Drains these changes in its own way. */
  peer?:
    | ((server: Server, input: { sourceUrl: string; slot: string; changes: number }) => Promise<Drained>)
    | undefined;
}

export interface DrainRound {
  limitPerSecond: number;
  perSecond: number;
  /** Seconds of CPU, from the first byte streamed to the last message settled. */
  rolesCpu: number | undefined;
  walsenderCpu: number | undefined;
  serverCpu: number | undefined;
  peakRssBytes: number | undefined;
  /** What the receiver got. */
  requests: number;
  bytes: number;
  /** Another program with the same changes, where it can be run. */
  peer?: Drained;
}

export type Drained = Omit<DrainRound, 'limitPerSecond' | 'peer'>;

export interface Drain {
  limit: string;
  changes: number;
  rounds: DrainRound[];
}

const DEADLINE_MS = 120_000;
/** Where some milliseconds do not count, or the receiver itself knows when: whoever asks uses the cores that are measured. */
export const SELDOM_MS = 100;

export async function drain(server: Server, options: DrainOptions): Promise<Drain> {
  const { source, sourceUrl } = await prepareSource(server);
  const { changes } = options;
  const measured: DrainRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const slot = `limit_${round}`;
    const endLsn = await freshChanges(source, { slot: `drain_${round}`, changes });
    await source.query(`select pg_copy_logical_replication_slot('drain_${round}', '${slot}', false, 'pgoutput')`);
    const seconds = await measureLimit({ sourceUrl, slot, endLsn, deadlineMs: DEADLINE_MS });
    const ours = await drainOnce(server, { sourceUrl, round, changes });
    let peer: DrainRound['peer'];
    if (options.peer) {
      await freshChanges(source, { slot: `peer_${round}`, changes });
      peer = await options.peer(server, { sourceUrl, slot: `peer_${round}`, changes });
    }
    measured.push({ ...ours, ...(peer && { peer }), limitPerSecond: changes / seconds });
  }
  await source.close();
  return { limit: limitName(), changes, rounds: measured };
}

/** The table, without a row. */
export async function prepareSource(server: Server): Promise<{ source: Database; sourceUrl: string }> {
  const sourceUrl = await server.database('bench_source');
  const source = openPool({
    address: sourceUrl,
    max: 1,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: DEADLINE_MS,
  });
  await createTable(source);
  return { source, sourceUrl };
}

/** The changes, behind a slot of their own. Returns the LSN of their end. */
export async function freshChanges(
  source: Database,
  { slot, changes }: { slot: string; changes: number },
): Promise<string> {
  await source.query(`truncate ${TABLE}`);
  await source.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  await makeChanges(source, changes);
  const { rows } = await source.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  return rows[0]!.lsn;
}

export interface DrainInput {
  sourceUrl: string;
  round: number;
  changes: number;
  declared?: (receiverUrl: string) => string;
  /** As for `startService`. */
  main?: string;
  /** Begins on the message database before the roles do; returns what ends it. */
  beside?: (messagesUrl: string) => Promise<() => Promise<void>>;
}

export async function drainOnce(server: Server, input: DrainInput): Promise<Drained> {
  const slot = `drain_${input.round}`;
  const messagesUrl = await server.database(`bench_messages_${input.round}`);
  const receiver = await startReceiver({ arrivals: false });
  const { beside } = input;
  let end: (() => Promise<void>) | undefined;
  const prepare = async (): Promise<void> => {
    end = await beside?.(messagesUrl);
  };
  try {
    const service = await startService({
      messagesUrl,
      prepare,
      sourceUrl: input.sourceUrl,
      slot,
      receiverUrl: receiver.url,
      ...(input.declared ? { declared: input.declared(receiver.url) } : {}),
      ...(input.main ? { main: input.main } : {}),
    });
    const memory = watchMemory(service.pids);
    try {
      const begunAt = await Promise.race([service.failed, untilStreaming(server, slot)]);
      const before = { roles: cpuOf(service.pids), server: serverCpu(server.pid) };
      const lastAt = await Promise.race([service.failed, untilReceived(receiver, input.changes)]);
      await Promise.race([service.failed, untilSettled(messagesUrl)]);
      const { requests, bytes } = await receiver.stats();
      const after = { roles: cpuOf(service.pids), server: serverCpu(server.pid) };
      return {
        perSecond: input.changes / ((lastAt - begunAt) / 1000),
        rolesCpu: less(after.roles, before.roles),
        walsenderCpu: less(after.server?.walsenders, before.server?.walsenders),
        serverCpu: less(after.server?.others, before.server?.others),
        peakRssBytes: memory.stop(),
        requests,
        bytes,
      };
    } finally {
      memory.stop();
      await service.stop();
    }
  } finally {
    await end?.();
    await receiver.stop();
    await server.admin.query(`drop database bench_messages_${input.round} with (force)`);
  }
}

export const less = (after: number | undefined, before: number | undefined): number | undefined =>
  after === undefined || before === undefined ? undefined : after - before;

/** When the slot was first seen in use, milliseconds since 1970. */
export async function untilStreaming(server: Server, slot: string): Promise<number> {
  return await until('capture streams', async () => {
    const { rows } = await server.admin.query<{ active: boolean }>(
      `select active from pg_replication_slots where slot_name = '${slot}'`,
    );
    return rows[0]?.active ? Date.now() : undefined;
  });
}

/** When the last one came, milliseconds since 1970. */
export async function untilReceived(
  receiver: { stats(): Promise<{ operations: number; lastAt: number }> },
  changes: number,
): Promise<number> {
  return await until(
    'every change has arrived',
    async () => {
      const { operations, lastAt } = await receiver.stats();
      if (operations > changes) throw new Error(`${operations} operations for ${changes} changes: some came twice`);
      return operations === changes ? lastAt : undefined;
    },
    SELDOM_MS,
  );
}

async function untilSettled(messagesUrl: string): Promise<void> {
  const messages = openPool({ address: messagesUrl, max: 1, applicationName: 'bench', path: 'role' });
  try {
    await until('every message is settled', async () => {
      const { rows } = await messages.query<{ empty: boolean }>(
        'select not exists (select from millrace_private.messages) as empty',
      );
      return rows[0]!.empty ? true : undefined;
    });
  } finally {
    await messages.close();
  }
}

/** Asks every `everyMs`, for two minutes at most. */
export async function until<Value>(what: string, ask: () => Promise<Value | undefined>, everyMs = 25): Promise<Value> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    const value = await ask();
    if (value !== undefined) return value;
    await sleep(everyMs);
  }
  throw new Error(`gave up after ${DEADLINE_MS / 1000} s: ${what}`);
}
