/**
 * The lanes that run in this process. When a sink changes, its lanes end once the batch under way is settled, and are cut off
 * when that takes too long; none with the new settings begins before the last of them has ended.
 */
import { createSignal, type Signal } from '../runtime/concurrency/signal.ts';
import { keyOf, type LaneJob } from './lane-jobs.ts';
import type { LaneSink } from './target.ts';

export interface RunningLane {
  sinkNo: number;
  news: Signal;
  /** Undefined: not opened yet. */
  target: LaneSink | undefined;
  /** Its sink has changed: it ends when the batch under way is settled. */
  leave: AbortController;
  /** And that batch takes too long, or it has ended. */
  stop: AbortController;
}

export interface RunningLanes {
  readonly size: number;
  get(job: LaneJob): RunningLane | undefined;
  /** Undefined: it runs already, or lanes with the sink's former settings do. */
  begin(job: LaneJob): RunningLane | undefined;
  end(job: LaneJob): void;
  /** Does a lane with the sink's former settings run? */
  isLeaving(sinkNo: number): boolean;
  /** Ends those whose sink is not as it was; resolves when it is known which. */
  leaveChanged(isCurrent: (target: LaneSink) => Promise<boolean>): Promise<void>;
}

/** `settleMs`: how long the batch under way may take when its sink has changed. */
export function openRunningLanes(settleMs: number): RunningLanes {
  const running = new Map<string, RunningLane>();
  const leave = (here: RunningLane): void => {
    if (here.leave.signal.aborted) return;
    here.leave.abort();
    here.news.raise();
    const cut = setTimeout(() => here.stop.abort(), settleMs);
    here.stop.signal.addEventListener('abort', () => clearTimeout(cut), { once: true });
  };
  const isLeaving = (sinkNo: number): boolean =>
    [...running.values()].some((one) => one.sinkNo === sinkNo && one.leave.signal.aborted);
  return {
    get size() {
      return running.size;
    },
    get: (job) => running.get(keyOf(job)),
    begin(job) {
      // The first lane with the new settings closes what the former ones have open: the others must have ended by then.
      if (running.has(keyOf(job)) || isLeaving(job.sink)) return undefined;
      const here: RunningLane = {
        ...{ sinkNo: job.sink, news: createSignal(), target: undefined },
        ...{ leave: new AbortController(), stop: new AbortController() },
      };
      running.set(keyOf(job), here);
      return here;
    },
    end(job) {
      running.get(keyOf(job))?.stop.abort();
      running.delete(keyOf(job));
    },
    isLeaving,
    async leaveChanged(isCurrent) {
      const look = async (here: RunningLane): Promise<void> => {
        // Without an answer every lane looks again.
        if (!here.target || !(await isCurrent(here.target).catch(() => false))) leave(here);
      };
      await Promise.all([...running.values()].map(look));
    },
  };
}
