/** Answers are read without losing a digit. */
import { expect } from 'chai';
import fc from 'fast-check';
import { JsonText, parseKeeping } from '../../src/console/api/json-text.ts';

/** As values, where nothing is lost by it. */
const plain = (value: unknown): unknown =>
  value instanceof JsonText
    ? JSON.parse(value.text)
    : Array.isArray(value)
      ? value.map(plain)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
        : value;

describe('console: answers of the API', () => {
  it('keeps rows and documents as they were written, and what no number can hold', () => {
    const row = '{"id": 9223372036854775807, "price":12345678901234567890.1200, "1": [1.0, {"a":1e400}]}';
    const read = parseKeeping(
      `{"id":17,"commit_lsn":9223372036854775807,"data":{"record":${row},"changes":{ "n" : 1.50 }}}`,
    ) as {
      id: number;
      commit_lsn: JsonText;
      data: { record: JsonText; changes: JsonText };
    };
    expect(read.id).to.equal(17);
    expect(read.commit_lsn.text).to.equal('9223372036854775807');
    expect(read.data.record.text).to.equal(row);
    expect(read.data.changes.text).to.equal('{ "n" : 1.50 }');
  });

  it('reads every number that JavaScript wrote, such as how long something took', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = parseKeeping(`[${JSON.stringify(value)}]`) as unknown[];
        const isSafe = !Number.isInteger(value) || Number.isSafeInteger(value);
        if (isSafe) expect(read[0]).to.equal(value === 0 ? 0 : value);
      }),
    );
    expect(parseKeeping('{"last_delivery_ms":4501.2345678901234}'))
      .to.have.property('last_delivery_ms')
      .that.is.an.instanceOf(JsonText);
    expect(parseKeeping('{"last_delivery_ms":4501.234567890123}')).to.deep.equal({
      last_delivery_ms: 4501.234567890123,
    });
    expect(parseKeeping('[0.1234567890123456789]')).to.deep.equal([new JsonText('0.1234567890123456789')]);
  });

  it('keeps what is very long, or very deep, as it is', () => {
    for (const row of [
      `${'['.repeat(200_000)}1${']'.repeat(200_000)}`,
      `{"a":"${'\\"}'.repeat(3_000_000)}"}`,
      `{"a":"${'x'.repeat(20_000_000)}"}`,
    ]) {
      const read = parseKeeping(`{"record":${row},"after":1}`) as { record: JsonText; after: JsonText };
      expect(read.record.text === row).to.equal(true);
      expect(read.after.text).to.equal('1');
    }
    for (const text of ['{"record":{"a":1}', '{"record":[[1]', '{"record":{"a":"}}']) {
      expect(() => parseKeeping(text), text).to.throw(SyntaxError);
    }
  });

  it('reads every other JSON as JSON.parse does, and refuses what that refuses', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(plain(parseKeeping(text))).to.deep.equal(JSON.parse(text));
      }),
    );
    for (const text of ['', '{', '[1,]', '{"a" 1}', '01x', '{"a":1}}', 'nul', '"a']) {
      expect(() => parseKeeping(text), text).to.throw(SyntaxError);
    }
    expect(Object.getPrototypeOf(parseKeeping('{"__proto__":{"a":1}}'))).to.equal(Object.prototype);
  });
});
