/** Do the processes run that do the work? By the signs of life that they leave in the message database. */
import { byHand, type Finding, fault, passed } from './finding.ts';

export interface ProcessFacts {
  /** Databases that a sink reads from, and that no capture has reported on for 15 s. */
  uncaptured: readonly string[];
  /** A worker has reported in the last 15 s. */
  hasWorker: boolean;
  /** Some sink is delivered to, or shaped for, by workers. */
  needsWorker: boolean;
}

export function checkProcesses({ uncaptured, hasWorker, needsWorker }: ProcessFacts): Finding[] {
  const found: Finding[] = [];
  if (uncaptured.length > 0)
    found.push(
      fault(
        'no_capture',
        `no capture process has reported for 15 s on ${uncaptured.join(', ')}`,
        byHand('Start one: `bin/millrace start capture`. If one is running, its log says what it does.'),
      ),
    );
  if (needsWorker && !hasWorker)
    found.push(
      fault(
        'no_worker',
        'no worker has reported for 15 s: nothing is delivered',
        byHand('Start one: `bin/millrace start worker`. If one is running, its log says what it does.'),
      ),
    );
  return found.length > 0 ? found : [passed('processes', 'capture and workers report')];
}
