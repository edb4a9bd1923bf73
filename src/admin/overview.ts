/**
 * Everything on one page, from what the message database knows: how each thing is, what is under way, which processes are
 * there, and what needs attention first. Nobody else is asked. It costs some milliseconds a sink, so ask seldom.
 */
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type Level, worstOf } from '../messages/health.ts';
import { readProcesses, type SeenProcess } from '../messages/processes.ts';
import { type Attention, type AttentionSink, attentionOf } from './attention.ts';
import type { KnownOperation } from './doctor/look-at-messages.ts';
import { type ListedDatabase, listDatabases } from './list-databases.ts';
import type { ListedSink } from './list-sinks.ts';
import { listOperations, type Operation } from './operations.ts';

const SINKS = statement('admin/overview-sinks');
const WAL = statement('admin/overview-databases');
const WORKER = statement('admin/doctor/has-worker');
const NEWEST = statement('admin/doctor/operations');

/** Of the figures by minute. */
const MINUTES = 60;
const OPERATIONS = 50;
/** One that has ended is shown for so long. */
const ENDED_MS = 3_600_000;

/** A sink or a change retention. */
export interface OverviewSink extends AttentionSink, Pick<ListedSink, 'health' | 'pending_is_estimate' | 'retrying'> {
  /** Age of its oldest message; null: there is none. */
  oldest_seconds: number | null;
  /** Messages a second, in the last whole minute. */
  rate: { persisted: number; delivered: number; failed: number };
  /** Messages a minute of the last hour, the oldest first. */
  hour: { persisted: number[]; delivered: number[] };
  /** Of the newest hour in which something was delivered; null: of none. */
  p50_ms: number | null;
  p99_ms: number | null;
}

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
  /** Under way, or ended within the hour. */
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
    const hasWorker = (await tx.query<{ has_worker: boolean }>(WORKER)).rows[0]!.has_worker;
    const newest = (await tx.query<KnownOperation>(NEWEST)).rows;
    const nowMs = now();
    return {
      at: new Date(nowMs),
      level: worstOf([...databases, ...sinks]).status,
      attention: attentionOf({ databases, sinks, processes, hasWorker, operations: newest }),
      ...{ databases, sinks, processes },
      operations: operations.filter(({ ended_at }) => ended_at === null || nowMs - ended_at.getTime() < ENDED_MS),
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

async function readDatabases(db: Queryable): Promise<OverviewDatabase[]> {
  const { rows } = await db.query<NonNullable<OverviewDatabase['wal']> & { name: string }>(WAL);
  const wal = new Map(rows.map(({ name, ...figures }) => [name, figures]));
  return (await listDatabases(db)).map((database) => ({ ...database, wal: wal.get(database.name) ?? null }));
}
