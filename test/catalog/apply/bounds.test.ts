/** What is decided before anything is written: how many things there may be, and whose password was hashed beforehand. */
import { expect } from 'chai';
import { boundFaults, MOST } from '../../../src/catalog/apply/bounds.ts';
import type { Current } from '../../../src/catalog/apply/current.ts';
import type { Decided, Step } from '../../../src/catalog/apply/step.ts';
import { decideUsers } from '../../../src/catalog/apply/users.ts';
import type { Transaction } from '../../../src/db/pool.ts';

describe('a declaration', () => {
  const EMPTY: Current = { tokens: [], databases: [], functions: [], sinks: [], emails: [] };
  const full: Current = { ...EMPTY, emails: Array(MOST).fill('a@example.org') };
  const step = (type: string, action: Step['action']): Step => ({
    ...{ type, name: 'x', action, old: null, new: null },
    write: async () => undefined,
  });

  it('makes a thousand things of each sort at most', () => {
    const sinks = (count: number): Step[] =>
      Array.from({ length: count }, (_, no) => step(no % 2 === 0 ? 'sink' : 'change_retention', 'create'));
    expect(boundFaults(EMPTY, sinks(MOST))).to.deep.equal([]);
    expect(boundFaults(EMPTY, sinks(MOST + 1))).to.deep.equal([
      { field: 'sinks', message: 'would be 1001, and there may be 1,000', remedy: 'Remove some first.' },
    ]);
    expect(boundFaults(full, [step('user', 'create')]).map(({ field }) => field)).to.deep.equal(['users']);
    for (const fine of [[step('user', 'keep')], [step('user', 'create'), step('user', 'delete')]])
      expect(boundFaults(full, fine)).to.deep.equal([]);
  });

  it('stores the hash that was made before the catalog was locked', async () => {
    const decided: Decided = { steps: [], notes: [], faults: [] };
    const users = [{ email: 'ann@example.org', password: 'a long password', scopes: ['read'] }];
    decideUsers([], users, { hashes: new Map([['ann@example.org', '$argon2id$']]), decided });
    const written: unknown[] = [];
    const tx = {
      async query(_sql: unknown, values: unknown[] = []) {
        written.push(...values);
        return { rows: [], rowCount: 0 };
      },
    };
    await decided.steps[0]!.write(tx as Partial<Transaction> as Transaction);
    expect(written).to.include('$argon2id$');
  });
});
