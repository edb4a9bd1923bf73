/**
 * News of a sink: its lanes that run here are woken, jobs of the others are asked for, but for those that another worker has:
 * that one hears the news too.
 */
import { statement } from '../db/statement.ts';
import type { LaneDatabase } from './behind.ts';
import { keyOf, type LaneJob, type LaneJobs } from './lane-jobs.ts';
import type { RunningLanes } from './running-lanes.ts';

const LANES = statement('deliver/lanes-of');

/** A lane that another worker owns is left to it for this long. */
const THEIRS_MS = 5_000;

export interface News {
  of(sinkNo: number): Promise<void>;
  /** Another worker has the lane. */
  onTheirs(job: LaneJob): void;
  /** Sinks may have other lanes. */
  onCatalog(): void;
}

export function openNews(deps: { db: LaneDatabase; jobs: LaneJobs; running: RunningLanes }): News {
  const { db, jobs, running } = deps;
  const lanesOf = new Map<number, number[]>();
  /** Until when lanes are left to other workers. */
  const theirs = new Map<string, number>();
  const find = async (sinkNo: number): Promise<number[]> => {
    const known = lanesOf.get(sinkNo);
    if (known) return known;
    const { rows } = await db.query<{ lane: number; sink_name: string }>(LANES, [sinkNo]);
    for (const row of rows) jobs.name(sinkNo, row.sink_name);
    const lanes = rows.map((row) => row.lane);
    lanesOf.set(sinkNo, lanes);
    return lanes;
  };
  return {
    async of(sink) {
      for (const lane of await find(sink)) {
        const here = running.get({ sink, lane });
        if (here) here.news.raise();
        else if ((theirs.get(keyOf({ sink, lane })) ?? 0) < performance.now()) await jobs.add({ sink, lane });
      }
    },
    onTheirs: (job) => void theirs.set(keyOf(job), performance.now() + THEIRS_MS),
    onCatalog: () => lanesOf.clear(),
  };
}
