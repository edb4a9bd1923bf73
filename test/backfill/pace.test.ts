import { expect } from 'chai';
import { Pace, WAITING_BOUND } from '../../src/backfill/pace.ts';

describe('how far a backfill may be ahead of its sink', () => {
  let now = 0;
  const paceAt = (): Pace => {
    now = 0;
    return new Pace(() => now);
  };

  it('asks before the first page, and then only when it cannot know', () => {
    const pace = paceAt();
    expect(pace.isKnown).to.equal(false);
    pace.saw(0);
    for (let sent = 2_000; sent < WAITING_BOUND; sent += 2_000) {
      pace.sent(2_000);
      expect(pace.isKnown, `${sent} are within the bound, though the sink took none`).to.equal(true);
    }
    pace.sent(2_000);
    expect(pace.isKnown, 'that is the bound').to.equal(false);
    pace.saw(100);
    now += 251;
    expect(pace.isKnown, 'whether it is still wanted').to.equal(false);
  });

  it('lets a slow sink have little, and a fast one more', () => {
    const pace = paceAt();
    expect(pace.saw(WAITING_BOUND)).to.equal(WAITING_BOUND);
    now += 250;
    // 1,000 in 250 ms.
    expect(pace.saw(9_000)).to.equal(4_000);
    now += 1_000;
    expect(pace.saw(3_000), 'as it took 6,000 in a second').to.equal(6_000);
    pace.sent(2_000);
    pace.sent(2_000);
    expect(pace.saw(7_000), 'what it sent itself says nothing').to.equal(6_000);
    now += 100;
    expect(pace.saw(1_000)).to.equal(WAITING_BOUND);
  });

  it('never more than the bound', () => {
    const pace = paceAt();
    pace.saw(WAITING_BOUND);
    now += 10;
    expect(pace.saw(0)).to.equal(WAITING_BOUND);
  });
});
