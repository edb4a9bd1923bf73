/** Results that are large, alone or together: bounded, in parts, and each message's own. */
import { expect } from 'chai';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';

describe('large results', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  const log = recordingLog();
  before(() => {
    // Time is not what is tested here, and a busy machine has little.
    sandbox = openSandbox({ log, limits: { messageMs: 5_000, silenceMs: 20_000 } });
  });
  after(() => sandbox.close());

  const sized = code('(a, r) => "x".repeat(r.size)');
  const inputs = (sizes: readonly number[]) => sizes.map((size) => message(`{"size":${size}}`));
  const lengths = async (sizes: readonly number[], room?: number) => {
    const options = { replaces: false, ...(room === undefined ? {} : { room }) };
    const shaped = await sandbox.shape({ transform: sized }, inputs(sizes), options);
    return shaped.map(({ body, error }) => (body === undefined ? error!.kind : body.length - 2));
  };

  it('of more than 4 MB fail their message, however many they are', async () => {
    const sizes = Array.from({ length: 40 }, () => 15_000_000);
    expect(await lengths(sizes)).to.deep.equal(sizes.map(() => 'bad_output'));
    expect(
      log.notes.filter(({ level }) => level !== 'info'),
      'no process was lost',
    ).to.deep.equal([]);
  });

  it('are measured in bytes', async () => {
    const bytes = 4_194_304;
    const shaped = await sandbox.shape(
      { transform: code('(a, r) => r.text.repeat(r.count)') },
      [
        message(`{"text":"x","count":${bytes - 2}}`),
        message(`{"text":"x","count":${bytes - 1}}`),
        message(`{"text":"é","count":${(bytes - 2) / 2}}`),
        message(`{"text":"é","count":${(bytes - 2) / 2 + 1}}`),
        message(`{"text":"🐟","count":${(bytes - 4) / 4}}`),
        message(`{"text":"🐟","count":${(bytes - 4) / 4 + 1}}`),
      ],
      { replaces: false },
    );
    expect(shaped.map(({ error }) => error?.message ?? 'fine')).to.deep.equal(
      [0, 1, 2].flatMap(() => [
        'fine',
        'The function returned more than 4 MB of JSON; a transform must return a JSON value',
      ]),
    );
  });

  it('may be nested as deep as Postgres reads them, and no deeper', async () => {
    const nested = (levels: number) =>
      `let o = "[{"; for (let n = 0; n < ${levels}; n += 1) o = n % 2 ? [o] : { "\\"{": o }; return o`;
    for (const levels of [4_999, 5_000, 5_001, 20_000]) {
      const [shaped] = await sandbox.shape({ transform: code(`() => { ${nested(levels)} }`) }, [message('{}')], {
        replaces: false,
      });
      if (levels <= 5_000) expect(shaped!.error).to.equal(undefined);
      else expect(shaped!.error!.message).to.match(/nested in more than 5,000 levels|call stack/);
    }
  });

  it('come in parts: as many as there is room for, in order', async () => {
    const sizes = Array.from({ length: 40 }, () => 3_900_000);
    const first = await lengths(sizes);
    expect(first.length).to.be.within(4, 8);
    expect(new Set(first)).to.deep.equal(new Set([3_900_000]));
    expect(await lengths([10, 2_000_000, 10, 10], 1_000_000)).to.deep.equal([10]);
    expect(await lengths([2_000_000, 10], 1_000_000)).to.deep.equal([]);
    expect(await lengths([4_194_302, 10], sandbox.mostLength)).to.deep.equal([4_194_302, 10]);
  });

  it('are bounded for many batches at the same time', async () => {
    const batches = Array.from({ length: 16 }, () => lengths([3_000_000, 3_000_000, 3_000_000], sandbox.mostLength));
    for (const found of await Promise.all(batches)) expect(found[0]).to.equal(3_000_000);
  });

  it('are bounded when their messages are run again one by one', async () => {
    const fn = code(
      '(a, r) => { if (r.size < 0) { const all = []; for (;;) all.push(new Array(1e6).fill(1)) } return "x".repeat(r.size) }',
    );
    const own = openSandbox({
      log: recordingLog(),
      limits: { processMb: 160, isolateMb: 1_000, messageMs: 60_000, silenceMs: 60_000 },
    });
    const sizes = [-1, ...Array.from({ length: 20 }, () => 1_000_000)];
    const shaped = await own.shape({ transform: fn }, inputs(sizes), { replaces: false, room: 5_000_000 });
    expect(shaped.map(({ body, error }) => error?.kind ?? body!.length)).to.deep.equal([
      'killed',
      ...[1, 2, 3, 4].map(() => 1_000_002),
    ]);
    await own.close();
  });

  const odd = {
    'an array of a billion holes': 'return new Array(1e9)',
    'a text of a hundred million characters': 'return "x".repeat(1e8)',
    'texts that are one in memory': 'const s = "x".repeat(2 ** 20); return Array.from({ length: 1000 }, () => s)',
    'a toJSON that makes more': 'return { toJSON: () => "x".repeat(1e8) }',
    'getters that make more':
      'return Object.defineProperties({}, Object.fromEntries(Array.from({ length: 100 }, (_, n) => ["k" + n, { enumerable: true, get: () => "x".repeat(1e6) }])))',
    'a proxy with keys without end':
      'return new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, n) => "k" + n), getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: (t, k) => typeof k === "symbol" || k === "then" || k === "toJSON" ? undefined : "x".repeat(1000) })',
    'a deep object': 'let o = {}; for (let n = 0; n < 100_000; n += 1) o = { o }; return o',
    'a number of a million digits': 'return JSON.rawJSON("1" + "0".repeat(5_000_000))',
  };
  for (const [name, run] of Object.entries(odd)) {
    it(`${name}: that message alone`, async () => {
      const fn = code(`(a, r) => { if (r.odd) { ${run} } return r.n }`);
      const all = [message('{"n":1}'), message('{"n":2,"odd":true}'), message('{"n":3}')];
      const shaped = await sandbox.shape({ transform: fn }, all, { replaces: false });
      expect(shaped.map(({ body }) => body)).to.deep.equal(['1', undefined, '3']);
    });
  }
});
