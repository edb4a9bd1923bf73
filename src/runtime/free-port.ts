/**
 * Finds a TCP port to listen on. Between the answer and its use somebody else may take it: whoever listens must still
 * be ready for EADDRINUSE.
 */
import { type AddressInfo, createServer } from 'node:net';
import { MillraceError } from '../model/errors.ts';

interface Place {
  port: number;
  /** Null: all addresses. */
  host: string | null;
}

/** The first free port of `first`, `first + 1`, ... (`count` of them), else any free one. @throws as `tryPort`. */
export async function freePortFrom(first: number, host: string | null = '127.0.0.1', count = 20): Promise<number> {
  for (let port = first; port < first + count && port <= 65535; port += 1) {
    if (await tryPort({ port, host }).catch(() => undefined)) return port;
  }
  return await freePort(host);
}

export const freePort = async (host: string | null = '127.0.0.1'): Promise<number> => await tryPort({ port: 0, host });

/** The port that was listened on for a moment; of 0, any free one. @throws MillraceError bad_setting. */
export async function tryPort({ port, host }: Place): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(listenFault(error, { port, host })));
    server.listen({ port, ...(host === null ? {} : { host }) }, () => {
      const { port: taken } = server.address() as AddressInfo;
      server.close(() => resolve(taken));
    });
  });
}

const NOT_OURS = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT', 'EINVAL'];

/** Why nothing can listen there, by the setting that is to be changed; what is not about a setting, as it is. */
export function listenFault(error: NodeJS.ErrnoException, { port }: Place): Error {
  const { code = '' } = error;
  const refused = (field: string, message: string, remedy: string): MillraceError =>
    new MillraceError('bad_setting', `${field} ${message}`, { faults: [{ field, message, remedy }], cause: error });
  if (code === 'EADDRINUSE')
    return refused('PORT', `${port} is in use`, 'Stop what listens there, or set PORT to another one.');
  if (code === 'EACCES')
    return refused('PORT', `${port} is not open to the user that runs this`, 'Set PORT to 1024 or more.');
  if (!NOT_OURS.includes(code)) return error;
  const remedy = 'Set it to an address of this machine: 0.0.0.0 for all of them, 127.0.0.1 for this machine alone.';
  return refused('HOST', `is not an address of this machine (${code})`, remedy);
}
