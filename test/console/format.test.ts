/** How texts and figures are shown. */
import { expect } from 'chai';
import { sentence } from '../../src/console/lib/format.ts';

describe('console: what is to be known beside a statement', () => {
  it('is a sentence of its own', () => {
    for (const [text, shown] of [
      ['then restart the server', 'Then restart the server.'],
      ['or, if they are not wanted: millrace.discard', 'Or, if they are not wanted: millrace.discard.'],
      ['millrace.discard deletes them', 'millrace.discard deletes them.'],
      ['Every row is sent again.', 'Every row is sent again.'],
      ['or drop one: select pg_drop_replication_slot(...)', 'Or drop one: select pg_drop_replication_slot(...)'],
    ] as const)
      expect(sentence(text)).to.equal(shown);
  });
});
