/**
 * Which lanes run when. A lane is a keyed job that delivers for some seconds and adds itself again while there is more;
 * one that is quiet ends, and news of a persisted batch (or the time of a retry) starts it. News may be lost, a worker may
 * be killed: a sweep every 15 s finds every lane that has work and no owner.
 */
import { once } from 'node:events';
import type { Jobs, Task } from '../db/jobs.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { BEAT_MS } from '../messages/beat.ts';
import { isUnavailable } from '../model/sqlstate.ts';
import { createSignal, type Signal } from '../runtime/concurrency/signal.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { createKeeper } from './heartbeat.ts';
import type { LaneDeps, LaneEnd } from './held-lane.ts';
import { runLane } from './lane.ts';
import type { Deaths, Presence } from './presence.ts';
import { type LaneId, releaseLane } from './settle.ts';
import type { LaneSink } from './target.ts';
import { createTurn } from './turn.ts';

const BUSY = statement('deliver/busy-lanes');
const LANES = statement('deliver/lanes-of');
const DECLARED = statement('deliver/declared-tables');
const MARK = statement('deliver/mark-waiting');

export const DELIVER_TASK = 'deliver';

/** Sinks by number, opened when first asked for, reopened when their settings changed. */
export interface Targets {
  /** Undefined: not there, or not active. */
  get(sinkNo: number): Promise<LaneSink | undefined>;
  /** Would `get` answer the same, as the catalog is now? */
  isCurrent(target: LaneSink): Promise<boolean>;
  /** The catalog may have changed: look again. */
  refresh(): void;
  /** Whoever opened them closes them, when the last lane has ended. */
  close(): Promise<void>;
}

export interface Deliveries extends Service {
  /** The job. */
  readonly task: Task;
  /** These sinks have news; undefined: any may. */
  onNews(sinks: readonly number[] | undefined): void;
  /** The catalog has changed: lanes of the sinks that changed end when their batch is settled, and look again. */
  onCatalog(): void;
}

