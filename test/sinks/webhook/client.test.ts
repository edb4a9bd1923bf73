/** What goes over the wire, and that secrets go nowhere else. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { MillraceError } from '../../../src/model/errors.ts';
import type { Sink } from '../../../src/model/sink.ts';
import type { WebhookDestination } from '../../../src/sinks/webhook/section.ts';
import { NOBODY } from '../../support/engines/search-sink.ts';
import { certificateAuthority, selfSignedCertificate } from '../../support/fixtures/certificate.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { type Endpoint, startEndpoint } from '../../support/webhook/endpoint.ts';
import { NEVER, type OpenOptions, openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const FORMER = `whsec_${Buffer.alloc(24, 6).toString('base64')}`;

describe('the connection to a webhook', () => {
  let endpoint: Endpoint | undefined;
  let sink: Sink | undefined;

  afterEach(async () => {
    await sink?.close();
    await endpoint?.close();
    endpoint = undefined;
    sink = undefined;
  });

  const start = async (options: Parameters<typeof startEndpoint>[0] = {}): Promise<Endpoint> => {
    endpoint = await startEndpoint(options);
    return endpoint;
  };
  const open = (url: string, changed: Partial<WebhookDestination> = {}, options: OpenOptions = {}): Sink => {
    sink = openTestWebhookSink(webhookDestination(url, changed), options);
    return sink;
  };

  it('sends a message as JSON, by its method, to its address with the query, under its id', async () => {
    const { url, requests } = await start();
    await open(`${url}?code=7`, { method: 'PUT', headers: { 'X-Tenant': 'acme' } }).send([delivery(7, 'a')], NEVER);
    const [{ method, path, headers, body }] = requests as [(typeof requests)[0]];
    expect([method, path]).to.deep.equal(['PUT', '/hook?code=7']);
    expect(headers).to.include({ 'content-type': 'application/json', 'x-tenant': 'acme', 'webhook-id': '7' });
    expect(headers).to.not.have.property('webhook-signature');
    expect(JSON.parse(body)).to.deep.equal({
      record: { id: 'a', at: 7 },
      changes: null,
      action: 'insert',
      metadata: { table_schema: 'public', table_name: 'products' },
    });
  });

  it('signs with each secret, at the time of sending, and again when it is sent again', async () => {
    const { url, requests } = await start();
    let nowMs = 1_700_000_000_500;
    const opened = open(url, {}, { signing_secrets: [SECRET, FORMER], now: () => nowMs });
    await opened.send([delivery(7, 'a')], NEVER);
    nowMs += 60_000;
    await opened.send([delivery(7, 'a')], NEVER);
    expect(requests.map(({ headers }) => headers['webhook-timestamp'])).to.deep.equal(['1700000000', '1700000060']);
    for (const { headers, body } of requests) {
      const signed = `7.${headers['webhook-timestamp']}.${body}`;
      const wanted = [Buffer.alloc(32, 5), Buffer.alloc(24, 6)].map(
        (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
      );
      expect(headers['webhook-signature']).to.equal(wanted.join(' '));
    }
  });

  it('lets headers of its own replace the usual ones, and sealed ones those, whatever their case', async () => {
    const { url, requests } = await start();
    const headers = { 'Content-Type': 'application/cloudevents+json', 'X-Key': 'plain' };
    await open(url, { headers }, { encrypted_headers: { 'x-key': 'sealed-value' } }).send([delivery(7, 'a')], NEVER);
    expect(requests[0]!.headers).to.include({
      'content-type': 'application/cloudevents+json',
      'x-key': 'sealed-value',
    });
  });

  it('shows no secret that an endpoint says again, in any form, nor half of one where the text is cut', async () => {
    const running = await start();
    const login = `Basic ${Buffer.from('ann:hunter22').toString('base64')}`;
    const encrypted_headers = { authorization: login, 'x-api-key': 'k3y-of-the-hook' };
    const opened = open(running.url, {}, { encrypted_headers, signing_secrets: [SECRET] });
    for (const said of [
      login,
      'hunter22',
      'k3y-of-the-hook',
      SECRET,
      SECRET.slice(6),
      `${'x'.repeat(3_990)}hunter22`,
    ]) {
      running.answer = () => ({ status: 422, text: `refused: ${said}` });
      const text = JSON.stringify(await opened.send([delivery(1, 'a')], NEVER));
      expect(text)
        .to.contain('park')
        .and.not.match(/hunter|k3y-of/);
      expect(text).to.not.contain(login.slice(6, 16)).and.not.contain(SECRET.slice(6, 16));
    }
    running.answer = () => ({ status: 307, headers: { location: `${running.url}/other?key=hunter22` } });
    const { circuit } = await opened.send([delivery(2, 'a')], NEVER);
    expect(circuit?.error).to.contain(`HTTP 307 to ${running.url}/other;`).and.contain('redirects are not followed');
    expect(circuit?.error).to.not.contain('hunter');
    expect(running.requests.filter(({ path }) => path !== '/hook')).to.deep.equal([]);
  });

  it('refuses what is no address and no secret, before use and without printing it', () => {
    const bad: [string, OpenOptions][] = [
      ['hook:8080:1', {}],
      [NOBODY, { signing_secrets: ['whsec_hunter22'] }],
    ];
    for (const [url, options] of bad) {
      const thrown = catching(() => open(url, {}, options));
      expect(thrown).to.be.instanceOf(MillraceError).with.property('code', 'bad_destination');
      expect(thrown).to.have.property('remedy').that.is.a('string');
      expect(JSON.stringify(thrown) + String(thrown)).to.not.contain('hunter22');
    }
  });

  describe('its test', () => {
    it('connects, and sends nothing that could be taken for a message', async () => {
      const running = await start();
      expect(await open(running.url).test(NEVER)).to.equal(undefined);
      expect(running.connections()).to.equal(1);
      expect(running.requests).to.deep.equal([]);
    });

    it('and messages too reach an address of IPv6', async () => {
      const running = await start({ host: '::1' });
      const opened = open(running.url);
      expect(await opened.test(NEVER)).to.equal(undefined);
      expect((await opened.send([delivery(1, 'a')], NEVER)).outcomes).to.deep.equal([{ kind: 'done' }]);
      expect(running.requests[0]!.headers.host).to.equal(`[::1]:${running.port}`);
    });

    it('says why when nobody is there', async () => {
      const circuit = await open(NOBODY).test(NEVER);
      expect(circuit?.reason).to.equal('unreachable');
      expect(circuit?.error).to.match(/nothing listens at this address.*correct `url`/);
    });

    it('agrees on TLS, and says what is wrong with the certificate', async () => {
      const { cert: ca, issue } = certificateAuthority();
      const { url } = await start({ tls: issue() });
      expect(await open(url, { tls: { ca, verify: true } }).test(NEVER)).to.equal(undefined);
      await sink!.close();
      const circuit = await open(url).test(NEVER);
      expect(circuit?.error).to.match(/certificate.*`tls: \{ ca \}`/i);
    });

    it('an abort is neither yes nor no', async () => {
      const error: unknown = await open(NOBODY)
        .test(AbortSignal.abort(new Error('stop')))
        .catch((thrown: unknown) => thrown);
      expect(error).to.have.property('message', 'stop');
    });
  });

  describe('TLS', () => {
    it('refuses a certificate that nobody vouches for, sends nothing to it, and says why', async () => {
      const { url, requests } = await start({ tls: selfSignedCertificate() });
      const { circuit } = await open(url).send([delivery(1, 'a')], NEVER);
      expect(circuit?.reason).to.equal('unreachable');
      expect(circuit?.error).to.match(/self-signed certificate.*`tls: \{ ca \}`.*`tls: \{ verify: false \}`/i);
      expect(requests).to.deep.equal([]);
    });

    it('accepts it with tls.ca, or unseen with verify: false', async () => {
      const tls = selfSignedCertificate();
      const { url } = await start({ tls });
      for (const one of [
        { ca: tls.cert, verify: true },
        { ca: null, verify: false },
      ]) {
        const { outcomes } = await open(url, { tls: one }).send([delivery(1, 'a')], NEVER);
        expect(outcomes).to.deep.equal([{ kind: 'done' }]);
        await sink!.close();
      }
    });
  });

  it('connects to no address that is not allowed, and says how it could be', async () => {
    const { port, connections } = await start();
    const resolver: NonNullable<OpenOptions['reach']>['resolver'] = (_name, _options, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const host of ['127.0.0.1', 'hook.example', '[::ffff:127.0.0.1]']) {
      const opened = open(`http://${host}:${port}/hook`, {}, { reach: { allowed: false, resolver } });
      const { circuit } = await opened.send([delivery(1, 'a')], NEVER);
      expect(circuit?.error).to.contain('ALLOW_PRIVATE_DESTINATIONS');
      expect((await opened.test(NEVER))?.error).to.contain('ALLOW_PRIVATE_DESTINATIONS');
      await opened.close();
    }
    const metadata = open('http://169.254.169.254/latest', {}, { reach: { allowed: true } });
    expect((await metadata.send([delivery(1, 'a')], NEVER)).circuit?.error).to.contain("cloud provider's metadata");
    expect(connections()).to.equal(0);
  });

  it('keeps its connections', async () => {
    const { url, requests, connections } = await start();
    const opened = open(url, { parallel: 3 });
    for (let i = 1; i <= 40; i += 4)
      await opened.send(
        [0, 1, 2, 3].map((more) => delivery(i + more, 'a')),
        NEVER,
      );
    expect(requests).to.have.length(40);
    expect(connections()).to.be.at.most(3);
  });
});

function catching(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}
