import { expect } from 'chai';
import fc from 'fast-check';
import { evaluatePath, readPath } from '../../src/transform/path.ts';
import { message } from '../support/fixtures/sandbox.ts';

const at = (path: string, record: string, rest = {}) => evaluatePath(readPath(path)!, message(record, rest));

describe('path functions', () => {
  it('read the text as it is written', () => {
    const record = '{"id": 12345678901234567890.10 , "a b":{"list":[1, {"x":[]}, "t\\"]}"]},"n":null}';
    expect(at('record', record)).to.equal(record);
    expect(at('record.id', record)).to.equal('12345678901234567890.10');
    expect(at('record.a b.list.1', record)).to.equal('{"x":[]}');
    expect(at('record.a b.list.2', record)).to.equal('"t\\"]}"');
    expect(at('record.n', record)).to.equal('null');
    expect(at('metadata.table_name', record)).to.equal('"products"');
    expect(at('action', record)).to.equal('"insert"');
    expect(at('changes.price', record, { changes: '{"price":1.10}' })).to.equal('1.10');
  });

  it('yield null where there is nothing', () => {
    for (const path of ['record.x', 'record.id.x', 'record.list.7', 'changes', 'changes.x', 'record.toString']) {
      expect(at(path, '{"id":1,"list":[1]}'), path).to.equal('null');
    }
    expect(at('record.x', '{}')).to.equal('null');
    expect(at('record.list.0', '{"list":[]}')).to.equal('null');
  });

  it('know escaped and duplicate keys', () => {
    expect(at('record.é', '{"\\u00e9":1}')).to.equal('1');
    expect(at('record.a', '{"a":1,"a":2}')).to.equal('2');
  });

  it('are refused when they begin nowhere', () => {
    for (const path of ['', 'id', 'record.', 'record..id', '.record', 'action.x', 'records.id']) {
      expect(readPath(path), path).to.equal(undefined);
    }
  });

  it('agree with JSON.parse on any value', () => {
    const key = fc.string().filter((text) => text !== '' && !text.includes('.'));
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.jsonValue(), { minKeys: 1 }),
        fc.nat(),
        fc.boolean(),
        (record, pick, spaced) => {
          const keys = Object.keys(record);
          const name = keys[pick % keys.length]!;
          const text = at(`record.${name}`, JSON.stringify(record, null, spaced ? 2 : 0));
          expect(JSON.parse(text)).to.deep.equal(JSON.parse(JSON.stringify(record))[name]);
        },
      ),
    );
  });
});
