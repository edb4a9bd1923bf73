/** Which names are answered to. */
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { checkHost, type Hosts, hostOf } from '../../src/http/hosts.ts';
import { createServer } from '../../src/http/server.ts';
import { readSettings } from '../../src/runtime/settings.ts';

const LOOPBACK: Hosts = { allowed: null, loopback: true };
const OPEN: Hosts = { allowed: null, loopback: false };
const LISTED: Hosts = { allowed: ['example.com', '*.internal', '10.1.2.3', '::1'], loopback: false };

const API = '/api/http_pull_consumers/orders/receive';

describe('http: hosts', () => {
  /** The code of a refusal; `ok`. */
  function ask(hosts: Hosts, host: string | string[] | undefined, url = API): string {
    const all = host === undefined ? [] : [host].flat();
    const request: Partial<IncomingMessage> = { url, rawHeaders: all.flatMap((each) => ['Host', each]) };
    try {
      checkHost(request as IncomingMessage, hosts);
      return 'ok';
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  it('on a loopback address are loopback names, however they are written', () => {
    for (const host of [
      'localhost',
      'LOCALHOST:7376',
      'localhost.',
      '127.0.0.1:80',
      '127.1.2.3',
      '[::1]:7376',
      'a.localhost',
    ])
      expect(ask(LOOPBACK, host), host).to.equal('ok');
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'notlocalhost',
      '10.0.0.1',
      '[fe80::1]',
    ])
      expect(ask(LOOPBACK, host), host).to.equal('misdirected');
  });

  it('elsewhere are all, but for a list', () => {
    expect(ask(OPEN, 'anything.example')).to.equal('ok');
    expect(ask(OPEN, undefined)).to.equal('ok');
    expect(ask({ allowed: ['*'], loopback: true }, 'anything.example')).to.equal('ok');
    for (const host of ['example.com', 'Example.COM.:443', 'a.internal', 'a.b.internal:1', '10.1.2.3:7376', '[::1]'])
      expect(ask(LISTED, host), host).to.equal('ok');
    for (const host of ['www.example.com', 'internal', 'evilinternal', 'localhost', '127.0.0.1', '10.1.2.4'])
      expect(ask(LISTED, host), host).to.equal('misdirected');
  });

  it('are addresses, or none, for what orchestrators look at', () => {
    for (const hosts of [LOOPBACK, LISTED]) {
      for (const url of ['/livez', '/readyz?x=1', '/healthz/', '/metrics']) {
        for (const host of ['10.9.8.7:7376', '[fd00::1]:7376', 'localhost', undefined])
          expect(ask(hosts, host, url), `${url} ${host}`).to.equal('ok');
        expect(ask(hosts, 'evil.example', url), url).to.equal('misdirected');
      }
      expect(ask(hosts, undefined)).to.equal('misdirected');
      expect(ask(hosts, '10.9.8.7')).to.equal('misdirected');
      expect(ask(hosts, '10.9.8.7', '/livez/../api')).to.equal('misdirected');
    }
  });

  it('are one, which is one, also in the form that proxies use', () => {
    for (const host of [
      'a b',
      'localhost@evil',
      'user@localhost',
      'localhost:80:80',
      'localhost/x',
      '[::1',
      'löcal',
      '.',
      ':80',
    ])
      expect(ask(LOOPBACK, host), host).to.equal('bad_request');
    expect(ask(LOOPBACK, ['localhost', 'localhost'])).to.equal('bad_request');
    expect(ask(OPEN, ['a.example', 'b.example'])).to.equal('bad_request');
    expect(ask(LOOPBACK, 'localhost', `http://evil.example${API}`)).to.equal('misdirected');
    expect(ask(LOOPBACK, 'evil.example', `http://localhost${API}`)).to.equal('misdirected');
    expect(ask(LOOPBACK, 'localhost', `HTTP://127.0.0.1:7376${API}`)).to.equal('ok');
    expect(ask(LOOPBACK, 'localhost', `http://user@localhost${API}`)).to.equal('bad_request');
    expect(ask(LISTED, '10.9.8.7', 'http://10.9.8.7/livez?q')).to.equal('ok');
  });

  it('are written as one', () => {
    expect(['[::1]:80', 'Example.com.', 'a_b-c.d:', '1.2.3.4'].map(hostOf)).to.deep.equal([
      '::1',
      'example.com',
      'a_b-c.d',
      '1.2.3.4',
    ]);
  });

  it('are listed in ALLOWED_HOSTS', () => {
    const read = (text: string): unknown => readSettings({ ALLOWED_HOSTS: text }).allowedHosts;
    expect(read('')).to.equal(null);
    expect(read(' Example.com., *.a.b , [::1],10.0.0.1')).to.deep.equal(['example.com', '*.a.b', '::1', '10.0.0.1']);
    expect(read('*')).to.deep.equal(['*']);
    for (const wrong of ['http://example.com', 'example.com:80', 'a..b', '*.', 'a.*', ',', '10.0.0.0/8'])
      expect(() => read(wrong), wrong).to.throw(/ALLOWED_HOSTS must be host names/);
  });

  it('are looked at for every request: 421 names the variable, whatever a proxy claims', async () => {
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const server = createServer({
      log: silent,
      routes: [(app) => void app.get('/livez', (_request, response) => void response.json({ status: 'ok' }))],
    });
    const port = await server.listen({ host: '127.0.0.1', port: 0 });
    const raw = async (text: string): Promise<string> =>
      await new Promise((resolve, reject) => {
        let answer = '';
        const socket = connect(port, '127.0.0.1', () => socket.end(text.replaceAll('\n', '\r\n')));
        socket.on('data', (bytes) => {
          answer += bytes.toString();
        });
        socket.once('error', reject);
        socket.once('end', () => resolve(answer));
      });
    const refused = await raw(
      'GET /livez HTTP/1.1\nHost: evil.example\nX-Forwarded-Host: localhost\nConnection: close\n\n',
    );
    expect(refused)
      .to.match(/^HTTP\/1\.1 421 /)
      .and.to.contain('ALLOWED_HOSTS')
      .and.not.to.contain('evil.example');
    expect(
      await raw('GET /livez HTTP/1.1\nHost: localhost\nX-Forwarded-Host: evil.example\nConnection: close\n\n'),
    ).to.match(/ 200 /);
    expect(await raw('GET /livez HTTP/1.0\n\n')).to.match(/ 200 /);
    expect(await raw('GET /api HTTP/1.0\n\n')).to.match(/ 421 /);
    expect(await raw('GET /livez HTTP/1.1\nHost: localhost\nHost: evil.example\nConnection: close\n\n')).to.match(
      / 400 /,
    );
    expect(await raw('GET /livez HTTP/1.1\nConnection: close\n\n')).to.match(/ 400 /);
    expect(await raw('GET http://evil.example/livez HTTP/1.1\nHost: localhost\nConnection: close\n\n')).to.match(
      / 421 /,
    );
    await server.close();
  });
});
