/**
 * A scripted endpoint of webhooks on a random port: it verifies nothing, records every request, and goes wrong on demand.
 * What it took (answered with 2xx, or obeyed without an answer) is told apart from what it refused.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Of each message in it: its record. */
  records: { id?: unknown; at?: unknown }[];
}

/** How a request is answered. */
export type Answer =
  | { status: number; text?: string; headers?: Record<string, string> }
  /** The connection ends without an answer. `taken`: the request was obeyed all the same. */
  | { close: true; taken?: boolean }
  /** None before then. */
  | { hold: Promise<unknown>; status: number }
  /** Whatever is written. */
  | { speak: (response: ServerResponse) => void };

export interface Endpoint {
  url: string;
  port: number;
  requests: Received[];
  /** Requests that were answered with 2xx, or obeyed without an answer. */
  taken: Received[];
  /** Asked for each request; undefined: 204. */
  answer: (request: Received) => Answer | undefined;
  /** Requests under way at this moment, and at most so far. */
  underWay(): { now: number; most: number };
  /** That were made to it. */
  connections(): number;
  /** Nobody listens from now on. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startEndpoint(
  options: { tls?: { key: string; cert: string }; keepAliveMs?: number; host?: '127.0.0.1' | '::1' } = {},
): Promise<Endpoint> {
  const { host = '127.0.0.1' } = options;
  const counts = { now: 0, most: 0, connections: 0 };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    counts.now += 1;
    counts.most = Math.max(counts.most, counts.now);
    response.on('close', () => {
      counts.now -= 1;
    });
    const received = await receive(request);
    self.requests.push(received);
    const answer = self.answer(received) ?? { status: 204 };
    if (('status' in answer && answer.status < 300) || ('close' in answer && answer.taken)) self.taken.push(received);
    if ('close' in answer) return void response.destroy();
    if ('speak' in answer) return answer.speak(response);
    if ('hold' in answer) await answer.hold;
    const { status, text = '', headers = {} } = { text: undefined, headers: undefined, ...answer };
    response.writeHead(status, headers);
    response.end(text);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch(() => response.destroy());
  };
  const server: Server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  if (options.keepAliveMs !== undefined) server.keepAliveTimeout = options.keepAliveMs;
  server.on('connection', () => {
    counts.connections += 1;
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const leave = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const port = await listen(0);
  const self: Endpoint = {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host === '::1' ? '[::1]' : host}:${port}/hook`,
    port,
    requests: [],
    taken: [],
    answer: () => undefined,
    underWay: () => ({ now: counts.now, most: counts.most }),
    connections: () => counts.connections,
    leave,
    comeBack: async () => void (await listen(port)),
    close: leave,
  };
  return self;
}

async function receive(request: IncomingMessage): Promise<Received> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const body = Buffer.concat(pieces).toString('utf8');
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    records: recordsOf(body),
  };
}

function recordsOf(body: string): Received['records'] {
  if (body === '') return [];
  const { data, record } = JSON.parse(body) as { data?: { record: object }[]; record?: object };
  return data ? data.map((one) => one.record) : record ? [record] : [];
}
