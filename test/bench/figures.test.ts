import { expect } from 'chai';
import { figure, median, quantile, table } from '../../bench/figures.ts';

describe('figures of the benchmarks', () => {
  it('take the middle of the rounds', () => {
    expect(median([30, 1, 2])).to.equal(2);
    expect(median([4, 1, 2, 3])).to.equal(2.5);
    expect(median([])).to.be.NaN;
  });

  it('take a quantile that was really measured', () => {
    const hundred = Array.from({ length: 100 }, (_item, place) => 100 - place);
    expect(quantile(hundred, 0.5)).to.equal(50);
    expect(quantile(hundred, 0.99)).to.equal(99);
    expect(quantile([7], 0.99)).to.equal(7);
    expect(quantile([], 0.5)).to.be.NaN;
  });

  it('are printed with three digits', () => {
    expect([0.2034, 12.34, 5, 123.4, 41_312, undefined, Number.NaN].map(figure)).to.deep.equal([
      '0.203',
      '12.3',
      '5',
      '123',
      '41,300',
      '–',
      '–',
    ]);
  });

  it('stand in a table that Markdown reads', () => {
    expect(
      table(
        ['what', 'n'],
        [
          ['one thing', '1'],
          ['', '20,000'],
        ],
      ).split('\n'),
    ).to.deep.equal([
      '| what      | n      |',
      '| --------- | ------ |',
      '| one thing | 1      |',
      '|           | 20,000 |',
    ]);
  });
});
