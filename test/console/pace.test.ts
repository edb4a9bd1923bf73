/** How a sink keeps up, in words. */
import { expect } from 'chai';
import { firstOf, lagOf, type Paced, paceOf } from '../../src/console/lib/pace.ts';

const MADE = '2026-11-22T08:00:00.000Z';
const sink = (state: Partial<Paced['state']>, status = 'active'): Paced => ({
  status,
  inserted_at: MADE,
  health: { checks: [] },
  state: { lag_seconds: null, first_delivered_at: null, last_delivered_at: null, last_delivery_ms: null, ...state },
});
const LAST = { last_delivered_at: '2026-11-22T09:00:00.000Z' };

describe('console: the pace of a sink', () => {
  it('is in step when nothing waits, and behind by its oldest message otherwise', () => {
    expect(paceOf(sink({}))).to.equal(null);
    expect(paceOf(sink({ ...LAST, last_delivery_ms: 3.2 }))).to.equal('In step: 3 ms behind');
    expect(paceOf(sink(LAST))).to.equal('In step');
    expect(paceOf(sink({ ...LAST, last_delivery_ms: 3, lag_seconds: 4.21 }))).to.equal('4.2 s behind');
    expect(paceOf(sink({ lag_seconds: 720 }))).to.equal('12 min behind');
    expect(paceOf(sink({ ...LAST, lag_seconds: 720 }, 'paused'))).to.equal(null);
    const unfed = { health: { checks: [{ name: 'source_error' }] } };
    expect(paceOf({ ...sink(LAST), ...unfed }), 'nothing waits here while nothing is captured').to.equal(null);
    expect(paceOf({ ...sink({ ...LAST, lag_seconds: 720 }), ...unfed })).to.equal('12 min behind');
  });

  it('begins with its first delivery, which is news for an hour', () => {
    const first = (at: string | null, nowMs: number): string | null =>
      firstOf(sink({ first_delivered_at: at }), { noun: 'document', nowMs });
    const made = Date.parse(MADE);
    expect(first(null, made)).to.equal(null);
    expect(first('2026-11-22T08:00:00.800Z', made + 5_000)).to.equal('First document delivered 800 ms after creation');
    // Another machine's clock.
    expect(first('2026-11-22T07:59:59.000Z', made)).to.equal('First document delivered 0 ms after creation');
    expect(first('2026-11-22T08:00:00.800Z', made + 3_600_001)).to.equal(null);
  });

  it('of a capture is told in time and in WAL', () => {
    expect(lagOf({ lag_seconds: 0.2, lag_bytes: 2_048 })).to.equal('200 ms, 2.0 kB');
    expect(lagOf({ lag_seconds: null, lag_bytes: 0 })).to.equal('0 B');
    expect(lagOf({ lag_seconds: 0, lag_bytes: null })).to.equal('0 ms');
    expect(lagOf({ lag_seconds: null, lag_bytes: null })).to.equal('–');
  });
});
