// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
/** What the console writes as YAML, read as the file is: whatever is in it, it is the same, and no variable. */
import { expect } from 'chai';
import fc from 'fast-check';
import { readDocument } from '../../src/catalog/declare/document.ts';
import { entryYaml } from '../../src/console/lib/yaml.ts';

const ENV = { A: 'a value of the environment' };

const part = fc.constantFrom(
  ...['$', '{', '}', '${A}', '$${', '${A:-b}', '"', "'", '\n', '\t', '\\', '#', ': ', ' ', '- ', '*', '&', '<<'],
  ...[
    'a',
    'Z',
    '0',
    'é',
    '😀',
    '\u0085',
    '\u2028',
    '%',
    '|',
    '>',
    '!',
    ',',
    '[',
    '?',
    'yes',
    'null',
    '0x1F',
    '1e3',
    '~',
  ],
);
const text = fc.string({ unit: part, maxLength: 9 });

describe('console: an entry as YAML', () => {
  it('is read as the same, in code too', () => {
    const entry = fc.record({ name: text, code: text, list: fc.array(text), of: fc.dictionary(text, text) });
    fc.assert(
      fc.property(entry, (given) => {
        const yaml = entryYaml('things', given);
        const isCode = (at: readonly unknown[]): boolean => at.at(-1) === 'code' && at.length === 3;
        const read = readDocument(yaml, ENV, { isCode, isKey: () => true });
        expect([read.value(), read.syntax, read.findings], yaml).to.deep.equal([{ things: [given] }, [], []]);
      }),
      { numRuns: 2_000 },
    );
  });
});
