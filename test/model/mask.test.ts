import { expect } from 'chai';
import fc from 'fast-check';
import { credentialSecrets, maskOf } from '../../src/model/mask.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a mask', () => {
  const password = `p&ss"w/rd's +ü=9`;
  const mask = maskOf(credentialSecrets('basic', `elastic:${password}`), ['https://elastic.example:9200', 'products']);
  const spellings: [string, string][] = [
    ['as it is', password],
    ['in upper case', password.toUpperCase()],
    ['in json', JSON.stringify(password).slice(1, -1)],
    ['in json within json', JSON.stringify(JSON.stringify(password)).slice(3, -3)],
    ['in json that escapes more', 'p\\u0026ss\\u0022w\\u002frd\\u0027s \\u002b\\u00fc\\u003d9'],
    ['in json of PHP', JSON.stringify(password).slice(1, -1).replaceAll('/', '\\/')],
    ['in an address', encodeURIComponent(password)],
    ['in an address in lower case', encodeURIComponent(password).toLowerCase()],
    ['in a form', encodeURIComponent(password).replaceAll('%20', '+')],
    ['in html', 'p&amp;ss&quot;w/rd&#39;s +ü=9'],
    ['in hexadecimal', Buffer.from(password).toString('hex')],
    ['in the header', base64(`elastic:${password}`)],
    ['in base64', base64(password)],
    ['in base64 of the whole header line', base64(`Authorization: Basic ${base64(`elastic:${password}`)}`)],
    ['in base64 of something longer', base64(`{"password":"${password}"}`)],
    ['in base64 for addresses', Buffer.from(`x ${password} y`).toString('base64url')],
  ];
  for (const [how, spelling] of spellings) {
    it(`finds a secret ${how}`, () => {
      const shown = mask(`the engine said: ${spelling}, and no more`);
      expect(shown).to.include('***').and.not.include(spelling);
      const decoded = (shown.match(/[\w+/-]{4,}/g) ?? []).map((run) => Buffer.from(run, 'base64').toString()).join(' ');
      for (const text of [shown.toLowerCase(), decoded])
        for (const part of ['ss"w', 'w/rd', "rd's"]) expect(text).not.to.include(part);
      expect(shown)
        .to.match(/^the engine said: /)
        .and.match(/, and no more$/);
    });
  }

  it('finds what is left of a secret that was cut', () => {
    const token = 'kJ8sPq2LmZ0xVb7TnRw4YcHd';
    const bearer = maskOf(credentialSecrets('bearer', token));
    for (let length = 8; length <= token.length; length += 1) {
      expect(bearer(`Bearer ${token.slice(0, length)}`)).to.equal('Bearer ***');
      expect(bearer(`...${token.slice(-length)} is wrong`)).to.equal('...*** is wrong');
    }
    expect(bearer(`${token}${token} ${token}`)).to.equal('*** ***');
  });

  it('leaves what is known anyway: the user, the endpoint, the index, and a password that says nothing else', () => {
    const text = 'no permissions for [indices:data/write] and User [name=elastic] at elastic.example:9200 of products';
    expect(mask(text)).to.equal(text);
    const poor = maskOf([{ text: 'postgres' }], ['db.example', 'shop', 'postgres']);
    expect(poor('role "postgres" does not exist')).to.equal('role "postgres" does not exist');
    expect(maskOf([])('anything Bearer of news')).to.equal('anything Bearer of news');
  });

  it('takes what an Authorization header holds, however short it is', () => {
    const short = maskOf(credentialSecrets('basic', 'a:b'));
    for (const [text, shown] of [
      ['Authorization: Basic YTpi', 'Authorization: Basic ***'],
      ['{"authorization":"Basic YTpi","x":1}', '{"authorization":"Basic ***","x":1}'],
      ['"{\\"Authorization\\":\\"Bearer x\\"}"', '"{\\"Authorization\\":\\"Bearer ***\\"}"'],
      ['authorization=abc&x=1', 'authorization=***'],
      ['Proxy-Authorization: abc', 'Proxy-Authorization: ***'],
    ])
      expect(short(text!)).to.equal(shown);
    expect(short('Basic authorization is required')).to.equal('Basic authorization is required');
  });

  it('finds the key within an API key', () => {
    const key = maskOf(credentialSecrets('api_key', base64('VuaCfGcBCdbkQm-e5aOx:ui2lp2axTNmsyakw9tvNnw')));
    expect(key('{"api_key":"ui2lp2axTNmsyakw9tvNnw"}')).to.equal('{"api_key":"***"}');
    expect(key('id VuaCfGcBCdbkQm-e5aOx')).to.include('id ');
  });

  it('never shows a secret, nor loses anything else, wherever it stands', () => {
    const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ019%&"\\/+=é '), minLength: 8, maxLength: 40 });
    const around = fc.string({ unit: fc.constantFrom(...'{}[]":,<>\n') });
    fc.assert(
      fc.property(secret, around, around, (text, before, after) => {
        const shown = maskOf([{ text }])(before + text + after);
        expect(shown).to.not.include(text);
        expect(shown.startsWith(before.slice(0, 1))).to.equal(true);
      }),
    );
  });

  it('costs no more than the text is long', () => {
    const bearer = maskOf(credentialSecrets('bearer', 'a'.repeat(64)));
    expect(bearer('a'.repeat(1_000_000))).to.equal('***');
    expect(bearer('authorization'.repeat(50_000))).to.have.length(650_000);
    expect(bearer(`authorization: ${' '.repeat(500_000)}x`)).to.have.length.greaterThan(400_000);
  });
});
