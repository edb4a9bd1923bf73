/** A wait whose time is over ends at once, and Node has nothing to say about it between the lines of the log. */
import { expect } from 'chai';
import { createSignal } from '../../../src/runtime/concurrency/signal.ts';

describe('a signal', () => {
  it('waits for a time that is over without a warning', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    try {
      await createSignal().wait(-0.5, new AbortController().signal);
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).to.deep.equal([]);
    } finally {
      process.off('warning', note);
    }
  });
});
