import { expect } from 'chai';
import { undeliveredText } from '../../../src/admin/operation/resync-job.ts';

describe('watching a resync', () => {
  it('says why messages are not delivered', () => {
    const left = { sink: 'index', waiting: 6_000, isMore: false, status: 'active', circuit: null, error: null };
    expect(undeliveredText(left)).to.equal('index: 6,000 messages to deliver');
    expect(undeliveredText({ ...left, isMore: true, circuit: 'unreachable', error: 'no answer' })).to.equal(
      'index: more than 6,000 messages to deliver: unreachable, no answer',
    );
    expect(undeliveredText({ ...left, status: 'paused' })).to.equal(
      "index: 6,000 messages to deliver; it is paused: select millrace.resume('index')",
    );
  });
});
