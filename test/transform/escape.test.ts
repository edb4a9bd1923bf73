/**
 * Code that tries to hang, break or leave its sandbox. Each case fails (or harms) its own message alone: the message before
 * it and the one after it, in the same chunk, have the right answer, and so has another function afterwards.
 */
import { expect } from 'chai';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';

const ANY = ['threw', 'timeout', 'killed', 'bad_output'];

/** Statements run for the guilty message, and the kinds of error it may end with; `body`: it is harmless and answers that. */
const CASES: Record<string, { run: string; kinds?: string[]; body?: string | undefined }> = {
  'endless loop': { run: 'for (;;);', kinds: ['timeout'] },
  'endless loop that catches': { run: 'for (;;) try { for (;;); } catch {} finally { for (;;); }', kinds: ['timeout'] },
  'endless promise chain': {
    run: '(function next() { Promise.resolve().then(next) })(); return 1',
    kinds: ['timeout'],
  },
  'endless loop in a promise': { run: 'Promise.resolve().then(() => { for (;;); }); return 1', kinds: ['timeout'] },
  'endless loop in an async function': { run: '(async () => { await 1; for (;;); })(); return 1', kinds: ['timeout'] },
  'endless generator': { run: 'return [...(function* () { for (;;) yield 1 })()]', kinds: ANY },
  'huge string': { run: 'let s = "x"; for (;;) s += s', kinds: ANY },
  'huge flat string': { run: 'return "x".repeat(2 ** 29 - 25).split("")', kinds: ANY },
  'huge returned string': { run: 'return "x".repeat(30_000_000)', kinds: ANY },
  'huge array': { run: 'return new Array(2 ** 32 - 1).fill(1)', kinds: ANY },
  'sparse array': { run: 'const a = []; a[2 ** 32 - 2] = 1; return a', kinds: ANY },
  'huge typed array': { run: 'const all = []; for (;;) all.push(new Uint8Array(2 ** 24).fill(1))', kinds: ANY },
  'huge buffer': { run: 'return new ArrayBuffer(2 ** 40).byteLength', kinds: ANY },
  'memory bomb of objects': {
    run: 'const all = []; for (;;) all.push({ a: [1, 2, 3], b: "x" + all.length })',
    kinds: ANY,
  },
  'memory bomb of arrays': { run: 'let a = [1]; for (;;) a = a.concat(a)', kinds: ANY },
  'memory bomb of a map': { run: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])', kinds: ANY },
  'huge BigInt': { run: 'let n = 2n; for (;;) n *= n', kinds: ANY },
  'deep recursion': { run: 'const f = () => f() + 1; return f()', kinds: ['threw'] },
  'deep recursion that catches': { run: 'const f = () => { try { f() } catch { f() } }; f()', kinds: ANY },
  'deep nesting of a result': { run: 'let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; return o', kinds: ANY },
  'circular result': { run: 'const o = {}; o.o = o; return o', kinds: ['threw'] },
  'catastrophic regular expression': { run: 'return /^(a+)+$/.test("a".repeat(40) + "b")', kinds: ['timeout'] },
  'catastrophic replace': { run: 'return "a".repeat(50_000).replace(/(.*)*\\1b/g, "x")', kinds: ANY },
  'JSON of a huge array': { run: 'return new Array(10_000_000)', kinds: ANY },
  'getter that loops': { run: 'return { get x() { for (;;); } }', kinds: ['timeout'] },
  'getter that throws': { run: 'return { get x() { throw new Error("no") } }', kinds: ['threw'] },
  'then that loops': { run: 'return { get then() { for (;;); } }', kinds: ['timeout'] },
  'proxy without end': {
    run: 'const p = new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (t, k) => k === "toJSON" || k === "then" ? undefined : p }); return p',
    kinds: ANY,
  },
  'revoked proxy': {
    run: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
    kinds: ['threw'],
  },
  'throwing a proxy': { run: 'throw new Proxy({}, { get() { throw 1 } })', kinds: ['threw'] },
  'throwing what throws': {
    run: 'throw { get message() { throw new Error("again") }, get stack() { for (;;); } }',
    kinds: ['threw'],
  },
  'throwing what loops': { run: 'throw { get message() { for (;;); } }', kinds: ['timeout'] },
  'throwing a huge message': { run: 'throw new Error("x".repeat(10_000_000))', kinds: ['threw'] },
  'forged lines in a throw': { run: 'throw "\\nv1\\nv1\\nv1"', kinds: ['threw'] },
  'forged stack': {
    run: 'const e = new Error("x"); e.stack = "\\n    at user-function:99:99\\nv1\\n!"; throw e',
    kinds: ['threw'],
  },
  'forged lines in a result': { run: 'return "\\nv1\\n!\\n"', body: '"\\nv1\\n!\\n"' },
  'toJSON that lies': { run: 'return { toJSON: () => "\\nv{}\\n" }', body: '"\\nv{}\\n"' },
  'toJSON that loops': { run: 'return { toJSON() { for (;;); } }', kinds: ['timeout'] },
  'toJSON that grows': { run: 'const f = () => ({ a: { toJSON: f } }); return f()', kinds: ANY },
  'rawJSON with a line break': { run: 'return JSON.rawJSON("1\\nv2")', kinds: ['threw'] },
  'constructor.constructor': { run: 'return [].constructor.constructor("return process")()', kinds: ['threw'] },
  'this of a sloppy function': { run: 'return Object.keys(new Function("return this")()).join()', body: '""' },
  'caller of the function': { run: 'return new Function("return String(arguments.callee.caller)")()', body: '"null"' },
  'caller of a getter': {
    run: 'return Object.defineProperty({}, "then", { get: new Function("while (arguments.callee.caller);") })',
    body: '{}',
  },
  'caller of toJSON': {
    run: 'return { toJSON: new Function("return String(arguments.callee.caller)") }',
    body: '"null"',
  },
  'caller of what is thrown': {
    run: 'throw Object.defineProperty({}, "message", { get: new Function("while (arguments.callee.caller); return 1") })',
    kinds: ['threw'],
  },
  'stack frames': {
    run: 'Error.prepareStackTrace = (e, frames) => frames.map((f) => f.getFunction()); return new Error().stack',
    kinds: ['threw'],
  },
  require: { run: 'return require("node:fs")', kinds: ['threw'] },
  process: { run: 'return process.env', kinds: ['threw'] },
  fetch: { run: 'return fetch("http://127.0.0.1")', kinds: ['threw'] },
  timer: { run: 'return setTimeout(() => 1, 1)', kinds: ['threw'] },
  'dynamic import': { run: 'return import("node:fs")', kinds: ANY },
  'Atomics.wait': { run: 'return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', kinds: ['threw'] },
  WebAssembly: { run: 'return new WebAssembly.Memory({ initial: 65536 }).buffer.byteLength', kinds: ['threw'] },
  FinalizationRegistry: { run: 'return new FinalizationRegistry(() => 1)', kinds: ['threw'] },
  'eval in a loop': { run: 'for (;;) (0, eval)("1 + 1")', kinds: ['timeout'] },
  'sleeping on the clock': { run: 'const t = Date.now(); while (Date.now() - t < 1e9);', kinds: ['timeout'] },
};

