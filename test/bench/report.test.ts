import { expect } from 'chai';
import { withSections } from '../../bench/report.ts';

describe('the report of the benchmarks', () => {
  it('replaces the sections that were measured again, and keeps the others', () => {
    const before =
      '# Benchmarks\n\nHead.\n\n## Drain\n\nold drain\n\n## Pull\n\nold pull\n\n## Quoted, not run here\n\nx\n';
    expect(withSections(before, ['## Growth\n\nnew growth', '## Pull\n\nnew pull'])).to.deep.equal([
      '## Drain\n\nold drain',
      '## Pull\n\nnew pull',
      '## Growth\n\nnew growth',
    ]);
  });

  it('begins without a report of the time before', () => {
    expect(withSections('', ['## Latency\n\nx'])).to.deep.equal(['## Latency\n\nx']);
  });
});
