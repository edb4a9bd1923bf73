/** How long nobody is asked after a failure. */
import { expect } from 'chai';
import { acceptedSeconds, untilNext } from '../../src/console/api/rest.ts';

const failed = { status: 'error', dataUpdatedAt: 0, errorUpdatedAt: 0, errorUpdateCount: 1 };

describe('console: asking again', () => {
  it('is more and more seldom while nobody answers, also where nobody has answered yet', () => {
    const never = [1, 2, 3, 4, 5, 6].map((errorUpdateCount) => untilNext({ ...failed, errorUpdateCount }, 500));
    expect(never).to.deep.equal([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    const since = [0, 4_000, 9_000, 90_000].map((ms) =>
      untilNext({ ...failed, dataUpdatedAt: 1_000, errorUpdatedAt: 1_000 + ms, errorUpdateCount: 40 }, 500),
    );
    expect(since).to.deep.equal([2_000, 4_000, 9_000, 30_000]);
  });

  it('is as often as ever with an answer, and after a failure never more often', () => {
    expect(untilNext({ ...failed, status: 'success' }, 500)).to.equal(500);
    expect(untilNext(failed, 10_000)).to.equal(10_000);
  });

  it('takes an answer of another tab where one is shown that nothing has happened to', () => {
    const shown = { data: {}, status: 'success', isInvalidated: false };
    expect([2_000, 10_000, undefined].map((every) => acceptedSeconds(shown, every))).to.deep.equal([1, 5, 0]);
    const others = [
      undefined,
      { ...shown, data: undefined },
      { ...shown, status: 'error' },
      { ...shown, isInvalidated: true },
    ];
    expect(others.map((state) => acceptedSeconds(state, 2_000))).to.deep.equal([0, 0, 0, 0]);
  });
});