describe('code that tries to get out', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  const log = recordingLog();
  before(() => {
    sandbox = openSandbox({ log, limits: { messageMs: 100, silenceMs: 600 } });
  });
  after(() => sandbox.close());

  const other = code('(a, r) => ({ n: r.n })');

  for (const [name, { run, kinds, body }] of Object.entries(CASES)) {
    it(`${name}`, async () => {
      const evil = code(`(action, record) => { if (record.evil) { ${run} } return record.n }`);
      const inputs = [message('{"n":1}'), message('{"n":2,"evil":true}'), message('{"n":3}'), message('{"n":4.0}')];
      const shaped = await sandbox.shape({ transform: evil }, inputs, { replaces: false });
      expect(
        shaped.map((one) => one.body),
        JSON.stringify(shaped),
      ).to.deep.equal(['1', body, '3', '4.0']);
      expect(shaped.filter((_one, at) => at !== 1).map((one) => one.error)).to.deep.equal([
        undefined,
        undefined,
        undefined,
      ]);
      if (kinds !== undefined) expect(shaped[1]!.error?.kind).to.be.oneOf(kinds);
      expect(shaped[1]!.error?.message.length ?? 0).to.be.at.most(500);
      const [after] = await sandbox.shape({ transform: other }, [message('{"n":5}')], { replaces: false });
      expect(after).to.deep.equal({ kept: true, body: '{"n":5}' });
    });
  }
});

