import { expect } from 'chai';
import fc from 'fast-check';
import { tupleOfLine } from '../../src/codec/copy-line.ts';
import type { Tuple } from '../../src/codec/tuple.ts';

const valuesOf = ({ bytes, ranges }: Tuple): (Buffer | null)[] =>
  Array.from({ length: ranges.length / 2 }, (_, n) =>
    ranges[2 * n]! < 0 ? null : Buffer.from(bytes.subarray(ranges[2 * n], ranges[2 * n + 1])),
  );

describe('a line of COPY', () => {
  const cases: [what: string, line: string, texts: (string | null)[]][] = [
    ['of plain values', '1\tab\t\n', ['1', 'ab', '']],
    ['of NULL, and of texts that look like it', '\\N\t\\\\N\tN\n', [null, '\\N', 'N']],
    ['with every escape', '\\b\\f\\n\\r\\t\\v\\\\\t.\n', ['\b\f\n\r\t\v\\', '.']],
    ['of one NULL', '\\N\n', [null]],
    ['of one empty text', '\n', ['']],
    [
      'of long texts',
      `${'x'.repeat(40)}\t${'y'.repeat(20)}\\t${'z'.repeat(20)}\t\\N\t${'w'.repeat(17)}\n`,
      ['x'.repeat(40), `${'y'.repeat(20)}\t${'z'.repeat(20)}`, null, 'w'.repeat(17)],
    ],
    ['with characters of several bytes', '日本\tnaïve\\n🙂\n', ['日本', 'naïve\n🙂']],
  ];
  for (const [what, line, texts] of cases) {
    it(`${what} is the row that the stream would bring`, () => {
      const bytes = Buffer.from(line);
      const expected = texts.map((text) => (text === null ? null : Buffer.from(text)));
      expect(valuesOf(tupleOfLine(bytes))).to.deep.equal(expected);
      // What it is made of is as it was: a page is put again where types have changed.
      expect(bytes.toString()).to.equal(line);
      expect(valuesOf(tupleOfLine(bytes))).to.deep.equal(expected);
    });
  }

  it('keeps bytes that are not valid UTF-8', () => {
    const line = Buffer.from([0xe9, 0x09, 0xff, 0x5c, 0x6e, 0x0a]);
    expect(valuesOf(tupleOfLine(line)).map((value) => [...value!])).to.deep.equal([[0xe9], [0xff, 0x0a]]);
  });

  it('is the same row as Postgres says, whatever the texts are', () => {
    const escaped = (text: string): string =>
      text.replace(
        /[\\\b\f\n\r\t\v]/g,
        (one) => `\\${{ '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' }[one] ?? one}`,
      );
    const text = fc.string({
      unit: fc.constantFrom('\\', 'N', 't', '\t', '\n', '\v', '\b', 'é', 'xxxxxxxxxxxx'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(fc.option(text), { minLength: 1, maxLength: 8 }), (texts) => {
        const line = `${texts.map((one) => (one === null ? '\\N' : escaped(one))).join('\t')}\n`;
        const values = valuesOf(tupleOfLine(Buffer.from(line))).map((value) => value?.toString() ?? null);
        expect(values).to.deep.equal(texts);
      }),
    );
  });
});
