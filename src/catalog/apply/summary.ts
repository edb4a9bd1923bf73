/** What an apply did, by name, in the order it was done. */
import { isDeepStrictEqual } from 'node:util';

export type Change = 'created' | 'changed' | 'unchanged';

export class Summary {
  readonly #entries: { change: Change; name: string }[] = [];
  /** What whoever applies should know besides, with what to do. */
  readonly notes: string[] = [];

  /** `existing`: was there one; `same`: and was it as declared. Returns true when it must be written. */
  add(name: string, existing: boolean, same: boolean): boolean {
    const change = !existing ? 'created' : same ? 'unchanged' : 'changed';
    this.#entries.push({ change, name });
    return change !== 'unchanged';
  }

  get changes(): number {
    return this.#entries.filter(({ change }) => change !== 'unchanged').length;
  }

  names(): Record<Change | 'notes', string[]> {
    const of = (wanted: Change): string[] =>
      this.#entries.filter(({ change }) => change === wanted).map(({ name }) => name);
    return { created: of('created'), changed: of('changed'), unchanged: of('unchanged'), notes: this.notes };
  }
}

/** Is what is stored equal to what is declared, once that is stored too? The order of keys does not count. */
export function sameJson(stored: unknown, declared: unknown): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(declared)));
}