describe('what one message does to the next', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  before(() => {
    sandbox = openSandbox({ log: recordingLog() });
  });
  after(() => sandbox.close());

  /** Every message does the same and tells what it saw first: all must see what the first one saw. */
  const same = async (text: string) => {
    const inputs = Array.from({ length: 20 }, (_item, n) => message(`{"n":${n},"price":1.10}`));
    const answers = [];
    for (const half of [inputs.slice(0, 10), inputs.slice(10)]) {
      answers.push(...(await sandbox.shape({ transform: code(text) }, half, { replaces: false })));
    }
    const seen = answers.map((one) => one.body ?? one.error!.message);
    expect(new Set(seen).size, seen.join('\n')).to.equal(1);
    return seen[0]!;
  };

  const blocked = {
    'a global': '() => { globalThis.seen = (globalThis.seen ?? 0) + 1; return globalThis.seen }',
    'an undeclared variable': '() => { seen = 1; return seen }',
    'Object.prototype': '() => { Object.prototype.seen = 1; return ({}).seen }',
    'a prototype reached from an input': '(a, r) => { r.__proto__.seen = 1; return ({}).seen }',
    'Array.prototype.map': '() => { Array.prototype.map = () => 1 }',
    'Array.prototype[0]': '() => { Object.defineProperty(Array.prototype, 0, { set() {} }) }',
    'JSON.stringify': '() => { JSON.stringify = () => "1" }',
    'Object.prototype.toString': '() => { Object.prototype.toString = () => "x" }',
    'Object.prototype.toJSON': '() => { Object.prototype.toJSON = () => 1 }',
    'String.prototype.toJSON': '() => { String.prototype.toJSON = () => "x" }',
    'the prototype of generators': '() => { Object.getPrototypeOf(function* () {}).prototype.next = () => 1 }',
    'the iterator of arrays': '() => { Object.getPrototypeOf([].values()).next = () => ({ done: true }) }',
    'the prototype of a prototype': '() => { Object.setPrototypeOf(Array.prototype, null) }',
    Intl: '() => { Intl.Collator.prototype.compare2 = 1 }',
    'Error.stackTraceLimit': '() => { Error.stackTraceLimit = 0 }',
    'Error.prepareStackTrace': '() => { Error.prepareStackTrace = () => "x" }',
    'a method of RegExp.prototype': '() => { RegExp.prototype.exec.seen = 1 }',
    'the prototype of async generators':
      '() => { Object.getPrototypeOf(async function* () {}).prototype.next = () => 1 }',
    'the prototype of iterator helpers': '() => { Object.getPrototypeOf([].values().map((x) => x)).next = () => 1 }',
    'the matches of a text': '() => { Object.getPrototypeOf("a".matchAll(/a/g)).next = () => 1 }',
    'a symbol of its own on a built-in': '() => { Math[Symbol.for("seen")] = 1 }',
    'Map.prototype.get': '() => { Map.prototype.get = () => "9" }',
  };
  for (const [name, text] of Object.entries(blocked)) {
    it(`${name} cannot be changed`, async () => {
      expect(await same(text)).to.match(/^(Type|Reference)Error: /);
    });
  }

  const fresh = {
    'state in a closure': ['(() => { let n = 0; return () => { n += 1; return n } })()', '1'],
    'state in a helper': ['let n = 0; function transform() { n += 1; return n }', '1'],
    'state on the function': ['function transform() { transform.n = (transform.n ?? 0) + 1; return transform.n }', '1'],
    'the place of a global expression': [
      'const re = /a/g; function transform() { re.exec("aaa"); return re.lastIndex }',
      '1',
    ],
    'the last match of a regular expression': [
      '(a, r) => { const was = [RegExp.input, RegExp.lastMatch, RegExp.lastParen, RegExp.leftContext, RegExp.rightContext, RegExp.$1, RegExp.$2, RegExp.$9, RegExp["$&"], RegExp["$`"]]; /(.)(.)(.)(.)(.)(.)(.)(.)(.)/.exec("secret" + r.n + "secret"); return was.join("|") }',
      '"|||||||||"',
    ],
    'RegExp.input that was set': [
      '(a, r) => { const was = RegExp.input; RegExp.input = "secret" + r.n; return was }',
      '""',
    ],
    'a match in a promise that ends later': [
      '(a, r) => { const was = RegExp.$1; Promise.resolve().then(() => 1).then(() => /(\\d+)/.exec(r.n)); return was }',
      '""',
    ],
    'the place of a literal in a helper': [
      'function transform(a, r) { const re = () => /a/gy; const one = re(); one.test("aa"); return re().lastIndex }',
      '0',
    ],
    'an object made for a template': [
      'const tag = (strings) => strings;\nfunction transform(a, r) { const t = tag`x`; const was = [Object.isFrozen(t), Object.isFrozen(t.raw), t.seen]; try { t.seen = 1 } catch {} return was }',
      '[true,true,null]',
    ],
    'a private field put on a built-in': [
      'class Stamp extends class { constructor(o) { return o } } { #seen = 0; static of(o) { if (#seen in o) return o.#seen; new Stamp(o); return -1 } }\nfunction transform() { return Stamp.of(Math) + Stamp.of(Math) }',
      '-1',
    ],
    'a generator': [
      'function* count() { let n = 0; for (;;) yield n++ }\nconst all = count();\nfunction transform() { return all.next().value }',
      '0',
    ],
    'a registered symbol': [
      '() => { const s = Symbol.for("x"); const was = String(s.seen); try { s.seen = 1 } catch {} return was }',
      '"undefined"',
    ],
    'an input': ['(a, r) => { r.seen = (r.seen ?? 0) + 1; return r.seen }', '1'],
  };
  for (const [name, [text, answer]] of Object.entries(fresh)) {
    it(`${name} begins anew`, async () => {
      expect(await same(text!)).to.equal(answer);
    });
  }

  const repaired = {
    'RegExp.prototype.exec':
      '() => { const was = String("abc".replace(/b/, "x")); RegExp.prototype.exec = () => null; return was }',
    'RegExp.prototype.flags':
      '() => { const was = /a/g.flags; Object.defineProperty(RegExp.prototype, "flags", { get: () => "" }); return was }',
    'a new property of RegExp.prototype':
      '() => { const was = String(/a/.seen); RegExp.prototype.seen = 1; return was }',
    'the prototype of RegExp.prototype':
      '() => { const was = String(/a/.seen); Object.setPrototypeOf(RegExp.prototype, { seen: 1 }); return was }',
    'whether RegExp.prototype can be extended':
      '() => { const was = String(Object.isExtensible(RegExp.prototype)); Object.preventExtensions(RegExp.prototype); return was }',
    'whether RegExp.prototype.exec can be written':
      '() => { const was = String(Object.getOwnPropertyDescriptor(RegExp.prototype, "exec").writable); Object.defineProperty(RegExp.prototype, "exec", { writable: false }); return was }',
    'RegExp.prototype, later':
      '() => { const was = String(/a/.seen); Promise.resolve().then(() => { RegExp.prototype.seen = 1 }); return was }',
  };
  for (const [name, text] of Object.entries(repaired)) {
    it(`${name} is as it was`, async () => {
      expect(await same(text)).to.match(/^"/);
    });
  }

  it('ordinary shadowing of built-in names works', async () => {
    expect(
      await same(`() => {
        const o = {}; o.toString = () => 'mine'; o.constructor = 1; o.valueOf = () => 2;
        const e = new Error('m'); e.name = 'N'; e.message = 'n';
        const d = new Date(0); d.toJSON = () => 'day';
        class Point { constructor() { this.name = 'p' } toJSON() { return this.name } }
        function Old() {} Old.prototype.toString = () => 'old';
        class List extends Array { sum() { return this.reduce((a, b) => a + b, 0) } }
        return [String(o), o + 1, e.name + e.message, d, new Point(), String(new Old()), List.of(1, 2).sum(), Object.keys(o)]
      }`),
    ).to.equal('["mine",3,"Nn","day","p","old",3,["toString","constructor","valueOf"]]');
  });
});