export interface DeliveriesDeps {
  db: Database;
  jobs: () => Jobs;
  targets: Targets;
  lane: Omit<LaneDeps, 'onRecovered'>;
  log: Log;
  /** This process, as lanes know their owner. */
  owner: string;
  /** Absent: lanes of a worker that died wait for the end of their leases. */
  life?: { presence: Presence; deaths: Deaths; beat(): void };
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

interface Running {
  sinkNo: number;
  wake: Signal;
  /** Undefined: not opened yet. */
  target: LaneSink | undefined;
  /** Its sink has changed: it ends when the batch under way is settled. */
  leave: AbortController;
  /** And that batch takes too long. */
  stop: AbortController;
}

export const DELIVERIES: DeliveriesOptions = { runMs: 10_000, lingerMs: 2_000, sweepMs: 15_000, lookMs: 700 };
/** A lane that another worker owns is left to it for this long. */
const THEIRS_MS = 5_000;
const SETTLE_MS = 10_000;
/** News that come in a flood add a lane's job no more often than this. */
const ASKED_MS = 1_000;
/** With fewer free ones than that, lanes may be waiting for one. */
const SPARE_PLACES = 4;

interface LaneJob {
  sink: number;
  lane: number;
}

export function openDeliveries(deps: DeliveriesDeps, options: DeliveriesOptions = DELIVERIES): Deliveries {
  const running = new Map<string, Running>();
  const lanesOf = new Map<number, number[]>();
  /** Of sinks by their numbers, for the log. */
  const names = new Map<number, string>();
  const theirs = new Map<string, number>();
  /** When a lane's job was last added here: another worker may take it, and never tells us that it ended. */
  const asked = new Map<string, number>();
  /** Lanes that this process had when the message database went away. */
  const unreleased: LaneId[] = [];
  const keeper = createKeeper(deps.db, deps.life ? { presence: deps.life.presence } : {});
  const turn = createTurn();
  let runs = 0;
  /** Which of the lanes that run have to end is found out: none begins meanwhile. */
  let changing: Promise<unknown> = Promise.resolve();
  const keyOf = (sink: number, lane: number): string => `${DELIVER_TASK}:${sink}:${lane}`;
  const named = ({ sink, lane }: LaneJob) => ({ sink: names.get(sink) ?? sink, lane });

  /** False: it could not be asked for. */
  const add = async (job: LaneJob, runAt?: Date): Promise<boolean> => {
    const key = keyOf(job.sink, job.lane);
    if (!runAt) {
      if ((asked.get(key) ?? Number.NEGATIVE_INFINITY) > performance.now() - ASKED_MS) return true;
      asked.set(key, performance.now());
    }
    const added = await deps
      .jobs()
      .add(DELIVER_TASK, job, { key, ...(runAt ? { runAt } : {}) })
      .catch((error: unknown) => {
        // A database that is away is said once, not once a lane.
        const which = isUnavailable(error) ? {} : named(job);
        deps.log.warn({ err: error, ...which }, 'a lane could not be started: the next sweep will');
        return false;
      });
    if (!added) asked.delete(key);
    return added;
  };

  const news = async (sinkNo: number): Promise<void> => {
    let lanes = lanesOf.get(sinkNo);
    if (!lanes) {
      const { rows } = await deps.db.query<{ lane: number; sink_name: string }>(LANES, [sinkNo]);
      for (const row of rows) names.set(sinkNo, row.sink_name);
      lanes = rows.map((row) => row.lane);
      lanesOf.set(sinkNo, lanes);
    }
    for (const lane of lanes) {
      const key = keyOf(sinkNo, lane);
      const here = running.get(key);
      if (here) here.wake.raise();
      else if ((theirs.get(key) ?? 0) < performance.now()) await add({ sink: sinkNo, lane });
    }
  };

  const giveBack = async (): Promise<void> => {
    for (const id of unreleased.splice(0)) await releaseLane(deps.db, id).catch(() => void unreleased.push(id));
  };

  let isCatalogNew = true;
  /** A change table is made, and looked at, when it is declared: what is wrong shows before there is anything to write. */
  const openDeclared = async (): Promise<void> => {
    isCatalogNew = false;
    const { rows } = await deps.db.query<{ sink_no: number; lane: number; sink_name: string }>(DECLARED);
    for (const row of rows) {
      names.set(row.sink_no, row.sink_name);
      const isOpen = running.has(keyOf(row.sink_no, row.lane));
      if (!isOpen && !(await add({ sink: row.sink_no, lane: row.lane }))) isCatalogNew = true;
    }
  };

  const sweep = async (): Promise<void> => {
    await giveBack();
    if (isCatalogNew) await openDeclared();
    const { rows } = await deps.db.query<{ sink_no: number; lane: number; sink_name: string }>(BUSY);
    for (const row of rows) {
      names.set(row.sink_no, row.sink_name);
      asked.delete(keyOf(row.sink_no, row.lane));
      await add({ sink: row.sink_no, lane: row.lane });
    }
    if (rows.length > 0) await deps.db.query(MARK, [rows.map((row) => row.sink_no), rows.map((row) => row.lane)]);
  };

  const swept = (): void => {
    sweep().catch((error: unknown) => deps.log.warn({ err: error }, 'sweep of the lanes failed'));
  };

  let looking = false;
  const lookForDeaths = async (): Promise<void> => {
    if (!deps.life || looking) return;
    looking = true;
    // Whoever cannot ask takes nothing over.
    const freed = await deps.life.deaths.look().catch(() => 0);
    looking = false;
    if (freed === 0) return;
    deps.log.warn({ lanes: freed }, 'a worker is gone: its lanes are taken over');
    swept();
  };

  const leave = (here: Running): void => {
    if (here.leave.signal.aborted) return;
    here.leave.abort();
    here.wake.raise();
    const cut = setTimeout(() => here.stop.abort(), options.settleMs ?? SETTLE_MS);
    here.stop.signal.addEventListener('abort', () => clearTimeout(cut), { once: true });
  };

  const leaveIfChanged = async (here: Running): Promise<void> => {
    // Without an answer every lane looks again.
    if (!here.target || !(await deps.targets.isCurrent(here.target).catch(() => false))) leave(here);
  };

  /** The first lane with the new settings closes what the former ones have open: the others must have ended by then. */
  const isLeaving = (sinkNo: number): boolean =>
    [...running.values()].some((one) => one.sinkNo === sinkNo && one.leave.signal.aborted);

  const start = async (job: LaneJob, signal: AbortSignal): Promise<void> => {
    const key = keyOf(job.sink, job.lane);
    await changing;
    asked.delete(key);
    if (running.has(key) || isLeaving(job.sink)) return;
    const here: Running = {
      ...{ sinkNo: job.sink, wake: createSignal(), target: undefined },
      ...{ leave: new AbortController(), stop: new AbortController() },
    };
    running.set(key, here);
    let end: LaneEnd = { taken: true, again: undefined };
    try {
      const target = await deps.targets.get(job.sink);
      if (!target) return;
      here.target = target;
      end = await runLane(
        {
          ...deps.lane,
          keeper,
          turn,
          crowded: () => running.size > (options.places ?? Number.POSITIVE_INFINITY) - SPARE_PLACES,
          onRecovered: (sinkNo) => self.onNews([sinkNo]),
          onUnreleased: (id) => unreleased.push(id),
        },
        {
          target,
          id: { sinkNo: job.sink, lane: job.lane, owner: `${deps.owner}-${++runs}` },
          wake: here.wake,
          leaving: here.leave.signal,
          runMs: options.runMs,
          lingerMs: options.lingerMs,
        },
        AbortSignal.any([signal, here.stop.signal]),
      );
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Nothing was settled, nothing is counted: the next sweep that is answered finds the lane. It is not named: every
      // lane stops so, and their number is no measure for the log.
      deps.log.warn({ err: error }, 'lanes stopped: the message database did not answer');
      return;
    } finally {
      running.delete(key);
      here.stop.abort();
      // Those that were asked for meanwhile begin now, all of them.
      if (here.leave.signal.aborted && !signal.aborted && !isLeaving(job.sink)) self.onNews([job.sink]);
    }
    if (signal.aborted || here.leave.signal.aborted) return;
    if (!end.taken) theirs.set(key, performance.now() + THEIRS_MS);
    else if (end.again === 'now' || here.wake.take()) await add(job);
    else if (end.again) await add(job, end.again);
  };

  const self: Deliveries = {
    name: 'deliveries',
    task: async (payload, signal) => {
      const { sink, lane } = payload as LaneJob;
      await start({ sink, lane }, signal);
    },
    onNews(sinks) {
      if (!sinks) {
        swept();
        return;
      }
      for (const sinkNo of sinks)
        news(sinkNo).catch((error: unknown) => deps.log.warn({ err: error }, 'a lane could not be started'));
    },
    onCatalog() {
      lanesOf.clear();
      isCatalogNew = true;
      deps.targets.refresh();
      changing = Promise.all([changing, ...[...running.values()].map(leaveIfChanged)]);
      swept();
    },
    async run(signal) {
      swept();
      const timers = [
        setInterval(() => deps.life?.beat(), BEAT_MS),
        setInterval(swept, options.sweepMs),
        setInterval(() => void lookForDeaths(), options.lookMs),
      ];
      if (!signal.aborted) await once(signal, 'abort');
      for (const timer of timers) clearInterval(timer);
    },
    close: () => Promise.resolve(),
  };
  return self;
}
