import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { addressPlace, credentialPlace, keyIdOf, seal, unseal } from '../../src/catalog/secrets.ts';
import type { Destination } from '../../src/model/declared.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { keyRing } from '../../src/runtime/secret-key.ts';
import { SEARCH } from '../support/fixtures/captured.ts';
import { KEYS, SECRET_KEY } from './support.ts';

const SHOP = { id: '0e4e1b4a-0000-4000-8000-000000000001', name: 'shop', hostname: 'db.example.com' };
const INDEX = { id: '0e4e1b4a-0000-4000-8000-000000000002', name: 'index', destination: to('https://search:9200/a') };
const OTHER = keyRing({ secretKey: 'Ew8sQ1zXk5VtN3yGb7LrUc2JfHd6Mp9A', previousKeys: [] });

function to(endpoint_url: string, changes: object = {}): Destination {
  return { ...SEARCH, type: 'elasticsearch', ...changes, endpoint_url } as Destination;
}

const faultOf = (work: () => unknown): MillraceError => {
  try {
    work();
  } catch (error) {
    expect(error).to.be.instanceOf(MillraceError);
    return error as MillraceError;
  }
  throw new Error('it opened');
};

describe('sealed secrets', () => {
  it('open to what was sealed, and look different each time', () => {
    const place = addressPlace(SHOP);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = seal(KEYS, place, text);
        expect(unseal(KEYS, place, sealed)).to.equal(text.toWellFormed());
        expect(sealed)
          .to.match(/^v2:[0-9a-f]{8}:[\w-]+$/)
          .and.not.equal(seal(KEYS, place, text));
      }),
      { numRuns: 50 },
    );
  });

  it('name their key, and with another one the error names both, the setting, and no secret', () => {
    const sealed = seal(KEYS, addressPlace(SHOP), 'hunter22');
    const error = faultOf(() => unseal(OTHER, addressPlace(SHOP), sealed));
    expect(error.code).to.equal('bad_setting');
    expect(error.message).to.match(/^SECRET_KEY did not seal/);
    for (const text of [KEYS.current.id, OTHER.current.id, 'database shop']) expect(error.message).to.include(text);
    expect(error.remedy).to.include('SECRET_KEY_PREVIOUS');
    expect(`${error.message}${error.remedy}`).not.to.match(/hunter22/);
  });

  it('open with a former key, and what is sealed then has the current one', () => {
    const sealed = seal(KEYS, addressPlace(SHOP), 'hunter22');
    const both = keyRing({ secretKey: 'Ew8sQ1zXk5VtN3yGb7LrUc2JfHd6Mp9A', previousKeys: ['no', SECRET_KEY] });
    expect(unseal(both, addressPlace(SHOP), sealed)).to.equal('hunter22');
    expect(keyIdOf(seal(both, addressPlace(SHOP), 'x'))).to.equal(OTHER.current.id);
  });

  const sealed = seal(KEYS, credentialPlace(INDEX), 'hunter22');
  for (const [what, place] of [
    ['another sink', credentialPlace({ ...INDEX, id: SHOP.id })],
    ['another field', { ...credentialPlace(INDEX), field: 'address' as const }],
    ['another host', credentialPlace({ ...INDEX, destination: to('https://evil:9200/a') })],
    ['another port', credentialPlace({ ...INDEX, destination: to('https://search:9201/a') })],
    ['another scheme', credentialPlace({ ...INDEX, destination: to('http://search:9200/a') })],
    ['a host in front of an @', credentialPlace({ ...INDEX, destination: to('https://search:9200@evil/a') })],
    ['no endpoint', credentialPlace({ ...INDEX, destination: to('search') })],
    ['a pull consumer', credentialPlace({ ...INDEX, destination: { type: 'pull' } as Destination })],
    ['a database', addressPlace({ ...SHOP, id: INDEX.id })],
  ] as const) {
    it(`do not open for ${what}`, () => {
      const error = faultOf(() => unseal(KEYS, place, sealed));
      expect(error.code).to.equal('bad_configuration');
      expect(error.message).to.include('sealed for another place').and.not.include('hunter22');
      expect(error.remedy).to.include('millrace.yaml');
    });
  }

  it('still open after a rename, and with another path, index or way of writing the same server', () => {
    for (const destination of [to('https://search:9200/b', { index_name: 'other' }), to('https://SEARCH:9200')])
      expect(unseal(KEYS, credentialPlace({ ...INDEX, name: 'renamed', destination }), sealed)).to.equal('hunter22');
    const plain = seal(KEYS, credentialPlace({ ...INDEX, destination: to('http://search') }), 'x');
    expect(unseal(KEYS, credentialPlace({ ...INDEX, destination: to('http://search:80/') }), plain)).to.equal('x');
  });

  it('do not open when they were changed or cut, or name another key than theirs', () => {
    const flipped = `${sealed.slice(0, -3)}${sealed.at(-3) === 'A' ? 'B' : 'A'}${sealed.slice(-2)}`;
    for (const text of [flipped, sealed.slice(0, 20), sealed.slice(0, -4)])
      expect(faultOf(() => unseal(KEYS, credentialPlace(INDEX), text)).message).to.include('does not open');
    const both = keyRing({ secretKey: 'Ew8sQ1zXk5VtN3yGb7LrUc2JfHd6Mp9A', previousKeys: [SECRET_KEY] });
    const renamed = sealed.replace(KEYS.current.id, OTHER.current.id);
    expect(faultOf(() => unseal(both, credentialPlace(INDEX), renamed)).message).to.include('does not open');
  });

  it('of another form are refused with one sentence and the remedy', () => {
    const key = Buffer.from(hkdfSync('sha256', SECRET_KEY, '', 'millrace secrets v1', 32));
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const bytes = Buffer.concat([nonce, cipher.update('x'), cipher.final(), cipher.getAuthTag()]);
    for (const text of [`v1:${bytes.toString('base64url')}`, sealed.replace('v2', 'v9'), '', 'plain', 'v2:']) {
      const error = faultOf(() => unseal(KEYS, credentialPlace(INDEX), text));
      expect(error.code).to.equal('bad_setting');
      expect(error.message).to.include('a form that this release does not read');
      expect(error.remedy).to.include('drop schema');
    }
  });
});
