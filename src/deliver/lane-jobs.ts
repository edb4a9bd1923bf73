/**
 * The jobs of lanes, and how they are asked for. A job is keyed by its lane, which is in the queue once, however often
 * somebody asks for it.
 */
import type { Jobs } from '../db/jobs.ts';
import { isUnavailable } from '../model/sqlstate.ts';
import type { Log } from '../runtime/log.ts';

export const DELIVER_TASK = 'deliver';
/** News that come in a flood add a lane's job no more often than this. */
const ASKED_MS = 1_000;

export interface LaneJob {
  sink: number;
  lane: number;
}

export interface LaneJobs {
  /** At once, or at a time. False: it could not be asked for, and the log says so. */
  add(job: LaneJob, runAt?: Date): Promise<boolean>;
  /** It began here, or it is waited for in vain: the next one who asks is heard. */
  forget(job: LaneJob): void;
  /** What the log calls a sink. */
  name(sinkNo: number, name: string): void;
}

export const keyOf = ({ sink, lane }: LaneJob): string => `${DELIVER_TASK}:${sink}:${lane}`;

export function openLaneJobs(jobs: () => Jobs, log: Log): LaneJobs {
  const names = new Map<number, string>();
  /** When a lane's job was last added here: another worker may take it, and never tells us that it ended. */
  const asked = new Map<string, number>();
  return {
    async add(job, runAt) {
      const key = keyOf(job);
      if (!runAt) {
        if ((asked.get(key) ?? Number.NEGATIVE_INFINITY) > performance.now() - ASKED_MS) return true;
        asked.set(key, performance.now());
      }
      const added = await jobs()
        .add(DELIVER_TASK, job, { key, ...(runAt ? { runAt } : {}) })
        .catch((error: unknown) => {
          // A database that is away is said once, not once a lane.
          const which = isUnavailable(error) ? {} : { sink: names.get(job.sink) ?? job.sink, lane: job.lane };
          log.warn({ err: error, ...which }, 'a lane could not be started: the next sweep will');
          return false;
        });
      if (!added) asked.delete(key);
      return added;
    },
    forget: (job) => void asked.delete(keyOf(job)),
    name: (sinkNo, name) => void names.set(sinkNo, name),
  };
}
