import { expect } from 'chai';
import { deliveryText } from '../../../src/admin/operation/rebuild-job.ts';

describe('watching a rebuild', () => {
  it('says why what is pending does not get less', () => {
    const pending = { status: 'active', left: 1_234, isMore: false, parked: 0, reason: null, error: null, stillMs: 0 };
    expect(deliveryText('n', pending)).to.equal('1,234 messages pending');
    expect(deliveryText('n', { ...pending, isMore: true })).to.include('or more');
    expect(deliveryText('n', { ...pending, stillMs: 20_000 })).to.include(
      'is `bin/millrace start` (or a worker process) running?',
    );
    expect(deliveryText('n', { ...pending, reason: 'index_missing', error: 'no such index' })).to.include(
      'it waits, index_missing: no such index',
    );
    expect(deliveryText('n', { ...pending, status: 'paused' })).to.include("select millrace.resume('n')");
  });
});
