import { expect } from 'chai';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';

describe('errors of functions', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  before(() => {
    sandbox = openSandbox({ log: recordingLog() });
  });
  after(() => sandbox.close());

  const transform = async (text: string, record: string) => {
    const [shaped] = await sandbox.shape({ transform: code(text) }, [message(record)], { replaces: false });
    return shaped!;
  };

  it('carry the line and column of the text, in JavaScript and TypeScript', async () => {
    for (const head of [
      '(action, record) =>',
      'export default (action, record: any) =>',
      'function transform(action, record)',
    ]) {
      const { error } = await transform(`${head} {\n  const row = record;\n  return row.address.street;\n}`, '{}');
      expect(error).to.include({ kind: 'threw', line: 3, column: 22, function: 'my-transform' });
      expect(error!.message).to.equal("TypeError: Cannot read properties of undefined (reading 'street')");
    }
    const { error } = await transform('(a, r) => r.x.y', '{}');
    expect(error).to.include({ line: 1, column: 15 });
  });

  it('show what was thrown, capped', async () => {
    const thrown = {
      'throw new RangeError("too far")': 'RangeError: too far',
      'throw "just text"': 'just text',
      'throw 5': '5',
      'throw null': 'null',
      'throw { message: "like an error" }': 'like an error',
      'throw {}': 'The function threw without a message',
      'throw Symbol("s")': 'The function threw without a message',
      'const e = new Error("m"); e.name = "Mine"; throw e': 'Mine: m',
      'class Own extends Error { constructor() { super("o"); this.name = "Own" } }; throw new Own()': 'Own: o',
    };
    for (const [text, said] of Object.entries(thrown)) {
      expect((await transform(`() => { ${text} }`, '{}')).error?.message, text).to.equal(said);
    }
    const long = await transform('() => { throw new Error("x".repeat(10000)) }', '{}');
    expect(long.error!.message).to.have.length(500);
    expect(long.error!.line).to.equal(1);
  });

  it('hold no U+0000 and no half of a surrogate pair, wherever they are cut', async () => {
    const fish = Array.from({ length: 500 }, () => '🐟');
    const thrown = {
      'throw "a\\0b"': 'a\uFFFDb',
      'throw new Error("\\udc1f\\ud83d")': 'Error: \uFFFD\uFFFD',
      'throw "🐟".repeat(500)': fish.join(''),
      'throw "🐟".repeat(5000)': `${fish.slice(1).join('')}…`,
      'throw { name: "\\ud83d", message: "🐟\\0" }': '\uFFFD: 🐟\uFFFD',
      'throw "x" + "🐟".repeat(5000)': `x${fish.slice(2).join('')}…`,
    };
    for (const [text, said] of Object.entries(thrown)) {
      expect((await transform(`() => { ${text} }`, '{}')).error?.message, text).to.equal(said);
    }
    for (const text of [
      '(a, r) => {\n  "\ud83d" \0 }',
      '(a, r) => "a\0b\ud83d',
      '(a: string) => { let \ud83d = \0 }',
    ]) {
      const error = (await sandbox.check(code(text)))!;
      expect(error.message).to.match(/^SyntaxError: /);
      expect(error.message.isWellFormed() && !error.message.includes('\0'), text).to.equal(true);
    }
  });

  it('of one message leave the others alone', async () => {
    const inputs = [1, 2, 3].map((id) => message(`{"id":${id}}`));
    const text = '(a, r) => { if (r.id === 2) throw new Error("two"); return r.id }';
    const shaped = await sandbox.shape({ transform: code(text) }, inputs, { replaces: false });
    expect(shaped.map((one) => one.body ?? one.error?.message)).to.deep.equal(['1', 'Error: two', '3']);
  });

  it('of syntax are found when saved, and fail each message otherwise', async () => {
    const cases: [string, number, number][] = [
      ['(a, r) => {\n  let x = ;\n}', 2, 11],
      ['export default (a, r) => {\n  return {;\n}', 2, 11],
      ['export default (a: string) => {\n  let x: number = ;\n}', 2, 19],
      ['// enums are no types\nenum X { A }\nexport default () => 1', 2, 1],
    ];
    for (const [text, line, column] of cases) {
      expect(await sandbox.check(code(text)), text).to.include({
        kind: 'threw',
        line,
        column,
        function: 'my-transform',
      });
      expect((await transform(text, '{}')).error).to.include({ line, column });
    }
  });

  it('of code that throws while it is loaded are found when saved, with their place', async () => {
    const texts: [string, RegExp][] = [
      ["const t = JSON.parse('{bad');\nexport default () => t", /^SyntaxError: .*JSON/],
      ['const home =\n  process.env.HOME;\nexport default () => home', /^ReferenceError: process is not defined$/],
    ];
    for (const [text, sentence] of texts) {
      const error = await sandbox.check(code(text));
      expect(error, text).to.include({ kind: 'threw', function: 'my-transform' });
      expect(error!.message).to.match(sentence);
      expect(error!.line, text).to.equal(text.startsWith('const t') ? 1 : 2);
      expect((await transform(text, '{}')).error).to.deep.equal(error);
    }
  });

  it('of code that is no function are found when saved', async () => {
    for (const text of [
      '',
      '  ',
      '1 + 1',
      '"text"',
      '({})',
      'const x = () => 1',
      'export const transform = 1',
      'import fs from "node:fs"',
    ]) {
      expect((await sandbox.check(code(text)))?.kind, text).to.equal('threw');
    }
    expect((await sandbox.check(code(`() => "${'x'.repeat(102_400)}"`)))?.message).to.contain('102400 bytes');
  });

  it('that depend on the row are not held against a function when it is saved', async () => {
    expect(await sandbox.check(code('(a, r) => r.address.street'))).to.equal(undefined);
    expect(await sandbox.check(code('(a, r) => r.payload'))).to.equal(undefined);
    for (const text of ['(a, r) => r.open', '(a, r) => r.open ?? null'])
      expect(await sandbox.check(code(text, 'filter')), text).to.equal(undefined);
    for (const text of ['(a, r) => ({ index_name: r.kind })', '(a, r) => ({ index_name: r.kind ?? null })'])
      expect(await sandbox.check(code(text, 'routing')), text).to.equal(undefined);
  });

  it('that any row would meet are', async () => {
    const found = {
      misspelt: code('(a, r) => recrod'),
      promise: code('async () => ({})'),
      loop: code('() => { for (;;); }'),
      text: code('() => "yes"', 'filter'),
      name: code('() => "index"', 'routing'),
      misnamed: code('() => ({ index: "products" })', 'routing'),
      boxed: code('() => new Boolean(true)', 'filter'),
    };
    for (const [name, fn] of Object.entries(found)) expect(await sandbox.check(fn), name).to.have.property('kind');
  });

  it('of nesting beyond reason do not break later TypeScript', async () => {
    expect((await sandbox.check(code(`(a: string) => ${'['.repeat(90_000)}`)))?.kind).to.equal('threw');
    expect(await sandbox.check(code('(a: string) => 1'))).to.equal(undefined);
  });
});
