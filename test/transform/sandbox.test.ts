import { expect } from 'chai';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, pathFunction, recordingLog } from '../support/fixtures/sandbox.ts';

describe('sandbox', function () {
  this.timeout(120_000);
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
});
