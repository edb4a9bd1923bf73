import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { keyRing, previousKeysOf, secretKeyFault } from '../../src/runtime/secret-key.ts';

const KEY = 'uN4xW9cZq2Lr7TfYb1KsJd6HgVp3Am8E';
const OTHER = 'Ew8sQ1zXk5VtN3yGb7LrUc2JfHd6Mp9A';

describe('SECRET_KEY', () => {
  for (const [what, text] of [
    ['short', 'hunter22'],
    ['equal letters', 'k'.repeat(32)],
    ['two letters', 'ab'.repeat(20)],
    ['digits that count up', '0123456789'.repeat(4)],
    ['the alphabet', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['the alphabet backwards', 'zyxwvutsrqponmlkjihgfedcba9876543210'],
    ['a keyboard', 'qwertyuiopasdfghjklzxcvbnm1234567890'],
    ['every letter twice', 'aabbccddeeffgghhiijjkkllmmnnoopp'],
    ['a word again and again', 'correcthorse'.repeat(3)],
    ['a word with a number', 'password1password2password3password4'],
    ['blocks', 'aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffgggggggghhhhhhhh'],
    ['white space', ' \t'.repeat(20)],
    ['a placeholder', 'please-change-me-before-going-live-7Qz'],
    ['an example', 'my-example-of-a-key-with-38-characters'],
    ['the key of an example that people copy', 'wDPLYus0pvD6qJhKJICO4dauYPXfO/Yl782Zjtpew5qRBDp7CZvbWtQmY0eB13If'],
  ] as const) {
    it(`is refused: ${what}`, () => {
      const fault = secretKeyFault(text);
      expect(fault).to.include('openssl rand -base64 32');
      expect(fault).not.to.include(text.trim() || '\t');
    });
  }

  it('may be whatever a generator makes, in any spelling', () => {
    for (let n = 0; n < 2_000; n += 1) {
      const bytes = randomBytes(16 + (n % 32));
      const digits = Array.from(bytes, (byte) => byte % 10).join('');
      for (const text of [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')])
        if (text.length >= 32) expect(secretKeyFault(text), text).to.equal(undefined);
      if (digits.length >= 40) expect(secretKeyFault(digits), digits).to.equal(undefined);
    }
    const neighbours = '89117894265442483545633743355116887731226662215';
    expect(secretKeyFault(neighbours)).to.equal(undefined);
    const sevenDigits = '5858985528967268379357865527892992978366';
    expect(secretKeyFault(sevenDigits)).to.equal(undefined);
    expect(secretKeyFault('glove marble oxide tundra violin sphinx')).to.equal(undefined);
  });

  it('has an id that is the same everywhere, and tells nothing', () => {
    const ring = keyRing({ secretKey: KEY, previousKeys: [OTHER] });
    expect(ring.current.id).to.match(/^[0-9a-f]{8}$/);
    expect(ring.current.id).to.equal(keyRing({ secretKey: KEY, previousKeys: [] }).current.id);
    expect([...ring.byId.keys()]).to.have.members([
      ring.current.id,
      keyRing({ secretKey: OTHER, previousKeys: [] }).current.id,
    ]);
    expect(ring.current.bytes.toString('hex').startsWith(ring.current.id)).to.equal(false);
  });

  it('may have had several values before, and one may hold a comma', () => {
    expect(previousKeysOf(KEY)).to.deep.equal([KEY]);
    expect(previousKeysOf(`${KEY}, ${OTHER}`)).to.include.members([KEY, OTHER]);
    const withComma = `${KEY.slice(0, 20)},${OTHER}`;
    expect(previousKeysOf(withComma)).to.deep.equal([withComma]);
    const both = `${KEY},${OTHER}`;
    expect(previousKeysOf(both)).to.deep.equal([KEY, OTHER, both]);
  });
});
