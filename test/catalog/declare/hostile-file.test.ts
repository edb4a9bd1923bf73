/** Whatever stands in a configuration file, what comes of it is faults with a place. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { faultsOf } from '../support.ts';

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
});
