/**
 * Stands between a sink and an engine, real or scripted, and can be away or lose answers: the request is obeyed, and the
 * connection ends before the answer. It can hold requests back, as a proxy does that gives up waiting and says 504, and obey
 * them later. It comes back on the port it had.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EngineRelay {
  url: string;
  /** Answers to `_bulk` are lost from now on, or arrive again. */
  loseAnswers(lose: boolean): void;
  /** Each `_bulk` is answered with 504 from now on, and kept; or goes through again. */
  holdBack(hold: boolean): void;
  /** Operations' bodies that are held back, oldest first. */
  readonly held: readonly string[];
  /** The engine gets all that was held back now, in that order; its answers. */
  letGo(): Promise<string[]>;
  /** From now on the engine gets another Authorization header than was sent; undefined: the one that was. */
  replaceCredential(authorization: string | undefined): void;
  /** Nobody listens from now on. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startEngineRelay(engineUrl: string): Promise<EngineRelay> {
  const mood: Mood = { isLosing: false, isHolding: false, held: [], authorization: undefined };
  const server = createServer((request, response) => {
    relay(engineUrl, { request, response }, mood).catch(() => response.destroy());
  });
  const leave = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    loseAnswers(lose) {
      mood.isLosing = lose;
    },
    holdBack(hold) {
      mood.isHolding = hold;
    },
    get held() {
      return mood.held.map(({ body }) => body.toString());
    },
    async letGo() {
      const answers: string[] = [];
      for (const { path, headers, body } of mood.held.splice(0)) {
        answers.push(await (await fetch(`${engineUrl}${path}`, { method: 'POST', headers, body })).text());
      }
      return answers;
    },
    replaceCredential(authorization) {
      mood.authorization = authorization;
    },
    leave,
    async comeBack() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: leave,
  };
}

interface Held {
  path: string;
  headers: Record<string, string>;
  body: Buffer<ArrayBuffer>;
}

interface Mood {
  isLosing: boolean;
  isHolding: boolean;
  held: Held[];
  authorization: string | undefined;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

async function relay(engineUrl: string, { request, response }: Exchange, mood: Mood): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const headers: Record<string, string> = {};
  for (const name of ['authorization', 'content-type', 'content-encoding']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  if (mood.authorization !== undefined) headers.authorization = mood.authorization;
  const body = Buffer.concat(pieces);
  if (mood.isHolding && request.url?.endsWith('/_bulk')) {
    mood.held.push({ path: request.url, headers, body });
    response.writeHead(504, { 'content-type': 'text/html' });
    response.end('<h1>504 Gateway Time-out</h1>');
    return;
  }
  const answer = await fetch(`${engineUrl}${request.url}`, { method: 'POST', headers, body, redirect: 'manual' });
  const text = await answer.text();
  if (mood.isLosing && request.url?.endsWith('/_bulk')) {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  response.end(text);
}
