import { expect } from 'chai';
import { bucketOf, LATENCY_BOUNDS, LATENCY_BUCKETS, spreadLatencies } from '../../src/messages/latency.ts';

describe('latencies', () => {
  it('fall into the first bucket that is not shorter, and beyond the last bound into the last', () => {
    expect([0, 1, 1.5, 2, 13, 86_400_000, 86_400_001].map(bucketOf)).to.deep.equal([0, 0, 1, 1, 6, 22, 23]);
    expect(LATENCY_BUCKETS).to.equal(24);
    expect(LATENCY_BOUNDS.toSorted((one, other) => one - other)).to.deep.equal(LATENCY_BOUNDS);
  });

  it('of a batch lie evenly between its first and its last commit, and are as many as its messages', () => {
    expect(spreadLatencies({ firstMs: 10, lastMs: 10, count: 500 }, 30)).to.deep.equal([{ ms: 20, count: 500 }]);
    expect(spreadLatencies({ firstMs: 10, lastMs: 30, count: 3 }, 30)).to.deep.equal([
      { ms: 20, count: 1 },
      { ms: 10, count: 1 },
      { ms: 0, count: 1 },
    ]);
    const many = spreadLatencies({ firstMs: 0, lastMs: 1_000, count: 1_001 }, 1_000);
    expect(many.reduce((sum, { count }) => sum + count, 0)).to.equal(1_001);
  });
});
