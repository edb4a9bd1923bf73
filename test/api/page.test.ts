/** Pages of a list: each row once, whatever the size; a cursor is good for its own filter alone. */
import { expect } from 'chai';
import { pageOf } from '../../src/api/page.ts';
import { MillraceError } from '../../src/model/errors.ts';

const ROWS = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

describe('a list in pages', () => {
  for (const limit of [1, 2, 3, 5, 9]) {
    it(`has each row once, ${limit} a page`, () => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = pageOf(ROWS, { limit, cursor }, { kind: undefined });
        expect(page.data.length).to.be.within(1, limit);
        seen.push(...page.data.map(({ name }) => name));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    });
  }

  it('goes on behind a row that is gone', () => {
    const { next_cursor } = pageOf(ROWS, { limit: 2 }, {});
    const left = ROWS.filter(({ name }) => name !== 'b');
    expect(pageOf(left, { limit: 2, cursor: next_cursor! }, {}).data).to.deep.equal([{ name: 'c' }, { name: 'd' }]);
  });

  it('is of rows that each have a name of their own: the next page would lose one', () => {
    const asking = (): unknown => pageOf([...ROWS, { name: 'e' }], { limit: 2 }, {});
    expect(asking).to.throw(Error, 'share a name');
  });

  it('refuses a cursor of another filter, and what is none', () => {
    const { next_cursor } = pageOf(ROWS, { limit: 2 }, { kind: 'pull' });
    const other = Buffer.from('{"after":1}').toString('base64url');
    const refused: [string, object, string][] = [
      [next_cursor!, {}, 'was made for another filter'],
      [next_cursor!, { kind: 'search_index' }, 'was made for another filter'],
      ['x', {}, 'is not one of ours'],
      [other, {}, 'is not one of ours'],
    ];
    for (const [cursor, filter, message] of refused) {
      const asking = (): unknown => pageOf(ROWS, { limit: 2, cursor }, { ...filter });
      expect(asking).to.throw(MillraceError).with.nested.property('faults[0].message', message);
    }
  });
});
