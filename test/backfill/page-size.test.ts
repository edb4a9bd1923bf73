import { expect } from 'chai';
import { PageSize } from '../../src/backfill/page-size.ts';

describe('how much of a table a backfill asks for at once', () => {
  const usual = { rows: 2_000, bytes: 1_000_000, ms: 1_000, step: 2_000, maxRowBytes: 1_000 };
  const inTime = (size: PageSize, pages: number): void => {
    for (let page = 0; page < pages; page += 1) size.wasReadInTime();
  };

  it('is less when that took too long, down to one row', () => {
    const size = new PageSize(usual);
    const steps = [];
    while (size.tookTooLong()) steps.push(size.budget.step);
    expect(steps).to.deep.equal([32, 4, 1]);
    expect(size.budget).to.deep.equal({ ...usual, step: 1, ms: 125, narrow: 64 });
  });

  it('is as much as before, in the end, when it takes its time no longer', () => {
    const size = new PageSize(usual);
    while (size.tookTooLong());
    inTime(size, 9);
    expect(size.budget.step).to.equal(1);
    inTime(size, 1);
    expect(size.budget).to.deep.equal({ ...usual, step: 2, ms: 250, narrow: 64 });
    inTime(size, 200);
    expect(size.budget, 'a filter stays what it is').to.deep.equal({ ...usual, narrow: 64 });
  });

  it('does not grow on what was read in time before a page that was not', () => {
    const size = new PageSize(usual);
    size.tookTooLong();
    inTime(size, 9);
    size.tookTooLong();
    inTime(size, 9);
    expect(size.budget.step).to.equal(4);
  });
});
