/**
 * The straight path into a destination that lies in the message database: it takes the next messages from their table by
 * itself, and they are settled in the same transaction. Whatever is in the way (functions, something that is due, a row
 * that is refused, a destination that is not ready) leaves them to be read and delivered one by one, which says why.
 */
import type { Taken } from '../model/sink.ts';
import { startWatch } from '../runtime/stages.ts';
import type { LaneDeps, LaneRun } from './held-lane.ts';
import { hasFunctions } from './prepare.ts';
import { beforeCommit, isRefused, type LaneState, settle } from './settle.ts';
import { countTaken } from './settled-counts.ts';

const NOTHING_FAILED = { finished: [], remaining: [], superseding: [] };

/**
 * Everything up to `hi` is delivered and settled. Undefined: nothing happened, the messages are to be read.
 * @throws LaneLost, and when the message database is away
 */
export async function take(deps: LaneDeps, run: LaneRun, state: LaneState): Promise<Taken | undefined> {
  const { target, id } = run;
  const takes = target.sink.take;
  if (!takes || state.due || hasFunctions(target.functions)) return undefined;
  const watch = startWatch(deps.stages);
  try {
    const taken = await deps.db.transaction(async (tx) => {
      const found = await takes(tx, { sinkNo: id.sinkNo, lane: id.lane, cursor: state.cursor });
      if (found === undefined || found.count === 0) return found;
      watch.lap('send');
      await settle(tx, id, { lo: state.cursor, hi: found.hi, settlement: NOTHING_FAILED });
      beforeCommit();
      return found;
    });
    if (taken && taken.count > 0) {
      watch.lap('settle');
      run.events.onSettled(target, countTaken(taken, deps.now()));
    }
    return taken;
  } catch (error) {
    // The transaction is rolled back. What Postgres said of it, it will say of the row or of the table too.
    if (isRefused(error)) return undefined;
    throw error;
  }
}
