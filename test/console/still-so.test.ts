/** What a function made of samples, while somebody types on. */
import { expect } from 'chai';
import { stillSo } from '../../src/console/pages/functions/still-so.ts';

const sample = (record: string) => ({ action: 'read', record, changes: null, metadata: '{}' });
const asked = { type: 'transform', sink: undefined, code: 'a', samples: [sample('1'), sample('2')] };

describe('console: results of a function', () => {
  it('stay with their samples', () => {
    expect(stillSo(asked, { ...asked, code: 'b' }, ['x', 'y'])).to.deep.equal(['x', 'y']);
    const written = { ...asked, samples: [sample('1'), sample('3'), sample('4')] };
    expect(stillSo(asked, written, ['x', 'y'])).to.deep.equal(['x', undefined, undefined]);
  });

  it('are none of another type of function, or of another sink', () => {
    expect(stillSo(asked, { ...asked, type: 'filter' }, ['x', 'y'])).to.deep.equal([]);
    expect(stillSo(asked, { ...asked, sink: 'orders' }, ['x', 'y'])).to.deep.equal([]);
  });
});
