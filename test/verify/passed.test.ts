import { expect } from 'chai';
import { hasPassed, obstacleOf, type SinkProgress } from '../../src/verify/passed.ts';

const well: SinkProgress = {
  status: 'active',
  circuit: null,
  circuit_error: null,
  state: 'streaming',
  reason: null,
  remedy: null,
  confirmed_lsn: '1/10',
  first_id: null,
  first_lsn: null,
  first_error: null,
};
const MARK = 0x1_0000_0010n;

describe('verify/passed', () => {
  it('has passed when capture is that far and nothing of that time waits', () => {
    expect(hasPassed(well, MARK)).to.equal(true);
    expect(hasPassed({ ...well, first_lsn: MARK + 1n }, MARK)).to.equal(true);
    expect(hasPassed({ ...well, first_lsn: Number(MARK) }, MARK)).to.equal(false);
    expect(hasPassed({ ...well, confirmed_lsn: '1/F' }, MARK)).to.equal(false);
    expect(hasPassed({ ...well, confirmed_lsn: null }, MARK)).to.equal(false);
  });

  for (const [what, progress, message, remedy] of [
    ['a paused sink', { status: 'paused' }, /sink s is paused/, /millrace.resume\('s'\)/],
    ['a disabled sink', { status: 'disabled' }, /sink s is disabled/, /active/],
    ['an open circuit', { circuit: 'auth_failed', circuit_error: 'no!' }, /\(auth_failed\): no!/, /Mend that first/],
    ['a gap', { state: 'needs_resync', reason: 'gone', remedy: 'do this' }, /needs_resync\): gone/, /^do this$/],
    ['a source in error', { state: 'error', reason: 'no slot' }, /\(error\): no slot/, /database_status/],
  ] as const) {
    it(`${what} is said at once, with what to do`, () => {
      const obstacle = obstacleOf('s', { ...well, ...progress });
      expect(obstacle?.message).to.match(message);
      expect(obstacle?.remedy).to.match(remedy);
    });
  }

  it('what passes by itself is waited for', () => {
    for (const state of ['streaming', 'starting', 'standby', null]) {
      expect(obstacleOf('s', { ...well, state })).to.equal(undefined);
    }
  });
});
