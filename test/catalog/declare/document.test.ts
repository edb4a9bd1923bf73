// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
/** A YAML text as a value: anchors, merges, keys, and what is too much of them. */
import { expect } from 'chai';
import fc from 'fast-check';
import { parseDocument } from 'yaml';
import { readDocument } from '../../../src/catalog/declare/document.ts';

const read = (text: string, env: NodeJS.ProcessEnv = {}) =>
  readDocument(text, env, { isCode: (path) => path.at(-1) === 'code', isKey: () => true });
const faults = (text: string): string[] => {
  const document = read(text);
  document.value();
  const { findings, syntax } = document;
  return [...findings, ...syntax].map(({ path, message }) => `${path.join('.')} ${message}`);
};

describe('a YAML document', () => {
  for (const text of [
    'a: &a { b: 1 }\nc: *a\nd: [*a, *a]',
    'a: &a 1\nb: *a\nc: &a 2\nd: *a',
    'a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\nc: { y: 4, <<: *a }',
    'a: &a { x: 1 }\nb: &b { x: 2, y: 2 }\nc: { <<: [*a, *b], z: 3 }',
    'a: &a { x: 1 }\nb: &b { <<: *a, y: 2 }\nc: { <<: *b }',
    '"<<": 1\nb: { "<<": 2 }',
    '&k key: 1\nb: { *k : 2 }',
    '__proto__: { a: 1 }\nconstructor: 2',
    '1: a\ntrue: b\nnull: c\n1.5: d',
    '- ~\n- null\n- ""\n- 0x10\n- .inf\n- 0o17',
    '? a\n? b',
    'a: !!str 1\nb: !!int "2"',
    'text: |\n  a\n   b\nfolded: >-\n  a\n  b\n',
    '',
    '- - - a',
  ]) {
    it(`has the value that YAML gives it: ${JSON.stringify(text)}`, () => {
      expect(faults(text)).to.deep.equal([]);
      expect(read(text).value()).to.deep.equal(parseDocument(text, { merge: true }).toJS());
    });
  }

  it('has the value that the library gives it, whatever it is', () => {
    const leaf = fc.oneof(fc.string({ unit: fc.constantFrom('a', '-', ':', ' ', '#') }), fc.integer(), fc.boolean());
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('any')),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(value, (any) => {
        expect(read(JSON.stringify(any)).value()).to.deep.equal(any);
      }),
    );
  });

  it('names what stands twice, by its place, also where keys look different', () => {
    const document = read('a: 1\nb: { c: 1, "c": 2 }\n"a": 3\n');
    expect(document.syntax.map(({ path, place }) => [path.join('.'), place.line, place.column])).to.deep.equal([
      ['b.c', 2, 12],
      ['a', 3, 1],
    ]);
    expect(faults('x: &x { b: 1 }\na: { <<: *x, <<: *x }')).to.deep.equal([]);
  });

  it('has no value when aliases lead nowhere, into themselves, or multiply', () => {
    expect(faults('a: *b')).to.deep.equal(['a holds an alias that leads nowhere, or too far']);
    expect(faults('a: *b\nb: &b 1')).to.deep.equal(['a holds an alias that leads nowhere, or too far']);
    const itself = ['a: &a [*a]', 'a: &a { b: *a }', 'a: &a { <<: *a }', 'a: &a { b: { <<: *a } }'];
    const bomb = Array.from({ length: 12 }, (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(10)}]`);
    const merges = Array.from(
      { length: 12 },
      (_, n) => `a${n}: &a${n} { ${[1, 2, 3, 4, 5, 6].map((k) => `k${k}: *a${n - 1}`).join(', ')} }`,
    );
    for (const text of [...itself, `a-1: &a-1 x\n${bomb.join('\n')}`, `a-1: &a-1 x\n${merges.join('\n')}`]) {
      expect(faults(text), text.slice(0, 60)).to.deep.equal([' holds an alias that leads nowhere, or too far']);
      expect(read(text).value()).to.equal(undefined);
    }
    const many = `a: &a { b: 1 }\nc: [${'*a, '.repeat(5_000)}]`;
    expect(faults(many)).to.deep.equal([]);
  });

  it('is refused where it is nested like no declaration', () => {
    expect(faults(`a: ${'['.repeat(70)}${']'.repeat(70)}`)[0]).to.include('is nested deeper');
    expect(faults(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)).to.not.deep.equal([]);
    expect(faults(`a: ${'['.repeat(50)}${']'.repeat(50)}`)).to.deep.equal([]);
  });

  it('takes private characters as they are, written or as escapes, beside variables', () => {
    const ofAll = Array.from({ length: 50 }, (_, part) => String.fromCharCode(0xe000 + part * 128));
    const env = { A: 'one \ue024\ue07b' };
    for (const [text, value] of [
      ['a: "x\ue041\ue024y ${A:-é}"', 'x\ue041\ue024y one \ue024\ue07b'],
      ['a: "\\ue041"', '\ue041'],
      ['a: "\\ue024\\ue07b\\ue041\\ue07d"', '\ue024\ue07b\ue041\ue07d'],
      ['a: "\\uE024\\U0000e07bA\\ue07d $${"', '\ue024\ue07bA\ue07d ${'],
      [`a: ${ofAll.slice(1).join('')}\${A}`, `${ofAll.slice(1).join('')}${env.A}`],
    ]) {
      expect(read(text!, env).value(), text).to.deep.equal({ a: value });
      expect(read(text!, env).findings, text).to.deep.equal([]);
    }
    const [fault, ...more] = read(`a: ${ofAll.join('')}`).syntax;
    expect([fault?.message, fault?.place, more]).to.deep.equal([
      'holds characters of every part of the private-use area (U+E000 to U+F8FF), of which Millrace needs one itself',
      { line: 1, column: 1 },
      [],
    ]);
  });

  it('locates values through aliases and merges, and the nearest place of what is not there', () => {
    const document = read('x: &x\n  b: 1\ny:\n  <<: *x\n  c: [1, 2]\n');
    document.value();
    expect(document.locate(['y', 'b'])).to.deep.equal({ line: 2, column: 6 });
    expect(document.locate(['y', 'c', 1])).to.deep.equal({ line: 5, column: 10 });
    expect(document.locate(['y', 'd'])).to.deep.equal({ line: 3, column: 1 });
    expect(document.locate(['y'], true)).to.deep.equal({ line: 3, column: 1 });
  });
});
