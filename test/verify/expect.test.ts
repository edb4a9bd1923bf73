/** What an index should hold, decided without asking the functions. */
import { expect } from 'chai';
import { type ExpectDeps, expectRows } from '../../src/verify/expect.ts';
import type { VerifiedTable } from '../../src/verify/tables.ts';

describe('verify: what an index should hold', () => {
  it('is nothing of a row that is too large, with its size', async () => {
    const deps = { functions: {}, indexName: 'products', metadata: '' } as ExpectDeps;
    const table = { route: {} } as VerifiedTable;
    const tuple = { bytes: Buffer.alloc(0), ranges: [], unchanged: false };
    expect(await expectRows(deps, { table, rows: [{ tuple, tooLarge: 300_064 }] })).to.deep.equal([
      { kind: 'fault', reason: 'the row of about 300064 bytes is larger than max_row_bytes' },
    ]);
  });
});
