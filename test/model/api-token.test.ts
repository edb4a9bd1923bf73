import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { apiToken, isMistyped, prefixOf } from '../../src/model/api-token.ts';

describe('an API token of ours', () => {
  it('is 52 characters of 256 random bits with a checksum', () => {
    expect(apiToken(Buffer.alloc(32, 0))).to.match(/^mr_0{43}[0-9A-Za-z]{6}$/);
    expect(apiToken(Buffer.alloc(32, 255))).to.match(/^mr_[0-9A-Za-z]{49}$/);
    const many = Array.from({ length: 1_000 }, () => apiToken(randomBytes(32)));
    expect(new Set(many).size).to.equal(many.length);
    for (const token of many) expect([token.length, isMistyped(token)]).to.deep.equal([52, false]);
  });

  it('is told from one with any character changed, and from texts of other forms', () => {
    const token = apiToken(Buffer.alloc(32, 7));
    for (let at = 3; at < token.length; at += 1) {
      const other = `${token.slice(0, at)}${token[at] === 'x' ? 'y' : 'x'}${token.slice(at + 1)}`;
      expect(isMistyped(other), other).to.equal(true);
    }
    for (const text of ['', 'mr_example', token.slice(1), `${token}x`, token.slice(0, -1), `${token.slice(0, -1)}-`]) {
      expect(isMistyped(text), text).to.equal(false);
    }
  });

  it('shows its beginning, and a text of another form nothing', () => {
    const token = apiToken(Buffer.alloc(32, 9));
    expect(prefixOf(token)).to.equal(token.slice(0, 7));
    expect(prefixOf('a-token-of-a-file-that-somebody-chose')).to.equal(null);
  });
});
