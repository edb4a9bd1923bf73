/** Lists that come page by page. */
import { expect } from 'chai';
import { allPages, withNewer } from '../../src/console/lib/pages.ts';

describe('console: pages', () => {
  it('are read to the last one', async () => {
    const pages = [
      { data: [1, 2], next_cursor: 'a' },
      { data: [3], next_cursor: 'b' },
      { data: [], next_cursor: null },
    ];
    const asked: (string | undefined)[] = [];
    const rows = await allPages(async (cursor) => {
      asked.push(cursor);
      return pages[asked.length - 1]!;
    });
    expect(rows).to.deep.equal([1, 2, 3]);
    expect(asked).to.deep.equal([undefined, 'a', 'b']);
  });

  it('get newer rows on top, and lose the oldest ones whole', () => {
    const order = (one: number, other: number): number => other - one;
    const pages = [
      { data: [6, 5], next_cursor: 'a' },
      { data: [4, 3], next_cursor: 'b' },
      { data: [2, 1], next_cursor: null },
    ];
    expect(withNewer(pages, [7], { most: 10, order })).to.deep.equal([
      { data: [7, 6, 5], next_cursor: 'a' },
      ...pages.slice(1),
    ]);
    expect(withNewer(pages, [8, 7], { most: 7, order })).to.deep.equal([
      { data: [8, 7, 6, 5], next_cursor: 'a' },
      pages[1],
    ]);
    // The first one alone is more than that: whoever shows it reads it anew.
    expect(withNewer(pages, [9, 8, 7], { most: 3, order })).to.deep.equal([
      { data: [9, 8, 7, 6, 5], next_cursor: 'a' },
    ]);
    expect(withNewer([], [1], { most: 3, order })).to.deep.equal([]);
  });
});
