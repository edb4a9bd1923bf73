/** `destination:` of a webhook, as it is written, in both forms. */
import { expect } from 'chai';
import { type WebhookDestination, type WebhookSecret, webhookSection } from '../../../src/sinks/webhook/section.ts';
import { faultsOf, linesOf, parse, SHOP, sinkFile } from '../../catalog/support.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const FORMER = `whsec_${Buffer.alloc(24, 6).toString('base64')}`;
const file = (rest = ''): string =>
  sinkFile(`destination: { type: webhook, url: "https://h.example/orders?a=1"${rest} }`);

const DEFAULTS = {
  type: 'webhook',
  url: 'https://h.example/orders?a=1',
  method: 'POST',
  headers: {},
  batch: false,
  batch_size: 100,
  timeout_ms: 10_000,
  parallel: 4,
  tls: { ca: null, verify: true },
};

function read(text: string): { settings: unknown; secret: WebhookSecret | null; warnings: string[] } {
  const { config, warnings } = parse(text);
  const { settings, secret } = config.sinks[0]!;
  return {
    settings: settings.destination,
    secret: secret === null ? null : JSON.parse(secret),
    warnings: warnings.map(({ field, message }) => `${field} ${message}`),
  };
}

describe('a webhook in millrace.yaml', () => {
  it('needs its address alone', () => {
    expect(read(file())).to.deep.equal({ settings: DEFAULTS, secret: null, warnings: [] });
    expect(read(file().replace('webhook', 'http_push')).settings).to.deep.equal(DEFAULTS);
  });

  it('keeps what is secret apart from its settings', () => {
    const { settings, secret } = read(
      file(
        `, method: PUT, headers: { X-Tenant: acme }, encrypted_headers: { authorization: "Bearer hunter22" }, signing_secrets: ["${SECRET}", "${FORMER}"], batch: true, batch_size: 7, timeout_ms: 500, parallel: 32`,
      ),
    );
    const { tls } = DEFAULTS;
    expect(settings).to.deep.equal({
      ...{ type: 'webhook', url: DEFAULTS.url, method: 'PUT', headers: { 'X-Tenant': 'acme' } },
      ...{ batch: true, batch_size: 7, timeout_ms: 500, parallel: 32, tls },
      // For who shows it masked.
      hidden: { encrypted_headers: ['authorization'], signing_secrets: 2 },
    });
    expect(webhookSection.secrets!.masked(settings as WebhookDestination)).to.deep.equal({
      encrypted_headers: { authorization: '********' },
      signing_secrets: ['********', '********'],
    });
    const { hidden: _, ...before } = settings as WebhookDestination;
    expect(webhookSection.secrets!.masked(before)).to.deep.equal({});
    expect(secret).to.deep.equal({
      encrypted_headers: { authorization: 'Bearer hunter22' },
      signing_secrets: [SECRET, FORMER],
    });
  });

  it('takes an empty variable for none, and says so; and warns of a credential that would be seen', () => {
    const { secret, warnings } = read(
      file(
        ', encrypted_headers: { x-key: "", authorization: "Bearer " }, signing_secrets: [""], headers: { Cookie: x }',
      ),
    );
    expect(secret).to.equal(null);
    expect(warnings).to.deep.equal([
      'sinks[0].destination.encrypted_headers.x-key is empty: it is not sent',
      'sinks[0].destination.encrypted_headers.authorization is empty: it is not sent',
      'sinks[0].destination.signing_secrets[0] is empty: nothing is signed with it',
      'sinks[0].destination.headers.Cookie is stored and shown as it is',
    ]);
  });

  const REFUSED: [string, string][] = [
    [', url: ftp://h', 'url must be an http:// or https:// URL'],
    [', url: "http://u:hunter22@h"', 'url must not contain credentials'],
    [', url: "http://h/#top"', 'url must not have a fragment'],
    [
      ', url: "http://169.254.169.254/x"',
      "url cannot be connected to: 169.254.169.254 is a cloud provider's metadata address",
    ],
    [', method: GET', 'method must be one of POST, PUT, PATCH'],
    [', headers: { Host: x }', 'headers.Host is a header that Millrace writes itself'],
    [', headers: { Webhook-Id: x }', 'headers.Webhook-Id is a header that Millrace writes itself'],
    [', headers: { webhook-test: "true" }', 'headers.webhook-test is a header that Millrace writes itself'],
    [', encrypted_headers: { X-Key: a, x-key: b }', 'encrypted_headers.x-key is given twice'],
    [', headers: [{ key: a, value: b }, { key: a, value: c }]', 'headers has the same name twice'],
    [', headers: { "a b": x }', 'headers.a b is not a name of a header'],
    [
      ', headers: { a: "x\\r\\ny: hunter22" }',
      'headers.a holds a line break or another character that no header takes',
    ],
    [', headers: x', 'headers must be a mapping of names to values'],
    [', headers: { a: x }, encrypted_headers: { A: y }', 'headers.a is under `encrypted_headers` too'],
    [', encrypted_headers: { a: h******2 }', 'encrypted_headers.a is what an export shows in place of a secret'],
    [', encrypted_headers: "(1 encrypted header)"', 'encrypted_headers must be a mapping of names to values'],
    [', signing_secrets: [hunter22]', 'signing_secrets[0] must be `whsec_` with 24 to 64 bytes in base64'],
    [`, signing_secrets: [${SECRET}, ${SECRET}, ${SECRET}]`, 'signing_secrets holds more than two'],
    [', batch_size: 1001', 'batch_size must be a whole number from 1 to 1000'],
    [', timeout_ms: 99', 'timeout_ms must be a whole number from 100 to 60000'],
    [', parallel: 33', 'parallel must be a whole number from 1 to 32'],
    [', http_endpoint_path: /x', 'http_endpoint_path needs `http_endpoint`'],
  ];
  for (const [lines, fault] of REFUSED) {
    it(`is refused: ${fault}`, () => {
      const text = lines.startsWith(', url') ? file().replace(/, url: "[^"]*"/, lines) : file(lines);
      const [line, ...others] = linesOf(text);
      expect(line).to.equal(line?.replace(/ .*/, ` sinks[0].destination.${fault}`));
      expect(line).to.contain(fault).and.not.contain('hunter22');
      expect(others).to.deep.equal([]);
    });
  }

  it('takes batch_size beside the destination too', () => {
    const text = sinkFile('batch_size: 7\ndestination: { type: webhook, url: "https://h.example/", batch: true }');
    expect(read(text).settings).to.include({ batch_size: 7 });
  });

  describe('with http_endpoints', () => {
    const endpoint = (lines: string, destination: string): string =>
      `http_endpoints:\n  - name: hook\n${lines}\n${SHOP}sinks:\n  - { name: a, database: shop, destination: { type: webhook, ${destination} } }\n`;
    const HOOK = '    url: https://h.example/base/';

    it('joins address and path, and takes its headers in both forms', () => {
      const pairs = `${HOOK}\n    headers: [{ key: X-Tenant, value: acme }]\n    encrypted_headers:\n      - key: authorization\n        value: Bearer hunter22`;
      const { settings, secret } = read(
        endpoint(pairs, 'http_endpoint: hook, http_endpoint_path: /orders?x=1, batch: false'),
      );
      expect(settings).to.include({ url: 'https://h.example/base/orders?x=1', batch: false });
      expect(settings).to.deep.include({ headers: { 'X-Tenant': 'acme' } });
      expect(secret?.encrypted_headers).to.deep.equal({ authorization: 'Bearer hunter22' });
      const mapping = `${HOOK}\n    headers: { X-Tenant: acme }`;
      expect(read(endpoint(mapping, 'http_endpoint: hook')).settings).to.deep.include({
        headers: { 'X-Tenant': 'acme' },
      });
    });

    it('sends `{"data": [...]}` of one message and waits for 30 s unless it says otherwise, as there', () => {
      expect(read(endpoint(HOOK, 'http_endpoint: hook')).settings).to.include({
        url: 'https://h.example/base/',
        ...{ batch: true, batch_size: 1, timeout_ms: 30_000 },
      });
      const beside = endpoint(HOOK, 'http_endpoint: hook').replace('{ name: a,', '{ name: a, batch_size: 20,');
      expect(read(beside).settings).to.include({ batch: true, batch_size: 20 });
      const within = endpoint(HOOK, 'http_endpoint: hook, batch_size: 30, timeout_ms: 5000, batch: false');
      expect(read(within).settings).to.include({ batch: false, batch_size: 30, timeout_ms: 5_000 });
      expect(read(endpoint(HOOK, 'http_endpoint: hook, http_endpoint_path: orders')).settings).to.include({
        url: 'https://h.example/base/orders',
      });
    });

    it('is refused with a header that is a number, whichever form it has', () => {
      for (const lines of ['{ X-Tenant: 7 }', '[{ key: X-Tenant, value: 7 }]']) {
        const faults = faultsOf(endpoint(`${HOOK}\n    headers: ${lines}`, 'http_endpoint: hook'));
        expect(faults.map(({ field, message, remedy }) => `${field} ${message}. ${remedy}`)).to.deep.equal([
          'sinks[0].destination.headers.X-Tenant must be a text. Put it in quotes.',
        ]);
      }
    });

    it('is refused where it names none, or says two things', () => {
      expect(linesOf(endpoint(HOOK, 'http_endpoint: hok'))).to.deep.equal([
        '10:77 sinks[0].destination.http_endpoint names no entry of `http_endpoints`',
      ]);
      expect(linesOf(endpoint(HOOK, 'http_endpoint: hook, url: http://other')).join()).to.contain(
        'sinks[0].destination.url is given together with `http_endpoint`',
      );
      expect(linesOf(endpoint('    local: true', 'http_endpoint: hook')).join()).to.match(
        /http_endpoints\[0\]\.local is not an address.*http_endpoints\[0\]\.url is missing|url is missing.*local is not an address/,
      );
    });
  });
});
