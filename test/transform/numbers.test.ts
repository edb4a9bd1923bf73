import { expect } from 'chai';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';

describe('numbers in functions', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  before(() => {
    sandbox = openSandbox({ log: recordingLog() });
  });
  after(() => sandbox.close());

  const run = async (text: string, record: string, rest = {}) => {
    const [shaped] = await sandbox.shape({ transform: code(text) }, [message(record, rest)], { replaces: false });
    expect(shaped!.error).to.equal(undefined);
    return shaped!.body;
  };

  it('that are passed on leave with their digits', async () => {
    const record =
      '{"a":1.10,"b":12345678901234567890.123,"c":12345678901234567890,"d":-0,"e":1e400,"f":1E3,"g":[0.00,{"h":2.50}],"i":"1.10"}';
    expect(await run('(a, record) => record', record)).to.equal(record);
    expect(await run('(a, record) => ({ ...record })', record)).to.equal(record);
    expect(await run('(a, record) => ({ x: record })', record)).to.equal(`{"x":${record}}`);
    expect(await run('(a, record) => [record, record]', record)).to.equal(`[${record},${record}]`);
    expect(await run('(a, record) => record.b', record)).to.equal('12345678901234567890.123');
  });

  it('come from the same path before an equal value elsewhere', async () => {
    const record = '{"a":1.1,"b":1.10,"c":{"a":1.100}}';
    expect(await run('(a, r) => r', record)).to.equal(record);
    expect(await run('(a, r) => ({ c: { a: r.a }, b: r.a })', record)).to.equal('{"c":{"a":1.100},"b":1.10}');
    // Written in three ways: the double.
    expect(await run('(a, r) => ({ z: r.b })', record)).to.equal('{"z":1.1}');
  });

  it('are found by value when they move', async () => {
    expect(await run('(a, r) => ({ amount: r.price, list: [r.price] })', '{"price":19.90,"other":3}')).to.equal(
      '{"amount":19.90,"list":[19.90]}',
    );
    const rest = { action: 'update', changes: '{"price":5.00}', metadata: '{"n":5,"big":99999999999999999999}' };
    expect(await run('(a, r, c, m) => ({ was: c.price, now: r.price, big: m.big })', '{"price":6.0}', rest)).to.equal(
      '{"was":5.00,"now":6.0,"big":99999999999999999999}',
    );
    expect(await run('(a, record, changes) => ({ record, changes })', '{"price":5.0}', rest)).to.equal(
      '{"record":{"price":5.0},"changes":{"price":5.00}}',
    );
  });

  it('are the double when they were computed', async () => {
    expect(await run('(a, r) => ({ price: r.price * 2 })', '{"price":19.90}')).to.equal('{"price":39.8}');
    expect(await run('(a, r) => ({ price: r.price + 0.2 })', '{"price":0.10}')).to.equal(
      '{"price":0.30000000000000004}',
    );
  });

  it('beyond 2^53 are seen as BigInt if they are integers', async () => {
    const record =
      '{"id":9007199254740993,"max":9007199254740991,"frac":9007199254740993.5,"neg":-9223372036854775808}';
    expect(await run('(a, r) => Object.values(r).map((v) => typeof v)', record)).to.equal(
      '["bigint","number","number","bigint"]',
    );
    expect(await run('(a, r) => ({ id: r.id + 1n, text: String(r.neg) })', record)).to.equal(
      '{"id":9007199254740994,"text":"-9223372036854775808"}',
    );
  });

  it('follow mutated and reordered inputs', async () => {
    const record = '{"list":[{"n":1.0},{"n":2.0},{"n":3.00}],"price":4.40}';
    expect(await run('(a, r) => { r.list.reverse(); r.price = 7; return r }', record)).to.equal(
      '{"list":[{"n":3.00},{"n":2.0},{"n":1.0}],"price":7}',
    );
  });

  it('are safe under keys with a meaning', async () => {
    const record = '{"__proto__":{"x":1.10},"":2.20,"constructor":3.30,"record":{"a":4.40},"toString":5.50}';
    expect(await run('(a, r) => r', record)).to.equal(record);
  });

  it('keep what a function writes with JSON.rawJSON and BigInt', async () => {
    expect(await run('() => [JSON.rawJSON("1.10"), 2n ** 70n]', '{}')).to.equal('[1.10,1180591620717411303424]');
    expect(await run('(a, r) => [JSON.rawJSON("1.10"), 2n ** 70n, r.a]', '{"a":1.0}')).to.equal(
      '[1.10,1180591620717411303424,1.0]',
    );
  });

  it('of exact and ordinary messages do not mix within a chunk', async () => {
    const inputs = Array.from({ length: 100 }, (_item, id) =>
      message(id % 2 === 0 ? `{"n":${id}.0}` : `{"n":${id}.5}`),
    );
    const shaped = await sandbox.shape({ transform: code('(a, r) => r') }, inputs, { replaces: false });
    expect(shaped.map((one) => one.body)).to.deep.equal(inputs.map((input) => input.record));
  });

  it('of the row before an update reach routing', async () => {
    const routing = code('(a, r) => ({ index_name: typeof r.id + "-" + r.id })', 'routing');
    const update = message('{"id":1.0}', { action: 'update', changes: '{"id":12345678901234567890}' });
    const [shaped] = await sandbox.shape({ routing }, [update], { replaces: true });
    expect(shaped).to.deep.equal({ kept: true, indexName: 'number-1', oldIndexName: 'bigint-12345678901234567890' });
  });
});
