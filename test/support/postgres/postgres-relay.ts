/**
 * Stands between a client and a Postgres server, and can be away, swallow everything (a half-open connection), or lose
 * the answer to a commit: the commit is obeyed, and the connection ends before the answer.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pieces a second, of what passes slowly. */
const PIECES = 20;

export interface PostgresRelay {
  /** `url` with the relay's address in place of the server's. */
  url: string;
  /** How many connections clients have made so far. */
  readonly made: number;
  loseCommits(lose: boolean): void;
  /** From now on nothing passes, in either direction, on any connection; again when false. */
  swallow(swallow: boolean): void;
  /** From the moment that a client says this, nothing passes on its connection any more, in either direction, not even its end. */
  stallAt(words: string | undefined): void;
  /** So it is from now on with connections that began with these words, of the startup packet. */
  stallThose(words: string): void;
  /** What the server sends passes at so many bytes a second; undefined: at once. */
  trickle(bytesPerSecond: number | undefined): void;
  /** What clients send arrives so many milliseconds later: each statement is as slow as that. */
  delay(ms: number): void;
  /** New connections go to another server: a name that points elsewhere now. Those that are there end. */
  leadTo(serverUrl: string): void;
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startPostgresRelay(serverUrl: string): Promise<PostgresRelay> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const beginnings = new Map<Socket, { begun: Buffer; upstream: Socket }>();
  let losing = false;
  let swallowing = false;
  let delayMs = 0;
  let stallsAt: string | undefined;
  let bytesPerSecond: number | undefined;
  let made = 0;
  const stalled = new Set<Socket>();
  const stall = (client: Socket, upstream: Socket): void => {
    stalled.add(client);
    client.pause();
    upstream.pause();
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    made += 1;
    const upstream = connect(Number(target.port), target.hostname);
    /** What clients sent and is not due yet; later parts never overtake earlier ones, however late the timers are. */
    const held: { data: Buffer; due: number }[] = [];
    const forward = (): void => {
      while (held[0] !== undefined && held[0].due <= performance.now()) {
        const { data } = held.shift()!;
        if (upstream.writable) upstream.write(data);
      }
      if (held[0] !== undefined) setTimeout(forward, Math.max(held[0].due - performance.now(), 1));
    };
    const slowly = async (data: Buffer): Promise<void> => {
      upstream.pause();
      for (let at = 0; at < data.length && client.writable; ) {
        const piece = data.subarray(at, at + Math.ceil((bytesPerSecond ?? data.length) / PIECES));
        client.write(piece);
        at += piece.length;
        if (bytesPerSecond !== undefined) await sleep(1_000 / PIECES);
      }
      upstream.resume();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        beginnings.delete(socket);
        stalled.delete(socket);
        // Half-open: the end of the one side is not heard on the other.
        if (swallowing) return;
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('end', () => {
      if (!stalled.has(client)) client.end();
    });
    client.on('data', (data: Buffer) => {
      if (swallowing) return;
      if (!beginnings.has(client)) beginnings.set(client, { begun: data, upstream });
      if (stallsAt !== undefined && data.includes(stallsAt)) {
        stall(client, upstream);
        return;
      }
      if (delayMs === 0 && held.length === 0) {
        upstream.write(data);
        return;
      }
      held.push({ data, due: performance.now() + delayMs });
      if (held.length === 1) forward();
    });
    upstream.on('data', (data: Buffer) => {
      if (swallowing) return;
      if (losing && data.includes('COMMIT\0')) client.destroy();
      else if (bytesPerSecond === undefined) client.write(data);
      else void slowly(data);
    });
  });
  const leave = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    get made() {
      return made;
    },
    loseCommits(lose) {
      losing = lose;
    },
    swallow(swallow) {
      swallowing = swallow;
    },
    stallAt(words) {
      stallsAt = words;
    },
    stallThose(words) {
      for (const [client, { begun, upstream }] of beginnings) {
        if (begun.includes(words)) stall(client, upstream);
      }
    },
    trickle(bytes) {
      bytesPerSecond = bytes;
    },
    delay(ms) {
      delayMs = ms;
    },
    leadTo(otherUrl) {
      target = new URL(otherUrl);
      for (const socket of sockets) socket.destroy();
    },
    leave,
    async comeBack() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: leave,
  };
}
