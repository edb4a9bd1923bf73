/**
 * The playground's own life: about one change every two seconds, so that there is something to see before anybody has
 * typed a statement. What comes next is a pure function of a random number.
 */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Database } from '../db/pool.ts';
import { type Statement, statement } from '../db/statement.ts';
import type { Service } from '../runtime/service.ts';

const placeOrder = statement('playground/place-order');
const advanceOrder = statement('playground/advance-order');
const changePrice = statement('playground/change-price');
const forgetOrder = statement('playground/forget-order');

export interface Step {
  statement: Statement;
  values: number[];
}

/** Of ten changes: two orders placed, five taken a step on, two prices moved, one old order forgotten. */
export function nextStep(random: () => number): Step {
  const choice = random();
  if (choice < 0.2) return { statement: placeOrder, values: [random(), random()] };
  if (choice < 0.7) return { statement: advanceOrder, values: [random()] };
  if (choice < 0.9) return { statement: changePrice, values: [random(), random()] };
  return { statement: forgetOrder, values: [] };
}

export interface TrickleOptions {
  /** Milliseconds between two changes; 2,000. */
  everyMs?: number;
  random?: () => number;
}

export function trickle(db: Database, options: TrickleOptions = {}): Service {
  const random = options.random ?? Math.random;
  return {
    name: 'playground',
    async run(signal) {
      while (!signal.aborted) {
        await sleepFor(options.everyMs ?? 2_000, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        const step = nextStep(random);
        await db.query(step.statement, step.values);
      }
    },
    close: () => db.close(),
  };
}
