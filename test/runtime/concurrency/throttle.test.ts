import { expect } from 'chai';
import { createThrottle } from '../../../src/runtime/concurrency/throttle.ts';
import { until } from '../../support/until.ts';

describe('a throttle', () => {
  it('acts at once, then once for all that ask before the time has come', async () => {
    let acts = 0;
    const it = createThrottle(() => {
      acts += 1;
    }, 20);
    it.soon();
    expect(acts).to.equal(1);
    it.soon();
    it.soon();
    expect(acts).to.equal(1);
    await until('it has acted again', () => acts === 2);
  });

  it('acts when told to, instead of later', () => {
    let acts = 0;
    const it = createThrottle(() => {
      acts += 1;
    }, 60_000);
    it.soon();
    it.soon();
    it.now();
    expect(acts).to.equal(2);
    it.soon();
    it.stop();
    expect(acts).to.equal(2);
  });
});
