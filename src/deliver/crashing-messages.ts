/**
 * Messages that bring down the process of the functions cost everybody seconds: after three different ones, with no
 * message that went well between them, the sink is paused until somebody resumes it. The three are parked; those that
 * were not tried stay as they were.
 */
import { quoteLiteral } from '../model/quote.ts';
import type { LaneDeps, LaneRun } from './held-lane.ts';
import { pause } from './pause.ts';
import type { Prepared } from './prepare.ts';

/** Crashing messages, one after the other, that pause a sink. */
const CRASHES = 3;

/**
 * What of a batch may be settled: all up to the first that was not tried, or that crashed when there were too many
 * already, in another lane. `crashes`: ids of crashing messages since one went well, the same set for each batch;
 * `pause`: they are too many.
 */
export function upToUntried(
  prepared: readonly Prepared[],
  crashes: Set<number>,
): { prepared: readonly Prepared[]; pause: boolean } {
  let pause = false;
  for (const [place, { row, crash, verdict }] of prepared.entries()) {
    if (crash === 'untried') return { prepared: prepared.slice(0, place), pause };
    if (crash === 'killed') {
      if (crashes.size >= CRASHES && !crashes.has(row.id)) return { prepared: prepared.slice(0, place), pause: true };
      crashes.add(row.id);
    } else if (crashes.size > 0 && (!verdict || !('stage' in verdict))) {
      // (An empty set that is cleared is made anew, for each message.)
      crashes.clear();
    }
    pause ||= crashes.size >= CRASHES;
  }
  return { prepared, pause };
}

/** Only the lane's owner may. @throws LaneLost */
export async function pauseForCrashes(deps: LaneDeps, run: LaneRun): Promise<void> {
  const { target } = run;
  const names = Object.values(target.functions).map((fn) => fn.name);
  const message = `paused: ${CRASHES} messages, one after the other, brought down the process that runs its functions (${names.join(', ')})`;
  const remedy = `Fix the function, then: select millrace.resume(${quoteLiteral(target.name)}); the messages are in millrace.parked_messages.`;
  await pause(deps, run, { code: 'function_kills', message, remedy });
  deps.log.warn({ sink: target.name, functions: names }, 'sink paused: its functions bring their process down');
}
