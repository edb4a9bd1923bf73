import { expect } from 'chai';
import { printable, printableOn } from '../../src/model/printable.ts';

describe('what a terminal shows of texts from outside', () => {
  it('has no control character but line ends and tabs, and every other one', () => {
    expect(printable('a\u001b[31mb\u009b0m\u0007\r\nc\td\re\u007f é🙂')).to.equal('a·[31mb·0m·\nc\td·e· é🙂');
  });

  it('is the text itself where a program reads it', () => {
    expect([{ isTTY: true }, {}].map((out) => printableOn(out, '\u001b'))).to.deep.equal(['·', '\u001b']);
  });
});
