/** Whatever stands in a configuration file, what comes of it is faults with a place. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { MillraceError } from '../../../src/model/errors.ts';
import { faultsOf, linesOf, PULL, parse, SHOP } from '../support.ts';

const data = (name: string): string => readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8');
const readFile = (): string => '(action, record) => record.open';
const everyKey = data('every-key.yaml');
const working = everyKey.replace(/^users:\n(?: .*\n)+/m, '');

describe('a configuration file of any content', () => {
  it('throws nothing but faults with a place, whatever the text', () => {
    const lines = working.split('\n');
    const junk = fc.constantFrom(
      '*x',
      '&a',
      '${X}',
      '${',
      '!t',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ':',
      '- ',
      '\t',
      'null',
      '<<: *d',
      '? ',
      '|',
      '%',
      '@',
      '\0',
      '1e999',
      '0x1',
    );
    const edit = fc.record({
      line: fc.nat(lines.length - 1),
      column: fc.nat(60),
      remove: fc.nat(12),
      insert: fc.oneof(junk, fc.string({ unit: 'binary', maxLength: 6 })),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const mutated = [...lines];
        for (const { line, column, remove, insert } of edits) {
          const text = mutated[line]!;
          mutated[line] = text.slice(0, column) + insert + text.slice(column + remove);
        }
        for (const fault of faultsOf(mutated.join('\n'), { readFile })) {
          expect(fault.line).to.be.greaterThan(0);
          expect(fault.column).to.be.greaterThan(0);
          expect(fault.message).to.be.a('string').and.not.equal('');
          expect(fault.remedy).to.be.a('string').and.not.equal('');
        }
      }),
      { numRuns: 120 },
    );
  });

  it('throws nothing but faults, whatever the value of an entry', () => {
    const sections = ['api_tokens', 'databases', 'functions', 'transforms', 'sinks', 'change_retentions'];
    const entry = fc.dictionary(
      fc.constantFrom(
        'name',
        'url',
        'database',
        'source',
        'filters',
        'destination',
        'code',
        'type',
        'token',
        'slot',
        '__proto__',
        'retention',
      ),
      fc.oneof(fc.jsonValue(), fc.constant({ type: 'pull' }), fc.constant({ type: 'elasticsearch' })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...sections), fc.array(fc.oneof(entry, fc.jsonValue())), (key, entries) => {
        expect(faultsOf(JSON.stringify({ [key]: entries }))).to.be.an('array');
      }),
      { numRuns: 150 },
    );
  });

  const named = (name: string): string => `${SHOP}sinks: [{ name: ${name}, database: shop, ${PULL} }]\n`;

  it('knows no variables but those that are set', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      expect(linesOf(named(`\${${name}}`)).join()).to.include(`needs the variable ${name}, which is not set`);
  });

  it('takes a variable for what it is in its place, and never for YAML or for another variable', () => {
    const values = [
      'a, status: disabled',
      'a\nsinks: []',
      '*x',
      '!!int 3',
      '${R}',
      '"',
      "'",
      'a # b',
      '{a: 1}',
      '- a',
      '',
    ];
    for (const R of values)
      expect(linesOf(named('${R}'), { env: { R } }), R).to.deep.equal([
        '6:17 sinks[0].name must consist of letters, digits, `_`, `-` and `.`, and not begin with the last two',
      ]);
  });

  it('says where something is merged that is no mapping, which would leave out what it stood for', () => {
    const base = `x-base: &base { database: shop, ${PULL} }\n${SHOP}`;
    const merging = (what: string): string[] => linesOf(`${base}sinks: [{ name: a, <<: ${what} }]\n`);
    expect(merging('*base')).to.deep.equal([]);
    expect(merging('[*base]')).to.deep.equal([]);
    for (const what of ['base', '3', '~', '[base]', '[[*base]]'])
      expect(merging(what).join('\n'), what).to.match(/^7:\d+ sinks\[0\]\.<< merges something that is not a mapping$/m);
  });

  it('says of what is nested too deeply that it is', () => {
    for (const deep of ['['.repeat(2_000), `${'{a: '.repeat(1_500)}1${'}'.repeat(1_500)}`, '- '.repeat(5_000)])
      expect(linesOf(`x-a:\n  ${deep}\n`).join('\n')).to.include('is nested deeper than any declaration');
  });

  it('tells the first thousand of very many faults, soon', () => {
    const texts = [
      `${SHOP}sinks: [${'{},'.repeat(20_000)}]`,
      `${SHOP}x-a: ["${'${A}'.repeat(50_000)}"]`,
      Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n'),
    ];
    for (const text of texts) {
      const error = errorOf(text);
      expect(error.faults).to.have.length(1_000);
      expect(error.message).to.match(/^\d{5} faults, of which 1000 follow, in the configuration:/);
    }
  });
});

function errorOf(text: string): MillraceError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
  throw new Error('it was taken');
}
