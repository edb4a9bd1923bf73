import { expect } from 'chai';
import { hashPassword, isPassword } from '../../src/runtime/password.ts';

describe('a password', () => {
  it('is kept as argon2id with a salt of its own, and known again however it was typed', async () => {
    const [one, other] = await Promise.all([hashPassword('Grüße, 12 Ω'), hashPassword('Grüße, 12 Ω')]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).to.not.equal(one);
    expect(await isPassword('Grüße, 12 Ω', one)).to.equal(true);
    expect(await isPassword('Gru\u0308ße, 12 \u2126', one)).to.equal(true);
    expect(await isPassword('grüße, 12 Ω', one)).to.equal(false);
  });

  it('is nobody’s where none is kept, or in a form that is not ours', async () => {
    for (const stored of [null, '', 'correct', '$argon2id$v=19$m=19456,t=2,p=1$', '$2b$10$abc']) {
      expect(await isPassword('correct', stored), String(stored)).to.equal(false);
    }
  });
});
