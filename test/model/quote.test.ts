/** Whatever a name holds, a shell hands it on as one word, and nothing in it is run. */
import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import fc from 'fast-check';
import { millrace, openEnded, quoteShell, remarked } from '../../src/model/quote.ts';
import { hostileName } from '../support/fixtures/hostile.ts';

describe('quotes for a shell', () => {
  it('keep every word as it is', () => {
    const words = fc.sample(hostileName, { numRuns: 300, seed: 7 });
    const script = words.map((word) => `printf '%s\\0' ${quoteShell(word)}`).join('\n');
    const printed = execFileSync('/bin/sh', ['-c', script], { cwd: '/', encoding: 'utf8' });
    expect(printed.split('\0').slice(0, -1)).to.deep.equal(words);
  });

  it('are left out where nothing needs them', () => {
    expect(millrace('backfill', 'orders-worker', 'public.orders')).to.equal(
      'bin/millrace backfill orders-worker public.orders',
    );
    expect(millrace('verify', '$(touch x)')).to.equal("bin/millrace verify '$(touch x)'");
  });

  it('and a remark ends where its line does, whatever it names', () => {
    expect(remarked('select 1', 'of\r\nselect 2')).to.equal('select 1; -- of select 2');
  });

  it('and a statement ends, whatever it was written with', () => {
    for (const written of ['select 1', 'select 1;', 'select 1 ; \n'])
      expect(remarked(written, 'of')).to.equal('select 1; -- of');
    expect(remarked('select 1 -- one', 'of')).to.equal('select 1 -- one\n; -- of');
    expect(openEnded('select 1; -- one\n')).to.equal('select 1; -- one\n');
    expect(openEnded('select 1 -- one\n  + 1')).to.equal('select 1 -- one\n  + 1');
  });
});
