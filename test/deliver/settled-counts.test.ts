import { expect } from 'chai';
import { decide, type Verdict } from '../../src/deliver/decide.ts';
import type { LaneRow } from '../../src/deliver/row.ts';
import { countSettled, countTaken } from '../../src/deliver/settled-counts.ts';

const row = (id: number, more: Partial<LaneRow> = {}): LaneRow => ({
  ...{ id, action: 'insert', group_key: 0, group_key2: 0, record_pks: `["${id}"]`, oid: 0, schema_name: '' },
  ...{ table_name: '', record: '{}', changes: null, metadata: '{}', committed_at: '1970-01-01T00:00:01.000000Z' },
  ...{ partial: false, attempts: 0, state: null, error: null, behind: false },
  ...more,
});

const counted = (rows: LaneRow[], verdicts: Verdict[], nowMs = 1_500) => {
  const settlement = decide(rows, verdicts, { maxRetryCount: 0, replaces: false, random: () => 0 });
  return countSettled({ rows, verdicts, settlement }, nowMs);
};

describe('what a settled batch comes to', () => {
  it('is what was done, what failed and comes again, and what failed for good', () => {
    const retry: Verdict = { kind: 'retry', error: 'e', stage: 'send' };
    const park: Verdict = { kind: 'park', error: 'e', stage: 'send' };
    const verdicts: Verdict[] = [
      ...[{ kind: 'done' } as const, park, retry, { kind: 'held' } as const, { kind: 'as_it_was' } as const],
      { kind: 'wait', retryAfterMs: 5, error: 'closed', stage: 'index' },
    ];
    const rows = verdicts.map((_, n) => row(n + 1));
    // Of those to be retried, the one had its last try.
    expect(counted(rows, verdicts)).to.deep.equal({
      ...{ done: 1, retried: 0, parked: 2 },
      latencies: [{ ms: 500, count: 1 }],
    });
  });

  it('counts every message into a latency, though it looks at some', () => {
    const done = (rows: LaneRow[]) => counted(rows, rows.map(() => ({ kind: 'done' })) as Verdict[]).latencies;
    const many = done(Array.from({ length: 1_000 }, (_, n) => row(n)));
    expect(many.length).to.be.within(60, 65);
    expect(many.reduce((sum, { count }) => sum + count, 0)).to.equal(1_000);
    const bodies = [null, 1_000, null, null].map((committed_ms, n) => row(n, { committed_at: '', committed_ms }));
    expect(done(bodies)).to.deep.equal([{ ms: 500, count: 4 }]);
    expect(done([row(1, { committed_at: '' })])).to.deep.equal([]);
  });

  it('of what a destination took by itself is as spread as its commits', () => {
    const taken = { hi: 9, count: 2, more: false };
    expect(countTaken({ ...taken, committedMs: { first: 0, last: 1_000 } }, 1_500).latencies).to.deep.equal([
      { ms: 1_500, count: 1 },
      { ms: 500, count: 1 },
    ]);
    expect(countTaken(taken, 1)).to.deep.equal({ done: 2, retried: 0, parked: 0, latencies: [] });
  });
});
