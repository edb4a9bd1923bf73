import { expect } from 'chai';
import { tupleOfLine } from '../../src/codec/copy-line.ts';
import { tupleOf } from '../../src/codec/tuple.ts';

describe('a line of COPY', () => {
  const cases: [what: string, line: string, texts: (string | null)[]][] = [
    ['of plain values', '1\tab\t\n', ['1', 'ab', '']],
    ['of NULL, and of texts that look like it', '\\N\t\\\\N\tN\n', [null, '\\N', 'N']],
    ['with every escape', '\\b\\f\\n\\r\\t\\v\\\\\t.\n', ['\b\f\n\r\t\v\\', '.']],
    ['of one NULL', '\\N\n', [null]],
    ['of one empty text', '\n', ['']],
    ['with characters of several bytes', '日本\tnaïve\\n🙂\n', ['日本', 'naïve\n🙂']],
  ];
  for (const [what, line, texts] of cases) {
    it(`${what} is the row that the stream would bring`, () => {
      expect(tupleOfLine(Buffer.from(line))).to.deep.equal(tupleOf(texts));
    });
  }

  it('keeps bytes that are not valid UTF-8, and none of the buffer that it came in', () => {
    const line = Buffer.from([0xe9, 0x09, 0xff, 0x0a]);
    const { bytes } = tupleOfLine(line);
    line.fill(0);
    expect([...bytes]).to.deep.equal([0xe9, 0xff]);
  });
});
