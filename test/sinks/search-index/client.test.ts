/** What goes over the wire, and that the credential goes nowhere else. */
import { expect } from 'chai';
import { MillraceError } from '../../../src/model/errors.ts';
import type { Circuit, Sink } from '../../../src/model/sink.ts';
import { ANSWER_TIMEOUT_MS, openSearchClient } from '../../../src/sinks/search-index/client.ts';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { NEVER, NOBODY, openTestSearchSink, searchDestination } from '../../support/engines/search-sink.ts';
import { certificateAuthority, selfSignedCertificate } from '../../support/fixtures/certificate.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const SECRET = 'VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==';

describe('the connection to a search engine', () => {
  let server: BulkServer | undefined;
  let sink: Sink | undefined;

  afterEach(async () => {
    await sink?.close();
    await server?.close();
    server = undefined;
    sink = undefined;
  });

  async function start(options: Parameters<typeof startBulkServer>[0] = {}): Promise<BulkServer> {
    server = await startBulkServer({ indexes: ['products'], ...options });
    return server;
  }

  function open(url: string, changed: Partial<SearchDestination> = {}, authValue?: string): Sink {
    sink = openTestSearchSink(searchDestination(url, changed), authValue === undefined ? {} : { authValue });
    return sink;
  }

  describe('Test Connection', () => {
    it('asks the index for no hits by _search, and nothing else', async () => {
      const { url, requests } = await start();
      expect(await open(url).test(NEVER)).to.equal(undefined);
      expect(requests.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
        ['POST', '/products/_search', '{"size":0}'],
      ]);
    });

    const cases: [number, Circuit['reason']][] = [
      [401, 'auth_failed'],
      [403, 'auth_failed'],
      [404, 'index_missing'],
      [302, 'bad_destination'],
      [400, 'bad_destination'],
      [429, 'overloaded'],
      [503, 'overloaded'],
      [500, 'unreachable'],
    ];
    for (const [status, reason] of cases) {
      it(`HTTP ${status} is ${reason}`, async () => {
        const { url, fail } = await start();
        fail({ kind: 'status', status, text: 'the answer', headers: { 'retry-after': '1' } }, { path: /_search$/ });
        const circuit = await open(url).test(NEVER);
        expect(circuit?.reason).to.equal(reason);
        if (status !== 302) expect(circuit?.error).to.equal('the answer');
      });
    }

    it('nobody there, or not a search engine', async () => {
      expect((await open(NOBODY).test(NEVER))?.reason).to.equal('unreachable');
      await sink?.close();
      const { url, fail } = await start();
      fail({ kind: 'text', text: '<html>It works!</html>' }, { path: /_search$/ });
      expect(await open(url).test(NEVER))
        .to.have.property('error')
        .that.contains('endpoint_url')
        .and.contains('It works!');
    });

    it('an abort is neither yes nor no', async () => {
      const { url, fail } = await start();
      fail({ kind: 'hang' }, { path: /_search$/ });
      const error: unknown = await open(url)
        .test(AbortSignal.timeout(30))
        .catch((thrown: unknown) => thrown);
      expect(error).to.have.property('name', 'TimeoutError');
    });
  });

  describe('the address', () => {
    for (const prefix of ['/', '/search/v2', '/search/v2/']) {
      it(`works with ${prefix} behind it`, async () => {
        const { url, requests } = await start({ prefix: prefix.replace(/\/$/, '') });
        expect(await open(url.replace(/\/search.*$/, '') + prefix).test(NEVER)).to.equal(undefined);
        expect(requests[0]?.path).to.equal(`${prefix.replace(/\/$/, '')}/products/_search`);
      });
    }

    it('refuses what is no address, and one that holds a password, without printing it', () => {
      for (const url of ['search:9200', 'ftp://search', '', 'http://ann:hunter22@search:9200', 'http://search?x=1']) {
        const thrown = catching(() => open(url));
        expect(thrown, url).to.be.instanceOf(MillraceError);
        expect(thrown).to.have.property('remedy').that.is.a('string');
        expect(JSON.stringify(thrown) + String(thrown)).to.not.contain('hunter22');
      }
    });
  });

  describe('the credential', () => {
    const cases: [SearchDestination['auth_type'], string, string][] = [
      ['api_key', SECRET, `ApiKey ${SECRET}`],
      ['basic', 'ann:pä:ss', `Basic ${Buffer.from('ann:pä:ss').toString('base64')}`],
      ['bearer', 'token.of-some_kind', 'Bearer token.of-some_kind'],
      ['bearer', 'from-a-file\n', 'Bearer from-a-file'],
    ];
    for (const [authType, value, header] of cases) {
      it(`goes as ${authType}: ${header.split(' ')[0]}`, async () => {
        const running = await start();
        running.authorization = header;
        const opened = open(running.url, { auth_type: authType }, value);
        expect(await opened.test(NEVER)).to.equal(undefined);
        const { outcomes } = await opened.send([delivery(1, 'a')], NEVER);
        expect(outcomes).to.deep.equal([{ kind: 'done' }]);
        expect(running.requests.map(({ headers }) => headers.authorization)).to.deep.equal([header, header]);
      });
    }

    it('with none there is no header', async () => {
      const { url, requests } = await start();
      await open(url, {}, 'left over').test(NEVER);
      expect(requests[0]?.headers).to.not.have.property('authorization');
    });

    it('is refused before use when it is missing or no header can hold it, without printing it', () => {
      const bad: [SearchDestination['auth_type'], string | undefined][] = [
        ['basic', undefined],
        ['api_key', ' '],
        ['bearer', 'hunter22\r\nx-evil: 1'],
        ['api_key', 'hunter22 é'],
      ];
      for (const [authType, value] of bad) {
        const thrown = catching(() => open(NOBODY, { auth_type: authType }, value));
        expect(thrown).to.be.instanceOf(MillraceError).with.property('code', 'bad_destination');
        expect(JSON.stringify(thrown) + String(thrown)).to.not.contain('hunter22');
      }
    });

    it('does not follow a redirect', async () => {
      const { url, fail, requests } = await start();
      fail(
        { kind: 'status', status: 307, headers: { location: `${url}/elsewhere?key=hunter22` } },
        { path: /_search$/ },
      );
      const circuit = await open(url, { auth_type: 'api_key' }, SECRET).test(NEVER);
      expect(requests).to.have.length(1);
      expect(circuit?.error).to.contain(`${url}/elsewhere`).and.not.contain('hunter22');
    });

    it('is cut out of the answer of a proxy that prints the request', async () => {
      const { url, fail } = await start();
      fail({ kind: 'status', status: 502, text: `bad gateway; Authorization: ApiKey ${SECRET}` });
      const { circuit } = await open(url, { auth_type: 'api_key' }, SECRET).send([delivery(1, 'a')], NEVER);
      expect(circuit).to.have.property('error', 'bad gateway; Authorization: ApiKey ***');
    });

    it('is cut out of a 200: of items, of an answer that is none, and where the text is cut', async () => {
      const { url, fail } = await start();
      const user = 'elastic:hunt"er/22';
      const header = Buffer.from(user).toString('base64');
      const echoes = [
        `header [authorization: Basic ${header}]`,
        'password hunt"er/22',
        'HUNT%22ER%2F22',
        `${'x'.repeat(3_945)}${header}`,
      ];
      const sink = open(url, { auth_type: 'basic' }, user);
      for (const reason of echoes) {
        const error = { type: 'mapper_parsing_exception', reason, caused_by: { reason } };
        fail({ kind: 'items', decide: () => ({ status: 400, error }) });
        const { outcomes } = await sink.send([delivery(1, 'a')], NEVER);
        fail({ kind: 'text', text: `<html>${reason}</html>` });
        const nonsense = JSON.stringify(await sink.send([delivery(1, 'a')], NEVER));
        fail({ kind: 'text', text: `<html>${reason}</html>` }, { path: /_search$/ });
        const tested = JSON.stringify(await sink.test(NEVER));
        for (const text of [JSON.stringify(outcomes), nonsense, tested]) {
          if (reason.length < 1_000) expect(text).to.include('***');
          expect(text).not.to.match(/hunt|er\/22|%2F22/i);
          expect(text).not.to.include(header.slice(0, 8));
        }
      }
    });
  });

  describe('TLS', () => {
    it('refuses a certificate that nobody vouches for, and says why', async () => {
      const { url } = await start({ tls: selfSignedCertificate() });
      const opened = open(url);
      expect(await opened.test(NEVER)).to.deep.include({ reason: 'unreachable' });
      const { circuit } = await opened.send([delivery(1, 'a')], NEVER);
      expect(circuit?.reason).to.equal('unreachable');
      expect(circuit?.error).to.match(/self-signed certificate.*`tls: \{ ca \}`.*`tls: \{ verify: false \}`/i);
    });

    it('accepts it with tls.ca, or unseen with verify: false', async () => {
      const tls = selfSignedCertificate();
      const { url } = await start({ tls });
      expect(await open(url, { tls: { ca: tls.cert, verify: true } }).test(NEVER)).to.equal(undefined);
      await sink?.close();
      expect(await open(url, { tls: { ca: null, verify: false } }).test(NEVER)).to.equal(undefined);
    });

    it('accepts what a private authority vouches for, by its certificate alone', async () => {
      const { cert: ca, issue } = certificateAuthority();
      const { url } = await start({ tls: issue() });
      const opened = open(url, { tls: { ca, verify: true } });
      expect(await opened.test(NEVER)).to.equal(undefined);
      expect((await opened.send([delivery(1, 'a')], NEVER)).outcomes).to.deep.equal([{ kind: 'done' }]);
      await sink?.close();
      const circuit = await open(url).test(NEVER);
      expect(circuit?.error).to.match(/(unable to verify|unable to get local issuer).*`tls: \{ ca \}`/i);
    });

    const faults: [string, Parameters<ReturnType<typeof certificateAuthority>['issue']>[0], RegExp][] = [
      [
        'has another name',
        { address: [127, 0, 0, 2] },
        /IP: 127\.0\.0\.1 is not in the cert.*Write the name that the certificate has/i,
      ],
      ['has expired', { from: -3, to: -1 }, /certificate has expired.*Renew it/i],
      ['is not valid yet', { from: 1, to: 3 }, /not yet valid.*clocks/i],
    ];
    for (const [what, validity, words] of faults) {
      it(`refuses one that ${what}, sends nothing to it, and says why`, async () => {
        const { cert: ca, issue } = certificateAuthority();
        const { url, requests } = await start({ tls: issue(validity) });
        const opened = open(url, { tls: { ca, verify: true }, auth_type: 'api_key' }, SECRET);
        const tested = await opened.test(NEVER);
        expect(tested?.reason).to.equal('unreachable');
        expect(tested?.error).to.match(words).and.not.contain(SECRET);
        const { circuit } = await opened.send([delivery(1, 'a')], NEVER);
        expect(circuit?.reason).to.equal('unreachable');
        expect(circuit?.error).to.match(words);
        expect(requests).to.deep.equal([]);
      });
    }

    it('a server that does not speak TLS is unreachable', async () => {
      const { url } = await start();
      expect(await open(url.replace('http:', 'https:')).test(NEVER)).to.deep.include({ reason: 'unreachable' });
    });
  });

  it('waits longer for an answer than an engine waits for a shard that is away', () => {
    expect(ANSWER_TIMEOUT_MS).to.be.greaterThan(75_000);
  });

  it('keeps its connections', async () => {
    const { url, requests, connections } = await start();
    const opened = open(url);
    for (let i = 1; i <= 20; i += 1) await opened.send([delivery(i, 'a')], NEVER);
    expect(requests).to.have.length(20);
    expect(connections()).to.be.at.most(2);
  });

  it('bounds the size of an answer', async () => {
    const { url, fail } = await start();
    fail({ kind: 'text', text: 'x'.repeat(65 * 1024 * 1024) });
    const client = openSearchClient({ destination: searchDestination(url), authValue: null });
    const reply = await client.bulk('products', Buffer.from('{"delete":{"_id":"a"}}\n'), NEVER);
    await client.close();
    expect(reply.kind).to.equal('lost');
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
