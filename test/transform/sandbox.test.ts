import { expect } from 'chai';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, pathFunction, recordingLog } from '../support/fixtures/sandbox.ts';

describe('sandbox', function () {
  this.timeout(20_000);
  let sandbox: Sandbox;
  before(() => {
    sandbox = openSandbox({ log: recordingLog() });
  });
  after(() => sandbox.close());

  const transform = async (text: string, record: string, rest = {}, replaces = false) => {
    const [shaped] = await sandbox.shape({ transform: code(text) }, [message(record, rest)], { replaces });
    return shaped!;
  };

  describe('the forms of a function', () => {
    const forms = {
      expression: '(action, record) => ({ n: record.id })',
      'expression with semicolon and comment': '// doc\n(action, record) => { return { n: record.id }; }; // end',
      'anonymous function': 'function (action, record) { return { n: record.id } }',
      declaration: 'function transform(action, record, changes, metadata) {\n  return { n: record.id };\n}',
      'declaration with helpers':
        'const k = "n";\nfunction transform(a, r) { return make(r) }\nfunction make(r) { return { [k]: r.id } }',
      'export default': 'export default (action, record) => ({ n: record.id });',
      'export default function':
        '/* export default 1 */ export default function name(action, record) { return { n: record.id } }',
      'export default with helpers': 'const f = (r) => r.id;\nexport\n  default (a, r) => ({ n: f(r) })\n',
      TypeScript:
        'interface Row { id: number }\nexport default (action: string, record: Row): { n: number } => ({ n: record.id as number })',
      'TypeScript expression': '(action: string, record: any) => ({ n: record.id! })',
      'anonymous TypeScript function': 'function (action: string, record: any): object { return { n: record.id } }',
    };
    for (const [name, text] of Object.entries(forms)) {
      it(`${name}`, async () => {
        expect(await transform(text, '{"id":7}')).to.deep.equal({ kept: true, body: '{"n":7}' });
        expect(await sandbox.check(code(text))).to.equal(undefined);
      });
    }

    it('reads JavaScript as JavaScript where TypeScript would read something else', async () => {
      expect((await transform('(a, r) => [r.a < r.b, r.b > (r.c)]', '{"a":1,"b":2,"c":0}')).body).to.equal(
        '[true,true]',
      );
      expect((await transform('(a, r) => r.a < r.b > (r.c)', '{"a":1,"b":2,"c":0}')).body).to.equal('true');
    });

    it('gives all four inputs, also to functions that hide what they read', async () => {
      const rest = { action: 'update', changes: '{"id":6}', metadata: '{"table_name":"t"}' };
      const all = '["update",{"id":7},{"id":6},{"table_name":"t"}]';
      for (const text of [
        '(a, r, c, m) => [a, r, c, m]',
        '(...all) => all',
        'function () { return [...arguments] }',
        '(a, r = 1, c, m) => [a, r, c, m]',
        '(a, r /* ) */, c = null, m = null) => [a, r, c, m]',
        'new Proxy((a, r, c, m) => [a, r, c, m], {})',
        '((a, r, ...rest) => [a, r, ...rest]).bind(null)',
      ]) {
        // Twice: from the second time on, only what is read is brought.
        for (const time of [1, 2])
          expect((await transform(text, '{"id":7}', rest)).body, `${text} ${time}`).to.equal(all);
      }
    });
  });

  describe('what a function may answer', () => {
    const bad = async (set: Parameters<Sandbox['shape']>[0], replaces: boolean) => {
      const [shaped] = await sandbox.shape(set, [message('{"id":1}')], { replaces });
      expect(shaped!.error?.kind).to.equal('bad_output');
      expect(shaped!.body).to.equal(undefined);
      return shaped!.error!;
    };

    it('a transform for a search index must return an object', async () => {
      for (const [text, said] of Object.entries({
        '() => null': 'null',
        '() => undefined': 'nothing',
        '() => {}': 'nothing',
        '() => []': 'an array',
        '() => "x"': 'a string',
        '() => 1': 'a number',
        '() => new Date(0)': 'a string',
        '() => () => 1': 'a function',
        '() => Symbol("x")': 'a symbol',
        'async () => ({})': 'a promise',
        '() => ({ then() {} })': 'a promise',
        '() => ({ toJSON() {} })': 'no JSON form',
      })) {
        const error = await bad({ transform: code(text) }, true);
        expect(error.message, text).to.contain(said).and.to.contain('must return an object');
        expect(error.function).to.equal('my-transform');
      }
    });

    it('a transform for another sink may return any JSON value', async () => {
      const values = {
        null: 'null',
        '[1,"a"]': '[1,"a"]',
        '"x"': '"x"',
        '10n ** 20n': '100000000000000000000',
        NaN: 'null',
      };
      for (const [text, body] of Object.entries(values)) {
        expect((await transform(`() => (${text})`, '{}')).body, text).to.equal(body);
      }
      await bad({ transform: code('() => undefined') }, false);
      await bad({ transform: code('async () => 1') }, false);
    });

    it('a filter must return a boolean', async () => {
      for (const text of [
        '() => 1',
        '() => null',
        '() => "true"',
        '(a, r) => r.x',
        'async () => true',
        '() => new Boolean(true)',
        '() => new Boolean(false)',
        '() => ({ toJSON: () => true })',
        '() => JSON.rawJSON("true")',
        '() => Object(true)',
        '() => ({})',
        '() => [true]',
        '() => { const o = {}; o.o = o; return o }',
        '() => new Proxy({}, { get() { throw 1 } })',
      ]) {
        const [shaped] = await sandbox.shape({ filter: code(text, 'filter') }, [message('{"id":1}')], {
          replaces: false,
        });
        const isProxy = text.includes('Proxy');
        expect(shaped!.error?.kind, text).to.equal(isProxy ? 'threw' : 'bad_output');
        if (!isProxy) expect(shaped!.error!.message, text).to.contain('must return true or false');
      }
    });

    it('a routing function must return an object with index_name', async () => {
      for (const text of [
        '() => "x"',
        '() => ({})',
        '() => ({ index_name: 1 })',
        '() => ({ index_name: "" })',
        '() => null',
        '() => Object.assign(() => 1, { index_name: "x" })',
        '() => Object.assign([], { index_name: "x" })',
        'async () => ({ index_name: "x" })',
        '() => ({ index_name: new String("x") })',
        '() => ({ index_name: { toJSON: () => "x" } })',
        '() => ({ index_name: JSON.rawJSON(\'"x"\') })',
        '() => ({ index_name: "caf\\ud83d" })',
        '() => ({ index_name: "\\udc1fx" })',
        '() => ({ index_name: "a\\0b" })',
        '() => ({ index_name: "x".repeat(256) })',
        '() => ({ index_name: "é".repeat(128) })',
        '() => ({ index_name: "x".repeat(1_000_000) })',
      ]) {
        expect((await bad({ routing: code(text, 'routing') }, true)).message, text).to.contain('index_name');
      }
    });

    it('of what a routing function returns only the name counts', async () => {
      for (const text of [
        '() => ({ index_name: "é🐟", big: "x".repeat(10_000_000) })',
        '() => ({ get index_name() { return "é🐟" }, toJSON() { throw 1 } })',
        '() => { const o = { index_name: "é🐟" }; o.o = o; return o }',
      ]) {
        const [shaped] = await sandbox.shape({ routing: code(text, 'routing') }, [message('{}')], { replaces: true });
        expect(shaped, text).to.deep.equal({ kept: true, indexName: 'é🐟' });
      }
      const longest = code('() => ({ index_name: "é".repeat(127) + "x" })', 'routing');
      const [shaped] = await sandbox.shape({ routing: longest }, [message('{}')], { replaces: true });
      expect(Buffer.byteLength(shaped!.indexName!)).to.equal(255);
    });

    it('answers that are too long together come in parts, in order', async () => {
      const small = openSandbox({ log: recordingLog(), limits: { linesLength: 1_000 } });
      const inputs = Array.from({ length: 250 }, (_item, id) => message(`{"n":${id},"loops":${id === 120}}`));
      const transform = code('(a, r) => { while (r.loops); return r.n + "x".repeat(300) }');
      const shaped = await small.shape({ transform }, inputs, { replaces: false });
      expect(shaped.map(({ body, error }) => body?.replace(/x+/, '') ?? error?.kind)).to.deep.equal(
        inputs.map((_input, id) => (id === 120 ? 'timeout' : `"${id}"`)),
      );
      await small.close();
    });

    it('an answer that is too long is refused', async () => {
      const small = openSandbox({ log: recordingLog(), limits: { answerBytes: 100 } });
      const [shaped] = await small.shape({ transform: code('() => "x".repeat(200)') }, [message('{}')], {
        replaces: false,
      });
      expect(shaped!.error).to.include({ kind: 'bad_output' });
      await small.close();
    });
  });

  describe('the stages', () => {
    const set = {
      filter: code('(action, record) => record.open', 'filter'),
      transform: code('(action, record) => ({ name: record.name })'),
      routing: code('(action, record) => ({ index_name: record.kind })', 'routing'),
    };

    it('filter, transform and route in order, over several chunks', async () => {
      const inputs = Array.from({ length: 600 }, (_item, id) =>
        message(`{"open":${id % 3 !== 0},"name":"n${id}","kind":"k${id % 2}"}`),
      );
      const shaped = await sandbox.shape(set, inputs, { replaces: true });
      const expected = inputs.map((_input, id) =>
        id % 3 === 0 ? { kept: false } : { kept: true, body: `{"name":"n${id}"}`, indexName: `k${id % 2}` },
      );
      expect(shaped).to.deep.equal(expected);
    });

    it('do not transform the deletes of a search index, but route them', async () => {
      const deletion = message('{"open":true,"name":"x","kind":"k"}', { action: 'delete' });
      expect(await sandbox.shape(set, [deletion], { replaces: true })).to.deep.equal([{ kept: true, indexName: 'k' }]);
      expect(await sandbox.shape(set, [deletion], { replaces: false })).to.deep.equal([
        { kept: true, body: '{"name":"x"}', indexName: 'k' },
      ]);
    });

    it('tell where the row was before an update', async () => {
      const update = (record: string, changes: string) => message(record, { action: 'update', changes });
      const row = (open: boolean) => `{"open":${open},"name":"x","kind":"new"}`;
      const inputs = [
        update(row(true), '{"kind":"old"}'),
        update(row(true), '{"name":"y"}'),
        update(row(true), '{}'),
        update(row(false), '{"kind":"old","open":true}'),
        update(row(true), '{"kind":null}'),
      ];
      const body = '{"name":"x"}';
      expect(await sandbox.shape(set, inputs, { replaces: true })).to.deep.equal([
        { kept: true, body, indexName: 'new', oldIndexName: 'old' },
        { kept: true, body, indexName: 'new' },
        { kept: true, body, indexName: 'new' },
        { kept: false, indexName: 'new', oldIndexName: 'old' },
        { kept: true, body, indexName: 'new' },
      ]);
      const [pulled] = await sandbox.shape(set, [inputs[3]!], { replaces: false });
      expect(pulled).to.deep.equal({ kept: false });
    });

    it('read path functions without code', async () => {
      const inputs = [message('{"id":1.10,"doc":{"a":1}}')];
      const shape = (path: string, replaces: boolean) =>
        sandbox.shape({ transform: pathFunction(path) }, inputs, { replaces });
      expect(await shape('record.id', false)).to.deep.equal([{ kept: true, body: '1.10' }]);
      expect(await shape('record.doc', true)).to.deep.equal([{ kept: true, body: '{"a":1}' }]);
      expect((await shape('record.id', true))[0]!.error).to.include({ kind: 'bad_output', function: 'my-path' });
      expect((await shape('id', false))[0]!.error?.message).to.contain('record.id');
      expect(await sandbox.check(pathFunction('record.id'))).to.equal(undefined);
      expect((await sandbox.check(pathFunction('id')))?.kind).to.equal('bad_output');
    });

    it('mix paths with code', async () => {
      const mixed = { filter: code('(a, r) => r.id > 1', 'filter'), transform: pathFunction('record.id') };
      const inputs = [message('{"id":1}'), message('{"id":2}')];
      expect(await sandbox.shape(mixed, inputs, { replaces: false })).to.deep.equal([
        { kept: false },
        { kept: true, body: '2' },
      ]);
    });

    it('answer nothing to nothing', async () => {
      expect(await sandbox.shape(set, [], { replaces: true })).to.deep.equal([]);
      expect(await sandbox.shape({}, [message('{}')], { replaces: true })).to.deep.equal([{ kept: true }]);
    });
  });

  describe('errors', () => {
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
});
