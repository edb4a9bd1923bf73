import { expect } from 'chai';
import { storable, storableJson } from '../../src/model/storable.ts';

describe('what Postgres can store', () => {
  it('has neither U+0000 nor half a character, and keeps all else, also what looks like an escape', () => {
    expect(storable('a\u0000b\ud800c')).to.equal('a\ufffdb\ufffdc');
    for (const text of ['\\u0000', '/[\\u0000-\\u001f]/', '\\\\u0000', '"', '😀'])
      expect(JSON.parse(storableJson({ text }) ?? '')).to.deep.equal({ text });
    expect(JSON.parse(storableJson({ list: ['a\u0000'] }) ?? '')).to.deep.equal({ list: ['a\ufffd'] });
    expect([storableJson(null), storableJson(undefined)]).to.deep.equal([null, null]);
  });

  it('has no key that jsonb refuses', () => {
    const value = { 'a\u0000': [{ 'b\ud800': 'c\u0000' }], d: new Date(0), e: null };
    expect(JSON.parse(storableJson(value)!)).to.deep.equal({
      'a\ufffd': [{ 'b\ufffd': 'c\ufffd' }],
      d: '1970-01-01T00:00:00.000Z',
      e: null,
    });
  });
});
