/**
 * Finds a TCP port to listen on. Between the answer and its use somebody else may take it: whoever listens must still
 * be ready for EADDRINUSE.
 */
import { createServer } from 'node:net';
import { MillraceError } from '../model/errors.ts';

/** The first free port of `first`, `first + 1`, ... (`count` of them), else any free one. */
export async function freePortFrom(first: number, host = '127.0.0.1', count = 20): Promise<number> {
  for (let port = first; port < first + count && port <= 65535; port += 1) {
    if ((await listenOnce(port, host)) !== undefined) return port;
  }
  return await freePort(host);
}

export async function freePort(host = '127.0.0.1'): Promise<number> {
  const port = await listenOnce(0, host);
  if (port === undefined) throw new MillraceError('bad_setting', `No free port on ${host}`);
  return port;
}

async function listenOnce(port: number, host: string): Promise<number | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
