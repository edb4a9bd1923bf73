/** A database goes over from one way of capture to the other: nothing is lost meanwhile, but somebody may have to act. */
import type { CaptureWay } from '../model/declared.ts';
import { byStarting, type Finding, type Repair, warning } from './finding.ts';
import { NOTED } from './noted-continuity.ts';

/** Why it has not gone over yet. */
export interface Awaited extends Repair {
  summary: string;
}

/** `to`: as it is declared; `awaited`: what is in the way. */
export const switching = (to: CaptureWay, { summary, ...repair }: Awaited): Finding =>
  warning(
    'capture_switching',
    `it switches to capture by ${to} as soon as that leaves no gap, and is captured by ${to === 'triggers' ? 'replication' : 'triggers'} until then: ${summary}`,
    repair,
  );

/** As it is seen from outside. `slotName`: of the identity of its position; undefined: nothing was captured. */
export const checkSwitching = (to: CaptureWay, slotName: string | undefined): Finding[] =>
  slotName === undefined || (slotName === NOTED) === (to === 'triggers')
    ? []
    : [
        switching(to, {
          summary: 'capture does that while it runs, and says in the state of the database what it waits for',
          ...byStarting('capture'),
        }),
      ];
