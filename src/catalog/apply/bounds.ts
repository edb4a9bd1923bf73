/** How many things there may be: lists are answered whole, and all of them are in the memory of each process. */
import type { Fault } from '../../model/errors.ts';
import type { Current } from './current.ts';
import type { Step } from './step.ts';

/** Of each. Sinks and change retentions count together. */
export const MOST = 1_000;

const LISTS: Record<string, { key: string; countOf(current: Current): number }> = {
  database: { key: 'databases', countOf: ({ databases }) => databases.length },
  function: { key: 'functions', countOf: ({ functions }) => functions.length },
  token: { key: 'api_tokens', countOf: ({ tokens }) => tokens.length },
  user: { key: 'users', countOf: ({ emails }) => emails.length },
};
const SINKS = { key: 'sinks', countOf: ({ sinks }: Current): number => sinks.length };

/** Only what makes more of them is refused. */
export function boundFaults(current: Current, steps: readonly Step[]): Fault[] {
  const byList = Map.groupBy(steps, ({ type }) => LISTS[type] ?? SINKS);
  return [...byList].flatMap(([{ key, countOf }, those]) => {
    const count = (action: Step['action']): number => those.filter((step) => step.action === action).length;
    const made = count('create');
    const after = countOf(current) + made - count('delete');
    if (made === 0 || after <= MOST) return [];
    const message = `would be ${after}, and there may be ${MOST.toLocaleString('en')}`;
    return [{ field: key, message, remedy: 'Remove some first.' }];
  });
}
