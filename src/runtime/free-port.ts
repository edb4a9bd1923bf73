/**
 * Finds a TCP port to listen on. Between the answer and its use somebody else may take it: whoever listens must still
 * be ready for EADDRINUSE.
 */
import { createServer } from 'node:net';
import { MillraceError } from '../model/errors.ts';

/** The first free port of `first`, `first + 1`, ... (`count` of them), else any free one. Null: all addresses. */
export async function freePortFrom(first: number, host: string | null = '127.0.0.1', count = 20): Promise<number> {
  for (let port = first; port < first + count && port <= 65535; port += 1) {
    if (await isFree(port, host)) return port;
  }
  return await freePort(host);
}

export async function freePort(host: string | null = '127.0.0.1'): Promise<number> {
  const port = await listenOnce(0, host);
  if (port === undefined) throw new MillraceError('bad_setting', `No free port on ${host ?? 'any address'}`);
  return port;
}

export async function isFree(port: number, host: string | null): Promise<boolean> {
  return (await listenOnce(port, host)) !== undefined;
}

async function listenOnce(port: number, host: string | null): Promise<number | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, ...(host === null ? {} : { host }) }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
