/** Texts made to be slow, or to break what reads them: nothing but faults come of them. What they cost is in the benchmark. */
import { HOSTILE } from '../../bench/hostile-texts.ts';

const isLong = (what: string): boolean => !what.startsWith('millrace.yaml');

describe('hostile texts', function () {
  this.timeout(120_000);
  for (const { what, text, read } of HOSTILE) {
    it(`are read to their end: ${what}`, () => {
      read(text(isLong(what) ? 1024 * 1024 : 48 * 1024));
    });
  }
});
