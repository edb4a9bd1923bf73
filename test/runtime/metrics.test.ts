import { expect } from 'chai';
import { createMetrics } from '../../src/runtime/metrics.ts';

describe('metrics', () => {
  it('renders counters, gauges and histograms under our prefix', async () => {
    const metrics = createMetrics({ process: false });
    metrics.counter({ name: 'sent_total', help: 'Sent.', labels: ['sink'] }).inc({ sink: 'a' }, 2);
    metrics.gauge({ name: 'pending', help: 'Pending.', collect: (gauge) => gauge.set(7) });
    metrics.histogram({ name: 'wait_seconds', help: 'Wait.', buckets: [1] }).observe(0.5);
    const { contentType, text } = await metrics.render();
    expect(contentType).to.contain('text/plain');
    expect(text).to.contain('millrace_sent_total{sink="a"} 2');
    expect(text).to.contain('millrace_pending 7');
    expect(text).to.contain('millrace_wait_seconds_bucket{le="1"} 1');
  });

  it('gives the same metric for the same name, and refuses another kind', async () => {
    const metrics = createMetrics({ process: false });
    const spec = { name: 'runs_total', help: 'Runs.' };
    metrics.counter(spec).inc();
    metrics.counter(spec).inc();
    expect((await metrics.render()).text).to.contain('millrace_runs_total 2');
    expect(() => metrics.gauge(spec)).to.throw(TypeError, 'another kind');
  });

  it('keeps the registries of two parts apart, and knows the process', async () => {
    const one = createMetrics();
    one.counter({ name: 'one_total', help: 'One.' }).inc();
    expect((await createMetrics({ process: false }).render()).text).not.to.contain('one_total');
    expect((await one.render()).text).to.contain('process_resident_memory_bytes');
  });
});
