/** The clock of the service, as its answers tell it: that of this machine may be wrong. */
import { expect } from 'chai';
import { compareClocks, serviceNow, serviceTime } from '../../src/console/lib/service-time.ts';

const HOUR = 3_600_000;
const header = (at: number): string => new Date(at).toUTCString();

describe('console: the clock of the service', () => {
  afterEach(() => compareClocks(header(100_000), 100_000, 100_500));

  it('is that of this machine until an answer says otherwise, and where they differ by no more than can be told', () => {
    for (const date of [null, 'yesterday', header(99_000), header(101_000)]) {
      compareClocks(date, 100_000, 100_500);
      expect(serviceTime(5)).to.equal(5);
    }
    expect(serviceNow()).to.be.closeTo(Date.now(), 1_000);
  });

  it('is found to be hours ahead or behind, and does not move with each answer', () => {
    for (const off of [-3 * HOUR, 5 * HOUR]) {
      compareClocks(header(100_000 + off), 100_000, 100_500);
      const found = serviceTime(0);
      expect(found).to.be.closeTo(off, 1_000);
      compareClocks(header(101_000 + off), 101_900, 102_700);
      expect(serviceTime(0)).to.equal(found);
    }
  });

  it('is found again when somebody sets this one right', () => {
    compareClocks(header(100_000 + HOUR), 100_000, 100_500);
    compareClocks(header(200_000 + HOUR), 200_000 + HOUR, 200_500 + HOUR);
    expect(serviceTime(5)).to.equal(5);
  });
});
