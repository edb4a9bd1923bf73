import { expect } from 'chai';
import { chart } from '../../bench/plot.ts';

const points = (...all: [number, number][]) => all.map(([x, y]) => ({ x, y }));

describe('the charts of the benchmarks', () => {
  it('have a mark for each power of ten, and every point between them', () => {
    const svg = chart({
      title: 'a <b> & "c"',
      x: 'tables',
      y: 'changes/s',
      lines: [{ name: 'drain', points: points([1, 2_000], [10, 20_000], [1_000, 5_000]) }],
    });
    expect(svg).to.include('a &lt;b&gt; &amp; &quot;c&quot;').and.not.include('<b>');
    for (const mark of ['>1<', '>10<', '>100<', '>1,000<', '>10,000<', '>100,000<']) expect(svg).to.include(mark);
    const places = /<polyline points="([^"]+)"/
      .exec(svg)![1]!
      .split(' ')
      .map((at) => at.split(',').map(Number));
    expect(places).to.have.length(3);
    const [first, second, third] = places as [number, number][];
    expect(first![0]).to.equal(76);
    expect(third![0]).to.equal(616);
    expect(second![0]).to.be.closeTo(76 + 540 / 3, 0.1);
    expect(second![1], 'more is higher up').to.be.below(first![1]);
  });

  it('have a place for one value too, and none for zero', () => {
    expect(chart({ title: 't', x: 'x', y: 'y', lines: [{ name: 'l', points: points([1, 1]) }] })).to.include(
      'polyline',
    );
    const zero = { title: 'nothing', x: 'x', y: 'y', lines: [{ name: 'l', points: points([1, 0]) }] };
    expect(() => chart(zero)).to.throw('nothing: every point must be above zero');
  });
});
