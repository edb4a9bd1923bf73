/**
 * Whatever code can reach in its realm, from every kind of object that the language makes: nothing of it keeps what one message left
 * there until the next one.
 */
import { expect } from 'chai';
import { openSandbox } from '../../src/transform/sandbox.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';

/** Marks all that it can reach by `stash`, and returns where it found marks of before. `RegExp.prototype` is watched instead. */
const WALK = `(action, record) => {
  const found = [];
  const places = new Map([[RegExp.prototype, '']]);
  const queue = [];
  const reach = (value, place) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
    if (places.has(value)) return;
    places.set(value, place);
    queue.push(value);
  };
  const thrown = (run) => { try { run(); } catch (error) { return error; } };
  const endless = () => endless();
  const made = {
    global: globalThis, record,
    errors: [new Error('x'), new AggregateError([]), ...[() => null.x, () => (0, eval)('('), () => nowhere, endless, () => new Array(-1)].map(thrown)],
    arguments: [(function () { 'use strict'; return arguments; })(1), new Function('return arguments')(1)],
    functions: [new Function(''), function () {}, () => {}, async () => {}, function* () {}, async function* () {}, class { get g() { return 1; } }],
    objects: [(function* () {})(), (async function* () {})(), Promise.resolve(), Promise.withResolvers(), /x/, /(?<a>x)/d.exec('x'), new Date(), 1n, Symbol(), 'x', 1, true].map(Object),
    iterators: [[].values(), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), [].values().map((x) => x), Iterator.from({ next() {} })],
    arrays: [new Uint8Array(2), new DataView(new ArrayBuffer(1)), ((texts) => texts)\`a\`],
    proxies: [new Proxy({}, {}), Proxy.revocable({}, {})],
    segments: [new Intl.Segmenter().segment('a'), new Intl.Segmenter().segment('a')[Symbol.iterator]()],
    intl: Reflect.ownKeys(Intl).flatMap((key) => {
      try {
        const one = new Intl[key]('en', { type: 'region' });
        return [one, one.format, one.compare, one.resolvedOptions?.()];
      } catch { return []; }
    }),
  };
  reach(made, 'made');
  while (queue.length > 0) {
    const object = queue.pop();
    const place = places.get(object);
    if (Object.hasOwn(object, 'stash')) found.push(place);
    Reflect.defineProperty(object, 'stash', { value: 1, configurable: true });
    reach(Object.getPrototypeOf(object), place + '.__proto__');
    for (const key of Reflect.ownKeys(object)) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(object, key) ?? {};
      for (const [what, part] of [['', value], [' get', get], [' set', set]]) reach(part, place + '.' + String(key) + what);
    }
  }
  return { found, count: places.size };
}`;

describe('what code can reach', () => {
  it('keeps nothing from one message to the next', async () => {
    const sandbox = openSandbox({ log: recordingLog() });
    try {
      const inputs = Array.from({ length: 3 }, (_, n) => message(`{"n":${n}}`));
      const shaped = await sandbox.shape({ transform: code(WALK) }, inputs, { replaces: false });
      for (const { body, error } of shaped) {
        const { found, count } = JSON.parse(body ?? JSON.stringify(error));
        expect(found).to.deep.equal([]);
        expect(count).to.be.within(700, 10_000);
      }
    } finally {
      await sandbox.close();
    }
  }).timeout(60_000);
});
