/**
 * A look at all lanes, now and then: whatever was not told, or not heard, every lane that has work and no owner is found here.
 */
import { statement } from '../db/statement.ts';
import type { LaneDatabase } from './behind.ts';
import type { LaneJob, LaneJobs } from './lane-jobs.ts';
import type { RunningLanes } from './running-lanes.ts';
import { type LaneId, releaseLane } from './settle.ts';

const BUSY = statement('deliver/busy-lanes');
const DECLARED = statement('deliver/declared-tables');
const MARK = statement('deliver/mark-waiting');

export interface Sweep {
  run(): Promise<void>;
  /** The catalog has changed: the next run looks at what it declares. */
  onCatalog(): void;
  /** A lane that this process had when the message database went away: the next run gives it back. */
  onUnreleased(id: LaneId): void;
}

interface LaneRow {
  sink_no: number;
  lane: number;
  sink_name: string;
}

export function openSweep(deps: { db: LaneDatabase; jobs: LaneJobs; running: RunningLanes }): Sweep {
  const { db, jobs, running } = deps;
  const unreleased: LaneId[] = [];
  let isCatalogNew = true;

  const jobOf = ({ sink_no: sink, lane, sink_name }: LaneRow): LaneJob => {
    jobs.name(sink, sink_name);
    return { sink, lane };
  };
  /** A change table is made, and looked at, when it is declared: what is wrong shows before there is anything to write. */
  const openDeclared = async (): Promise<void> => {
    isCatalogNew = false;
    const { rows } = await db.query<LaneRow>(DECLARED);
    for (const job of rows.map(jobOf)) if (!running.get(job) && !(await jobs.add(job))) isCatalogNew = true;
  };

  return {
    async run() {
      for (const id of unreleased.splice(0)) await releaseLane(db, id).catch(() => void unreleased.push(id));
      if (isCatalogNew) await openDeclared();
      const { rows } = await db.query<LaneRow>(BUSY);
      for (const job of rows.map(jobOf)) {
        jobs.forget(job);
        await jobs.add(job);
      }
      if (rows.length > 0) await db.query(MARK, [rows.map((row) => row.sink_no), rows.map((row) => row.lane)]);
    },
    onCatalog() {
      isCatalogNew = true;
    },
    onUnreleased: (id) => void unreleased.push(id),
  };
}
