/**
 * A scripted search engine on a random port: it obeys `_bulk` and `_search` as the real one does, records every request,
 * and goes wrong on demand. Any other path answers 405, so that a client which probes something else is caught.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { BulkEngine, type BulkOperation, failure, type Item } from './bulk-engine.ts';
import type { Answer } from './bulk-search.ts';

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** Decoded when it came as gzip. */
  body: string;
}

/** What goes wrong with one request. `applied`: the engine has obeyed all the same. */
export type Fault =
  | { kind: 'status'; status: number; text?: string; headers?: Record<string, string> }
  | { kind: 'items'; decide: (operation: BulkOperation) => Item | undefined }
  /** 200 with this text. */
  | { kind: 'text'; text: string; applied?: boolean }
  /** The answer breaks off in its middle. */
  | { kind: 'truncate'; applied?: boolean }
  /** The answer lacks its last item. */
  | { kind: 'short' }
  /** The connection ends without an answer. */
  | { kind: 'close'; applied?: boolean }
  /** No answer at all. */
  | { kind: 'hang' }
  /** None before then; the engine looks at the request only then. */
  | { kind: 'hold'; until: Promise<unknown> };

export interface BulkServer {
  url: string;
  port: number;
  engine: BulkEngine;
  requests: RecordedRequest[];
  /** Answers 413 to longer bodies. */
  maxBytes: number;
  /** Answers 401 to any other Authorization header. */
  authorization: string | undefined;
  /** The next request that matches gets this fault; faults queue up. */
  fail(fault: Fault, on?: { path?: RegExp; body?: RegExp; times?: number }): void;
  /** No fault that was foreseen happens any more. */
  fix(): void;
  /** Requests that were not foreseen by the contract: `_bulk` and `_search` by POST. */
  strays(): RecordedRequest[];
  /** `_bulk` requests, oldest first. */
  bulks(): RecordedRequest[];
  /** That were made to it. */
  connections(): number;
  close(): Promise<void>;
}

interface Planned {
  fault: Fault;
  path: RegExp;
  body: RegExp;
  times: number;
}

interface State {
  engine: BulkEngine;
  planned: Planned[];
  maxBytes: number;
  authorization: string | undefined;
  putsIndexes: boolean;
}

const KNOWN = /^(?<prefix>.*)\/(?<index>[^/]+)\/(?<verb>_bulk|_search)$/;

interface BulkServerOptions {
  indexes?: string[];
  /** Where it lives below the root. */
  prefix?: string;
  /** It speaks HTTPS. */
  tls?: { key: string; cert: string };
  /** `PUT /index` makes one, for whoever runs what a remedy says. */
  putsIndexes?: boolean;
}

export async function startBulkServer(options: BulkServerOptions = {}): Promise<BulkServer> {
  const state: State = {
    ...{ engine: new BulkEngine(), planned: [], maxBytes: Infinity, authorization: undefined },
    putsIndexes: options.putsIndexes === true,
  };
  for (const index of options.indexes ?? []) state.engine.createIndex(index);
  const requests: RecordedRequest[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const recorded = await record(request);
    requests.push(recorded);
    answer(state, { ...recorded, path: withoutPrefix(recorded.path, options.prefix ?? '') }, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch(() => response.destroy());
  };
  const server: Server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${port}${options.prefix ?? ''}`,
    port,
    engine: state.engine,
    requests,
    get maxBytes() {
      return state.maxBytes;
    },
    set maxBytes(bytes) {
      state.maxBytes = bytes;
    },
    get authorization() {
      return state.authorization;
    },
    set authorization(header) {
      state.authorization = header;
    },
    fail: (fault, { path = /_bulk$/, body = /^/, times = 1 } = {}) => state.planned.push({ fault, path, body, times }),
    fix: () => void state.planned.splice(0),
    connections: () => connections,
    strays: () => requests.filter(({ method, path }) => method !== 'POST' || !KNOWN.test(path)),
    bulks: () => requests.filter(({ path }) => path.endsWith('/_bulk')),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const raw = Buffer.concat(pieces);
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: body.toString('utf8'),
  };
}

function withoutPrefix(path: string, prefix: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : `/outside-the-prefix${path}`;
}

function answer(state: State, request: RecordedRequest, response: ServerResponse): void {
  const fault = takeFault(state, request);
  if (fault?.kind === 'hold') {
    void fault.until.then(() => response.destroyed || answerWith(undefined, { state, request }, response));
  } else answerWith(fault, { state, request }, response);
}

function answerWith(
  fault: Exclude<Fault, { kind: 'hold' }> | undefined,
  { state, request }: { state: State; request: RecordedRequest },
  response: ServerResponse,
): void {
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'status') return void reply(response, statusAnswer(fault), fault.headers);
  const isApplied = fault === undefined || !('applied' in fault) || fault.applied === true;
  const natural = isApplied ? obey(state, request, fault) : { status: 200, text: '{"errors":false,"items":[' };
  switch (fault?.kind) {
    case 'text':
      return void reply(response, { status: 200, text: fault.text });
    case 'truncate':
      response.writeHead(200, { 'content-length': natural.text.length + 100 });
      response.write(natural.text.slice(0, -10), () => response.destroy());
      return;
    case 'short':
      return void reply(response, { status: 200, text: withoutLastItem(natural.text) });
    case 'close':
      response.destroy();
      return;
    default:
      reply(response, natural);
  }
}

function takeFault(state: State, request: RecordedRequest): Fault | undefined {
  const planned = state.planned.find(({ path, body }) => path.test(request.path) && body.test(request.body));
  if (planned === undefined) return undefined;
  planned.times -= 1;
  if (planned.times <= 0) state.planned.splice(state.planned.indexOf(planned), 1);
  return planned.fault;
}

function obey(state: State, request: RecordedRequest, fault: Fault | undefined): Answer {
  const [, made] = (request.method === 'PUT' && /^\/([^/]+)$/.exec(request.path)) || [];
  if (made !== undefined && state.putsIndexes) {
    state.engine.createIndex(decodeURIComponent(made));
    return { status: 200, text: '{"acknowledged":true}' };
  }
  const { index, verb, prefix } = KNOWN.exec(request.path)?.groups ?? {};
  if (request.method !== 'POST' || index === undefined || prefix !== '') {
    return failure(405, { type: 'method_not_allowed', reason: 'not an endpoint of this test' });
  }
  if (state.authorization !== undefined && request.headers.authorization !== state.authorization) {
    return failure(401, { type: 'security_exception', reason: 'unable to authenticate' });
  }
  if (Buffer.byteLength(request.body) > state.maxBytes) {
    return { status: 413, text: '<html><h1>413 Request Entity Too Large</h1></html>' };
  }
  const name = decodeURIComponent(index);
  if (verb === '_search') return state.engine.search(name, request.body);
  return state.engine.bulk(name, request.body, (operation) =>
    fault?.kind === 'items' ? fault.decide(operation) : undefined,
  );
}

function statusAnswer({ status, text }: Extract<Fault, { kind: 'status' }>): Answer {
  return text === undefined
    ? failure(status, { type: 'scripted_exception', reason: `scripted ${status}` })
    : { status, text };
}

function withoutLastItem(text: string): string {
  const parsed = JSON.parse(text) as { items: unknown[] };
  return JSON.stringify({ ...parsed, items: parsed.items.slice(0, -1) });
}

function reply(response: ServerResponse, { status, text }: Answer, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
