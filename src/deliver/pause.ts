/**
 * A sink that only a person can help is paused, with a notice that says why: its messages wait, and it costs nobody
 * anything. Whoever resumes it, or applies it as active again, has it tried anew.
 */
import { statement } from '../db/statement.ts';
import { outsideText } from '../model/outside-text.ts';
import { quoteLiteral } from '../model/quote.ts';
import type { Circuit } from '../model/sink.ts';
import { addNotices } from '../notices/add.ts';
import { forgetNotices } from '../notices/forget.ts';
import type { LaneDeps, LaneRun } from './held-lane.ts';
import { LaneLost } from './settle.ts';

const PAUSE = statement('deliver/pause');
/** Codes of the notices. */
const WHY = ['function_kills', 'destination_gone'];

const ERROR_CHARACTERS = 4_000;

/** The destination said that it is gone. @throws LaneLost */
export async function pauseForGone(deps: LaneDeps, run: LaneRun, { error }: Circuit): Promise<void> {
  const said = outsideText(error, { max: ERROR_CHARACTERS });
  const resume = `select millrace.resume(${quoteLiteral(run.target.name)})`;
  await pause(deps, run, {
    code: 'destination_gone',
    message: `paused: the destination says that it is gone for good: ${said}`,
    remedy: `Remove the sink, or give it another address and apply that; if it was an error over there: ${resume}.`,
  });
  deps.log.warn({ sink: run.target.name }, 'sink paused: its destination says that it is gone');
}

/** Only the lane's owner may. @throws LaneLost */
export async function pause(
  deps: LaneDeps,
  { target, id }: LaneRun,
  notice: { code: 'function_kills' | 'destination_gone'; message: string; remedy: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { rowCount } = await tx.query(PAUSE, [target.no, id.lane, id.owner]);
    if (rowCount === 0) throw new LaneLost();
    await addNotices(tx, [{ ...notice, sinkNo: target.no, table: '' }]);
  });
}

/** It is active again: what it was paused for is over. */
export async function forgive(deps: LaneDeps, run: LaneRun): Promise<void> {
  await forgetNotices(deps.db, run.target.no, WHY);
}
