/** One job: a lane runs for some seconds, and asks for its next job when there is more to do, or a time to come again. */
import { isUnavailable } from '../model/sqlstate.ts';
import type { LaneDeps, LaneEnd, LaneEvents, LaneLimits } from './held-lane.ts';
import { runLane } from './lane.ts';
import type { LaneJob, LaneJobs } from './lane-jobs.ts';
import type { RunningLane, RunningLanes } from './running-lanes.ts';
import type { Targets } from './target.ts';

export interface JobDeps {
  lane: LaneDeps;
  limits: LaneLimits;
  events: LaneEvents;
  targets: Targets;
  jobs: LaneJobs;
  running: RunningLanes;
  /** Another token for each time that a lane is taken. */
  owner(): string;
  /** Lanes of this sink were asked for while they could not begin. */
  onNews(sinkNo: number): void;
  /** Another worker has the lane. */
  onTheirs(job: LaneJob): void;
}

/** Throws what is no fault of a database that is away. */
export async function runJob(deps: JobDeps, job: LaneJob, signal: AbortSignal): Promise<void> {
  const { running, jobs } = deps;
  jobs.forget(job);
  const here = running.begin(job);
  if (!here) return;
  let end: LaneEnd | undefined;
  try {
    end = await run(deps, { job, here }, signal);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    // Nothing was settled, nothing is counted: the next sweep that is answered finds the lane. It is not named: every lane
    // stops so, and their number is no measure for the log.
    deps.lane.log.warn({ err: error }, 'lanes stopped: the message database did not answer');
  } finally {
    running.end(job);
    // Those that were asked for meanwhile begin now, all of them.
    if (here.leave.signal.aborted && !signal.aborted && !running.isLeaving(job.sink)) deps.onNews(job.sink);
  }
  if (!end || signal.aborted || here.leave.signal.aborted) return;
  if (!end.taken) deps.onTheirs(job);
  else if (end.again === 'now' || here.news.take()) await jobs.add(job);
  else if (end.again) await jobs.add(job, end.again);
}

/** Undefined: its sink is not there, or not active. */
async function run(
  deps: JobDeps,
  { job, here }: { job: LaneJob; here: RunningLane },
  signal: AbortSignal,
): Promise<LaneEnd | undefined> {
  const target = await deps.targets.get(job.sink);
  if (!target) return undefined;
  here.target = target;
  const id = { sinkNo: job.sink, lane: job.lane, owner: deps.owner() };
  const { limits, events } = deps;
  return await runLane(
    deps.lane,
    { target, id, news: here.news, leaving: here.leave.signal, limits, events },
    AbortSignal.any([signal, here.stop.signal]),
  );
}
