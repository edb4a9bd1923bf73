/** How far a stream is behind its source in time: by the source's clock, whatever ours says. */
import { expect } from 'chai';
import { Behind, type StreamPlace } from '../../src/capture/replication/behind.ts';

/** The source's clock is ten minutes ahead. */
const AHEAD = 600_000;
const CLOCK = { sourceMs: AHEAD + 1_010, askedMs: 1_000, answeredMs: 1_020 };

describe('capture: how far it is behind', () => {
  let at: StreamPlace;
  let behind: Behind;
  beforeEach(() => {
    at = { isIdle: true, confirmed: 90n, nowMs: 3_000 };
    behind = new Behind(() => at);
    behind.looked(CLOCK, null);
  });

  it('is the age of the transaction that it is at, while something is not persisted', () => {
    at.isIdle = false;
    expect(behind.ms).to.equal(0);
    behind.came((AHEAD + 2_500) * 1_000);
    expect(behind.ms).to.equal(500);
    at.isIdle = true;
    expect(behind.ms).to.equal(0);
    at.isIdle = false;
    behind.came((AHEAD + 3_001) * 1_000);
    expect(behind.ms).to.equal(0);
  });

  it('is since when WAL that was seen there is not passed, though nothing comes', () => {
    const seen = (end: bigint, place: Partial<StreamPlace>): void => {
      Object.assign(at, place);
      behind.looked(CLOCK, end);
    };
    const ms = (confirmed: bigint, nowMs: number): number => {
      Object.assign(at, { confirmed, nowMs });
      return behind.ms;
    };
    seen(100n, { nowMs: 10_000 });
    // It comes in a moment.
    expect(ms(90n, 15_000)).to.equal(0);
    expect(ms(90n, 15_001)).to.equal(5_001);
    expect(ms(100n, 15_001)).to.equal(0);
    // What was seen first counts until it is passed.
    seen(200n, { confirmed: 99n, nowMs: 40_000 });
    expect(ms(99n, 41_000)).to.equal(31_000);
    expect(ms(100n, 41_000)).to.equal(0);
    seen(300n, { confirmed: 100n, nowMs: 70_000 });
    expect(ms(100n, 80_000)).to.equal(10_000);
  });
});
