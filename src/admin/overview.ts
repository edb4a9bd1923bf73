/**
 * Everything on one page, from what the message database knows: how each thing is, what is under way, which processes are
 * there, and what needs attention first. Nobody else is asked. It looks at every sink, so ask seldom.
 */
import type { ConsumerFacts } from '../checks/consumer.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type Level, worstOf } from '../messages/health.ts';
import { readProcesses, type SeenProcess } from '../messages/processes.ts';
import { type Attention, type AttentionSink, attentionOf } from './attention.ts';
import { type KnownOperation, lookAtAccess, lookAtStorage } from './doctor/look-at-messages.ts';
import { type ListedDatabase, listDatabases } from './list-databases.ts';
import type { ListedSink } from './list-sinks.ts';
import { listOperations, type Operation } from './operations.ts';

const SINKS = statement('admin/overview-sinks');
const WAL = statement('admin/overview-databases');
const WORKER = statement('admin/doctor/has-worker');
const NEWEST = statement('admin/doctor/operations');
const CONSUMERS = statement('admin/doctor/consumers');
const TOTALS = statement('admin/overview-totals');

/** Of the figures by minute. */
const MINUTES = 60;
/** Looked through for those that have not ended. */
const OPERATIONS = 500;
/** One that has ended is shown for so long. */
const ENDED_MS = 3_600_000;

/** A sink or a change retention. */
export interface OverviewSink extends AttentionSink, Pick<ListedSink, 'health' | 'pending_is_estimate' | 'retrying'> {
  /** Age of its oldest message; null: there is none. */
  oldest_seconds: number | null;
  /** Of its oldest message that is not parked; null: none waits. */
  lag_seconds: number | null;
  /** Messages a second, in the last whole minute. */
  rate: Rate;
  /** Messages a minute of the last hour, the oldest first. */
  hour: Hour;
  /** Of the newest hour in which something was delivered; null: of none. */
  p50_ms: number | null;
  p99_ms: number | null;
}

interface Rate {
  persisted: number;
  delivered: number;
  failed: number;
}

interface Hour {
  persisted: number[];
  delivered: number[];
}

/** Of all sinks together. */
export interface OverviewTotals extends Pick<OverviewSink, 'rate' | 'hour' | 'p50_ms' | 'p99_ms'> {}

export interface OverviewDatabase extends ListedDatabase {
  /** Of WAL, as capture saw it last; null: it did not look lately. */
  wal: { lag_bytes: number; kept_bytes: number | null; limit_bytes: number | null } | null;
}

export interface Overview {
  at: Date;
  /** The worst of all. */
  level: Level;
  attention: Attention[];
  databases: OverviewDatabase[];
  /** Both lists. */
  sinks: OverviewSink[];
  totals: OverviewTotals;
  /** Under way, and then those that ended within the hour. */
  operations: Operation[];
  processes: SeenProcess[];
}

/** All in one snapshot of the catalog, as far as a transaction is one. */
export async function readOverview(db: Transacting, now: () => number): Promise<Overview> {
  return await db.transaction(async (tx) => {
    const sinks = await readSinks(tx);
    const databases = await readDatabases(tx);
    const processes = await readProcesses(tx);
    const { operations } = await listOperations(tx, {}, { limit: OPERATIONS });
    const worker = (await tx.query<{ has_worker: boolean; worker_seen_at: Date | null }>(WORKER)).rows[0]!;
    const newest = (await tx.query<KnownOperation>(NEWEST)).rows;
    const latency = (await tx.query<Pick<OverviewTotals, 'p50_ms' | 'p99_ms'>>(TOTALS)).rows[0]!;
    const messages = [...(await lookAtAccess(tx, null)), ...(await lookAtStorage(tx))];
    const consumers = (await tx.query<ConsumerFacts>(CONSUMERS)).rows;
    const facts = { hasWorker: worker.has_worker, workerSeenAt: worker.worker_seen_at, operations: newest };
    const nowMs = now();
    const ended = operations.filter(({ ended_at }) => ended_at && nowMs - ended_at.getTime() < ENDED_MS);
    return {
      at: new Date(nowMs),
      level: worstOf([...databases, ...sinks]).status,
      attention: attentionOf({ databases, sinks, processes, consumers, messages, ...facts }),
      ...{ databases, sinks, processes },
      totals: { ...totalsOf(sinks), ...latency },
      operations: [...operations.filter(({ ended_at }) => ended_at === null), ...ended],
    };
  });
}

interface SinkRow extends Omit<OverviewSink, 'rate' | 'hour'> {
  /** Null: nothing was counted in the last hour. */
  minutes_ago: number[] | null;
  persisted: number[] | null;
  delivered: number[] | null;
  failed: number[] | null;
}

async function readSinks(db: Queryable): Promise<OverviewSink[]> {
  const { rows } = await db.query<SinkRow>(SINKS);
  return rows.map(({ minutes_ago, persisted, delivered, failed, ...sink }) => {
    const byMinute = (counts: number[] | null): number[] => {
      const minutes = Array.from({ length: MINUTES + 1 }, () => 0);
      for (const [place, ago] of (minutes_ago ?? []).entries())
        if (ago >= 0 && ago <= MINUTES) minutes[MINUTES - ago]! += counts?.[place] ?? 0;
      return minutes;
    };
    // The last one is not over.
    const [in_, out, bad] = [persisted, delivered, failed].map(byMinute) as [number[], number[], number[]];
    const perSecond = (minutes: number[]): number => Math.round((minutes[MINUTES - 1]! / 60) * 100) / 100;
    return {
      ...sink,
      rate: { persisted: perSecond(in_), delivered: perSecond(out), failed: perSecond(bad) },
      hour: { persisted: in_.slice(1), delivered: out.slice(1) },
    };
  });
}

function totalsOf(sinks: readonly OverviewSink[]): Pick<OverviewTotals, 'rate' | 'hour'> {
  const rate = { persisted: 0, delivered: 0, failed: 0 };
  const hour: Hour = { persisted: Array(MINUTES).fill(0), delivered: Array(MINUTES).fill(0) };
  for (const sink of sinks) {
    for (const key of ['persisted', 'delivered', 'failed'] as const) rate[key] += sink.rate[key];
    for (const key of ['persisted', 'delivered'] as const)
      for (const [minute, count] of sink.hour[key].entries()) hour[key][minute]! += count;
  }
  return { rate, hour };
}

async function readDatabases(db: Queryable): Promise<OverviewDatabase[]> {
  const { rows } = await db.query<NonNullable<OverviewDatabase['wal']> & { name: string }>(WAL);
  const wal = new Map(rows.map(({ name, ...figures }) => [name, figures]));
  return (await listDatabases(db)).map((database) => ({ ...database, wal: wal.get(database.name) ?? null }));
}
