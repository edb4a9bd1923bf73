/**
 * Which lanes run when. A lane is a keyed job that delivers for some seconds and adds itself again while there is more;
 * one that is quiet ends, and news of a persisted batch (or the time of a retry) starts it. News may be lost, a worker may
 * be killed: a sweep every 15 s finds every lane that has work and no owner.
 */
import { once } from 'node:events';
import type { Jobs, Task } from '../db/jobs.ts';
import { BEAT_MS } from '../messages/beat.ts';
import type { ByteBudget } from '../runtime/concurrency/byte-budget.ts';
import type { Service } from '../runtime/service.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { LaneDeps, LaneEvents, LaneLimits } from './held-lane.ts';
import { type LaneJob, openLaneJobs } from './lane-jobs.ts';
import { openNews } from './news.ts';
import type { Deaths, Presence } from './presence.ts';
import { type JobDeps, runJob } from './run-job.ts';
import { openRunningLanes, type RunningLanes } from './running-lanes.ts';
import { openSweep } from './sweep.ts';
import type { Targets } from './target.ts';
import { createTurn } from './turn.ts';

export interface Deliveries extends Service {
  /** The job. */
  readonly task: Task;
  /** These sinks have news; undefined: any may. */
  onNews(sinks: readonly number[] | undefined): void;
  /** The catalog has changed: lanes of the sinks that changed end when their batch is settled, and look again. */
  onCatalog(): void;
}

export interface DeliveriesDeps {
  lane: Omit<LaneDeps, 'heartbeat'>;
  jobs: () => Jobs;
  targets: Targets;
  /** This process, as lanes know their owner. */
  owner: string;
  /** What all lanes together may have in memory; absent: as much as they like. */
  budget?: ByteBudget;
  onSettled?: LaneEvents['onSettled'];
  /** Absent: lanes of a worker that died wait for the end of their leases. */
  life?: Life;
}

/** How this process says that it is there, and how it sees that another one is not. */
export interface Life {
  presence: Presence;
  deaths: Deaths;
  beat(): void;
}

export interface DeliveriesOptions {
  runMs: number;
  lingerMs: number;
  sweepMs: number;
  /** Milliseconds between two looks for workers that died. */
  lookMs: number;
  /** Lanes that may run at the same time; absent: any number. */
  places?: number;
  /** Milliseconds that a batch may take when its sink has changed; 10,000 if absent. */
  settleMs?: number;
}

export const DELIVERIES: DeliveriesOptions = { runMs: 10_000, lingerMs: 2_000, sweepMs: 15_000, lookMs: 700 };
const SETTLE_MS = 10_000;
/** With fewer free ones than that, lanes may be waiting for one. */
const SPARE_PLACES = 4;

export function openDeliveries(deps: DeliveriesDeps, options: DeliveriesOptions = DELIVERIES): Deliveries {
  const { targets, life } = deps;
  const { db, log } = deps.lane;
  const jobs = openLaneJobs(deps.jobs, log);
  const running = openRunningLanes(options.settleMs ?? SETTLE_MS);
  const sweep = openSweep({ db, jobs, running });
  const news = openNews({ db, jobs, running });
  /** Which of the lanes that run have to end is found out: none begins meanwhile. */
  let changing: Promise<unknown> = Promise.resolve();

  const swept = (): void => {
    sweep.run().catch((error: unknown) => log.warn({ err: error }, 'sweep of the lanes failed'));
  };
  const onNews = (sinkNo: number): void => {
    news.of(sinkNo).catch((error: unknown) => log.warn({ err: error }, 'a lane could not be started'));
  };
  const lookForDeaths =
    life &&
    deathWatch(life, (lanes) => {
      log.warn({ lanes }, 'a worker is gone: its lanes are taken over');
      swept();
    });
  const events = {
    onSettled: deps.onSettled ?? (() => undefined),
    onRecovered: onNews,
    onUnreleased: sweep.onUnreleased,
  };
  const lane = { ...deps.lane, heartbeat: createHeartbeat(db, life ? { presence: life.presence } : {}) };
  let runs = 0;
  const owner = (): string => `${deps.owner}-${++runs}`;
  const limits = limitsOf(deps, options, running);
  const job: JobDeps = { lane, limits, events, targets, jobs, running, owner, onNews, onTheirs: news.onTheirs };

  return {
    name: 'deliveries',
    task: async (payload, signal) => {
      await changing;
      const { sink, lane } = payload as LaneJob;
      await runJob(job, { sink, lane }, signal);
    },
    onNews(sinks) {
      if (!sinks) swept();
      else for (const sinkNo of sinks) onNews(sinkNo);
    },
    onCatalog() {
      news.onCatalog();
      sweep.onCatalog();
      targets.refresh();
      changing = Promise.all([changing, running.leaveChanged((target) => targets.isCurrent(target))]);
      swept();
    },
    async run(signal) {
      swept();
      const timers = [
        setInterval(() => life?.beat(), BEAT_MS),
        setInterval(swept, options.sweepMs),
        setInterval(() => void lookForDeaths?.(), options.lookMs),
      ];
      if (!signal.aborted) await once(signal, 'abort');
      for (const timer of timers) clearInterval(timer);
    },
    close: () => Promise.resolve(),
  };
}

function limitsOf(deps: DeliveriesDeps, options: DeliveriesOptions, running: RunningLanes): LaneLimits {
  const most = (options.places ?? Number.POSITIVE_INFINITY) - SPARE_PLACES;
  return {
    runMs: options.runMs,
    lingerMs: options.lingerMs,
    ...(deps.budget && { budget: deps.budget }),
    turn: createTurn(),
    crowded: () => running.size > most,
  };
}

/** Looks for workers that died, one look at a time; `onFreed` hears how many lanes they had. */
function deathWatch({ deaths }: Life, onFreed: (lanes: number) => void): () => Promise<void> {
  let looking = false;
  return async () => {
    if (looking) return;
    looking = true;
    // Whoever cannot ask takes nothing over.
    const freed = await deaths.look().catch(() => 0);
    looking = false;
    if (freed > 0) onFreed(freed);
  };
}
