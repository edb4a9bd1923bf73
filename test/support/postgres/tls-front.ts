/** A Postgres server that speaks TLS: in front of one that does not. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from '../fixtures/certificate.ts';

export interface TlsFront {
  /** `host`: another spelling of 127.0.0.1; `parameters`: what follows the `?`. */
  url(parameters?: string, host?: string): string;
  close(): Promise<void>;
}

export async function startTlsFront(serverUrl: string, certificate: Certificate): Promise<TlsFront> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const kept = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined);
  };
  const server = createServer((client) => {
    kept(client).once('data', () => {
      client.write('S');
      const secure = new TLSSocket(client, { isServer: true, secureContext: createSecureContext(certificate) });
      const upstream = kept(connect(Number(target.port), target.hostname));
      kept(secure).pipe(upstream).pipe(secure);
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url(parameters = '', host = '127.0.0.1') {
      const url = new URL(serverUrl);
      url.host = `${host}:${port}`;
      return url.href + (parameters === '' ? '' : `?${parameters}`);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
