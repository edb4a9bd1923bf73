/** Where a search index may be: the addresses of its name are checked, and the connection goes to those. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { PrivateAllowed } from '../../../src/runtime/addresses.ts';
import type { Resolver } from '../../../src/runtime/checked-lookup.ts';
import { openSearchClient } from '../../../src/sinks/search-index/client.ts';
import { NEVER, searchDestination } from '../../support/engines/search-sink.ts';
import { selfSignedCertificate } from '../../support/fixtures/certificate.ts';
import { leadHere } from '../../support/postgres/fake-postgres.ts';

describe('the endpoint of a search index', () => {
  let server: Server;
  let asked: { host: string | undefined; path: string | undefined }[];
  let dialled: string[];
  let undo: () => void;
  let port: number;
  /** One connection is one look-up: an answer ends it. */
  const listen = async (secure?: { key: string; cert: string }): Promise<void> => {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      asked.push({ host: request.headers.host, path: request.url });
      response.writeHead(200, { connection: 'close' });
      response.end('{}');
    };
    server = secure ? createSecureServer(secure, answer) : createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  const search = async (url: string, allowed: PrivateAllowed, rounds: string[][] = []): Promise<string[]> => {
    const resolver: Resolver = (_name, _options, done) =>
      done(
        null,
        (rounds.shift() ?? []).map((address) => ({ address, family: 4 })),
      );
    const destination = searchDestination(url, { tls: { ca: null, verify: false } });
    const client = openSearchClient({ destination, authValue: null, reach: { allowed, resolver } });
    const told: string[] = [];
    for (let calls = Math.max(rounds.length, 1); calls > 0; calls -= 1) {
      const reply = await client.search('products', NEVER);
      told.push(reply.kind === 'answer' ? 'answer' : `${reply.kind} ${'error' in reply ? reply.error : ''}`);
    }
    await client.close();
    return told;
  };

  beforeEach(() => {
    asked = [];
    dialled = [];
    undo = leadHere(dialled);
  });
  afterEach(async () => {
    undo();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is connected to at the address that was checked, under its own name', async () => {
    await listen();
    expect(await search(`http://search.example:${port}`, 'declared', [['8.8.8.8']])).to.deep.equal(['answer']);
    expect(dialled).to.deep.equal(['8.8.8.8']);
    expect(asked).to.deep.equal([{ host: `search.example:${port}`, path: '/products/_search' }]);
  });

  it('keeps its name in TLS too', async () => {
    const names: string[] = [];
    await listen(selfSignedCertificate());
    server.on('secureConnection', ({ servername }: { servername: string }) => names.push(servername));
    expect(await search(`https://search.example:${port}`, 'declared', [['8.8.8.8']])).to.deep.equal(['answer']);
    expect(dialled).to.deep.equal(['8.8.8.8']);
    expect(names).to.deep.equal(['search.example']);
  });

  it('gains nothing by a name that leads elsewhere the second time', async () => {
    await listen();
    const told = await search(`http://search.example:${port}`, 'declared', [
      ['8.8.8.8'],
      ['169.254.169.254'],
      ['8.8.4.4'],
    ]);
    expect(told[0]).to.equal('answer');
    expect(told[1]).to.match(/^unreachable 169\.254\.169\.254 is a cloud provider's metadata address/);
    expect(told[2]).to.equal('answer');
    expect(dialled).to.deep.equal(['8.8.8.8', '8.8.4.4']);
  });

  it('is never a metadata or link-local address, in any spelling', async () => {
    await listen();
    for (const host of [
      ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518', '0xa9.254.0xa9fe'],
      ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[fe80::1]'],
      ...['[fd00:ec2::254]', '100.100.100.200', '0.0.0.0', '0', '[::]', '224.0.0.1', '１６９.254.169.254'],
    ]) {
      const [told] = await search(`http://${host}:${port}`, true);
      expect(told, host).to.match(/^unreachable .* is not connected to/);
    }
    expect(dialled).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
  });

  it('is private only where that is allowed', async () => {
    await listen();
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '127.1', '[::1]', '[::ffff:127.0.0.1]']) {
      expect((await search(`http://${host}:${port}`, true))[0], host).to.equal('answer');
      const [told] = await search(`http://${host}:${port}`, false);
      expect(told, host).to.match(/^unreachable .* ALLOW_PRIVATE_DESTINATIONS.*(127\.0\.0\.0\/8|::1\/128)/);
    }
    expect((await search(`http://x.example:${port}`, ['10.0.0.0/8'], [['10.1.1.1']]))[0]).to.equal('answer');
    expect((await search(`http://x.example:${port}`, ['10.0.0.0/8'], [['10.1.1.1', '192.168.0.1']]))[0]).to.contain(
      '192.168.0.0/16',
    );
  });
});
