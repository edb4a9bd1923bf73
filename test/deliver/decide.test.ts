import { expect } from 'chai';
import { decide, type Verdict } from '../../src/deliver/decide.ts';
import type { LaneRow } from '../../src/deliver/row.ts';

const row = (id: number, more: Partial<LaneRow> = {}): LaneRow => ({
  id,
  action: 'update',
  group_key: id,
  group_key2: 0,
  record_pks: '["1"]',
  oid: 1,
  schema_name: 'public',
  table_name: 'products',
  record: '{}',
  changes: null,
  metadata: '{}',
  committed_at: '2026-01-01T00:00:00.000000Z',
  partial: false,
  attempts: 0,
  state: null,
  error: null,
  behind: false,
  ...more,
});
const options = { maxRetryCount: 2, replaces: true, random: () => 0.5 };
const one = (more: Partial<LaneRow>, verdict: Verdict) => decide([row(7, more)], [verdict], options);

describe('deciding what becomes of a message', () => {
  it('leaves no trace of one that is done', () => {
    expect(one({}, { kind: 'done' })).to.deep.equal({ finished: [], remaining: [], superseding: [] });
  });

  it('ends the state of a message that is done', () => {
    expect(one({ state: 'retrying', attempts: 1 }, { kind: 'done' }).finished).to.deep.equal([7]);
  });

  it('backs off longer with each try, and parks beyond max_retry_count', () => {
    const retry: Verdict = { kind: 'retry', error: 'busy', stage: 'send' };
    expect(one({}, retry).remaining[0]).to.include({
      state: 'retrying',
      attempts: 1,
      delay_ms: 1000,
      error: 'busy',
      stage: 'send',
    });
    expect(one({ attempts: 1, state: 'retrying' }, retry).remaining[0]).to.include({
      state: 'retrying',
      attempts: 2,
      delay_ms: 2000,
    });
    expect(one({ attempts: 2, state: 'retrying' }, retry).remaining[0]).to.include({
      state: 'parked',
      attempts: 3,
      error: 'busy',
    });
  });

  it('waits as long as the destination asks for', () => {
    expect(
      one({}, { kind: 'retry', error: 'busy', stage: 'send', retryAfterMs: 60_000 }).remaining[0]!.delay_ms,
    ).to.equal(60_000);
  });

  it('parks at once what the destination will never take', () => {
    expect(one({}, { kind: 'park', error: 'mapping', stage: 'send' }).remaining[0]).to.include({
      state: 'parked',
      attempts: 1,
      error: 'mapping',
    });
  });

  it('has an attempt written down for what failed, and for nothing else', () => {
    const answer = { status: 400, type: 'mapping\0' };
    const failed: Verdict = { kind: 'park', error: 'x', stage: 'send', tookMs: 12.4, answer };
    expect(one({}, failed).remaining[0]!.failure).to.deep.equal({ took_ms: 12, status: 400, type: 'mapping\uFFFD' });
    const odd: Verdict = { kind: 'retry', error: 'x', stage: 'shape', answer: { status: 4.5 } };
    expect(one({}, odd).remaining[0]!.failure).to.deep.equal({});
    const wait: Verdict = { kind: 'wait', error: 'x', stage: 'index', retryAfterMs: 1 };
    for (const verdict of [wait, { kind: 'untried' }, { kind: 'held' }, { kind: 'as_it_was' }] as const)
      expect(one({}, verdict).remaining[0]).to.not.have.property('failure');
  });

  it('counts no attempt for what was not tried', () => {
    expect(
      one({ attempts: 1 }, { kind: 'wait', error: 'no index', stage: 'send', retryAfterMs: 30_000 }).remaining[0],
    ).to.include({
      state: 'retrying',
      attempts: 1,
      delay_ms: 30_000,
    });
    expect(one({}, { kind: 'untried' }).remaining[0]).to.include({
      state: 'waiting',
      attempts: 0,
      delay_ms: 0,
      error: null,
    });
    expect(one({ state: 'retrying', attempts: 2 }, { kind: 'untried' }).remaining[0]).to.include({
      state: 'as_it_was',
    });
    expect(one({}, { kind: 'held' }).remaining[0]).to.include({ state: 'held', attempts: 0, error: null });
  });

  it('lets a whole later document replace earlier failures of its row', () => {
    expect(one({ behind: true }, { kind: 'done' }).superseding).to.deep.equal([7]);
    expect(
      decide([row(7, { behind: true })], [{ kind: 'done' }], { ...options, replaces: false }).superseding,
    ).to.deep.equal([]);
  });

  it('lets nothing be replaced by a message of which nothing was sent', () => {
    const done: Verdict = { kind: 'done', sent: false };
    expect(one({ behind: true }, done).superseding).to.deep.equal([]);
    const retry: Verdict = { kind: 'retry', error: 'busy', stage: 'send' };
    expect(decide([row(7), row(8)], [retry, done], options).superseding).to.deep.equal([]);
    expect(decide([row(7), row(8)], [retry, { kind: 'done' }], options).superseding).to.deep.equal([8]);
  });
});
