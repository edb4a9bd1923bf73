import { expect } from 'chai';
import { backoffMs, RECONNECT, REDELIVER } from '../../src/runtime/backoff.ts';

describe('backoffMs', () => {
  it('doubles from the first wait to the longest', () => {
    const waits = [1, 2, 3, 4, 10, 11, 1000].map((attempt) => backoffMs(attempt, REDELIVER, 0.5));
    expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000, 512_000, 600_000, 600_000]);
  });

  it('spreads by its jitter, and never waits longer than the longest', () => {
    expect(backoffMs(1, REDELIVER, 0)).to.equal(850);
    expect(backoffMs(1, REDELIVER, 0.999_999)).to.equal(1_150);
    expect(backoffMs(99, REDELIVER, 0)).to.equal(510_000);
    expect(backoffMs(99, REDELIVER, 0.999_999)).to.equal(600_000);
    expect(backoffMs(99, RECONNECT, 0)).to.equal(2_500);
  });

  it('waits at most 5 s for a server that may be back', () => {
    expect(backoffMs(99, RECONNECT, 0.999_999)).to.equal(5_000);
  });

  it('takes an attempt below one as the first', () => {
    expect(backoffMs(0, RECONNECT, 0))
      .to.equal(backoffMs(1, RECONNECT, 0))
      .and.to.equal(50);
  });
});
