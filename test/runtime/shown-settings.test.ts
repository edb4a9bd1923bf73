import { expect } from 'chai';
import { readSettings } from '../../src/runtime/settings.ts';
import { addressInWords, shownSettings } from '../../src/runtime/shown-settings.ts';

const SECRETS = [
  'Zp4nW8sQe2VbK7mT1yRfC6gJx9dL3hUa',
  'hV3kT8qYw1ZsN6rJ0cXgB5mLp9aD2fEu',
  'pa%73s',
  'pass',
  'admin-horse',
];

describe('settings for people to see', () => {
  it('name each variable, and show no secret', () => {
    const shown = shownSettings(
      readSettings({
        ...{ DATABASE_URL: 'postgres://ann:pa%73s@db.example.com/millrace?sslmode=verify-full', PORT: '8080' },
        ...{ SECRET_KEY: SECRETS[1], SECRET_KEY_PREVIOUS: SECRETS[0], ADMIN_PASSWORD: 'admin-horse' },
        ...{ ALLOW_PRIVATE_DESTINATIONS: '10.0.0.0/8', BASE_URL: 'https://millrace.example.com/', HOST: '0.0.0.0' },
      }),
    );
    const values = Object.fromEntries(shown.map(({ name, value }) => [name, value]));
    expect(values).to.deep.include({
      ...{ DATABASE_URL: 'millrace on db.example.com:5432 as ann, sslmode verify-full', PORT: '8080' },
      ...{ SECRET_KEY: '********', SECRET_KEY_PREVIOUS: '********', ADMIN_PASSWORD: '********' },
      ...{ ALLOW_PRIVATE_DESTINATIONS: '10.0.0.0/8', BASE_URL: 'https://millrace.example.com', HOST: '0.0.0.0' },
      ...{ CONFIG_FILE_PATH: null, METRICS_PORT: null, LOG_LEVEL: 'info', TRUST_PROXY: '0' },
    });
    const text = JSON.stringify(shown);
    for (const secret of SECRETS) expect(text).to.not.include(secret);
  });

  it('name where an address leads to, whichever of its parts say so', () => {
    for (const url of [
      'postgres://ann:pass@h:5433/shop',
      'postgres://x/y?host=h&port=5433&dbname=shop&user=ann&password=pass',
    ])
      expect(addressInWords(url)).to.equal('shop on h:5433 as ann');
  });

  it('are all that there are', () => {
    const known = Object.keys(readSettings({})).filter((key) => key !== 'portGiven');
    expect(shownSettings(readSettings({}))).to.have.length(known.length);
  });
});
