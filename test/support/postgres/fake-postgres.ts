/**
 * Somebody who pretends to be a Postgres server, to see what a client tells him: the beginning of the protocol and no more
 * (https://www.postgresql.org/docs/current/protocol-flow.html). And a stand-in for the network, in which every address
 * leads to this machine.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP, Socket, type TcpNetConnectOpts } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from '../fixtures/certificate.ts';

type Login = 'cleartext' | 'md5' | 'scram' | 'gss' | 'ok' | 'scram-then-ok';

export interface FakePostgres {
  url: string;
  port: number;
  /** What arrived as an answer to the question for the password. */
  told: string[];
  /** `plain` or `tls` for each login that was begun. */
  logins: string[];
  close(): Promise<void>;
}

/** With a certificate it speaks TLS, without it answers N. */
export async function startFakePostgres(login: Login, certificate?: Certificate): Promise<FakePostgres> {
  const told: string[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (first: Buffer) => {
      if (first.readInt32BE(4) !== 80_877_103) return talk(socket, first, 'plain');
      if (certificate === undefined) {
        socket.write('N');
        socket.once('data', (startup: Buffer) => talk(socket, startup, 'plain'));
        return;
      }
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
      secure.on('error', () => undefined);
      secure.once('data', (startup: Buffer) => talk(secure, startup, 'tls'));
    });
  });
  const talk = (socket: Socket, _startup: Buffer, how: string): void => {
    logins.push(how);
    socket.write(QUESTIONS[login]);
    socket.on('data', (answer: Buffer) => {
      if (answer[0] === 0x51) socket.write(Buffer.concat([DONE, READY]));
      if (answer[0] !== 0x70) return;
      told.push(answer.subarray(5).toString('latin1'));
      if (login !== 'scram') socket.write(Buffer.concat([authentication(0), READY]));
    });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://ann:hunter22@127.0.0.1:${port}/shop`,
    port,
    told,
    logins,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function authentication(code: number, more = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head[0] = 0x52;
  head.writeInt32BE(8 + more.length, 1);
  head.writeInt32BE(code, 5);
  return Buffer.concat([head, more]);
}

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** The answer to any statement. */
const DONE = Buffer.from('C\0\0\0\x08SET\0', 'latin1');
const SCRAM = authentication(10, Buffer.from('SCRAM-SHA-256\0\0'));
const QUESTIONS: Record<Login, Buffer> = {
  cleartext: authentication(3),
  md5: authentication(5, Buffer.from([1, 2, 3, 4])),
  scram: SCRAM,
  gss: authentication(7),
  ok: Buffer.concat([authentication(0), READY]),
  'scram-then-ok': SCRAM,
};

/** From now on a connection to any address ends here, and looks from the client as if it did not. Returns the undoing. */
export function leadHere(dialled: string[] = []): () => void {
  const { connect } = Socket.prototype;
  const here = function (this: Socket, ...args: unknown[]): Socket {
    const [options, done] = (Array.isArray(args[0]) ? args[0] : args) as [TcpNetConnectOpts, unknown];
    const to = (address: string): void => {
      dialled.push(address);
      Object.defineProperty(this, 'remoteAddress', { get: () => address });
      Reflect.apply(connect, this, [{ port: options.port, host: '127.0.0.1' }, done]);
    };
    if (options.lookup === undefined || isIP(options.host ?? '') !== 0) to(options.host ?? '');
    else {
      options.lookup(options.host ?? '', { all: true }, (error, found) => {
        if (error) this.destroy(error);
        else to(Array.isArray(found) ? found[0]!.address : found);
      });
    }
    return this;
  };
  Object.assign(Socket.prototype, { connect: here });
  return () => void Object.assign(Socket.prototype, { connect });
}
