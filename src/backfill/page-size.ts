/**
 * How much of a table a query of a backfill asks for: less when the source took too long for it, and more again while it does not.
 * What made it slow, a lock or a busy disk, may be over.
 */
import type { PageBudget } from '../source/read-page.ts';

const SMALL_STEP = 256;
const FEWER = 8;
const LEAST_MS = 100;
/** Rows that are looked through for each that is asked for, once a page has taken too long. */
const NARROW = 64;
/** Pages in a row that were read in time, before the next ones are twice as large. */
const READ_IN_TIME = 10;

export class PageSize {
  /** As it is now: it changes. */
  readonly budget: PageBudget;
  readonly #usual: PageBudget;
  #inTime = 0;

  constructor(usual: PageBudget) {
    this.#usual = usual;
    this.budget = { ...usual };
  }

  /** A page took too long. False: it cannot be smaller. */
  tookTooLong(): boolean {
    const { budget } = this;
    this.#inTime = 0;
    budget.narrow = NARROW;
    if (budget.step <= 1) return false;
    budget.step = Math.max(1, Math.floor(Math.min(budget.step, SMALL_STEP) / FEWER));
    budget.ms = Math.max(LEAST_MS, budget.ms / 2);
    return true;
  }

  wasReadInTime(): void {
    const { budget } = this;
    this.#inTime += 1;
    if (this.#inTime < READ_IN_TIME) return;
    this.#inTime = 0;
    budget.step = Math.min(this.#usual.step, 2 * budget.step);
    budget.ms = Math.min(this.#usual.ms, 2 * budget.ms);
  }
}
