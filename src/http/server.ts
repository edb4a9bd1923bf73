/**
 * Express' door: the server, what holds for every request (an id, no cache, what a browser is told, JSON errors without stacks), and
 * its end: no new connections, requests under way are finished, what is still there after the grace is cut.
 */
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request, type Response } from 'express';
import { MillraceError } from '../model/errors.ts';
import { isLoopback } from '../model/loopback.ts';
import { listenFault } from '../runtime/free-port.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { sendJson } from './answer.ts';
import { errorAnswer, toMillraceError } from './errors.ts';
import { checkHost, type Hosts } from './hosts.ts';
import type { Mount } from './route.ts';
import { setSafeHeaders } from './safe-headers.ts';
import { answerUnreadable } from './unreadable.ts';

export interface ServerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ServerDependencies {
  log: ServerLog;
  /** In this order. */
  routes: readonly Mount[];
  metrics?: Metrics | undefined;
  /** ALLOWED_HOSTS; null: what suits the address. */
  allowedHosts?: readonly string[] | null | undefined;
}

/** What a client may ask of us. Milliseconds and bytes. */
export interface ServerLimits {
  /** From the first byte, or from the connection; 10,000. */
  headersMs?: number;
  /** The whole request, from its first byte; 30,000. */
  requestMs?: number;
  /** A connection on which nothing moves although something should; 60,000, more than blanks of a long poll leave. */
  idleMs?: number;
  /** 1,000; idle ones make room for new ones. */
  connections?: number;
  /** How often those limits are looked at; 1,000. */
  checkMs?: number;
}

export interface HttpServer {
  /** Where it listens; undefined before. */
  readonly port: number | undefined;
  /** From now on it answers with these routes. */
  serve(deps: ServerDependencies): void;
  /** Null: all addresses. Port 0: any free one. Returns the port. @throws as `tryPort`. */
  listen(address: { host: string | null; port: number }): Promise<number>;
  /** Safe to call twice, and without `listen`. */
  close(graceMs?: number): Promise<void>;
}

const REQUEST_ID = /^[\w.:-]{1,64}$/;
/** Longer than routers and load balancers keep theirs: they must be the ones to close. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;

export function createServer(deps: ServerDependencies, limits: ServerLimits = {}): HttpServer {
  const hosts: Hosts = { allowed: deps.allowedHosts ?? null, loopback: false };
  let app = createApp(deps, hosts);
  const server = createLimited((request, response) => app(request, response), limits);
  let closing: Promise<void> | undefined;
  return {
    get port() {
      return server.listening ? (server.address() as AddressInfo).port : undefined;
    },
    serve(next) {
      hosts.allowed = next.allowedHosts ?? null;
      app = createApp(next, hosts);
    },
    async listen({ host, port }) {
      await new Promise<void>((resolve, reject) => {
        const refuse = (error: Error): void => reject(listenFault(error, { port, host }));
        server.once('error', refuse);
        server.listen({ port, ...(host === null ? {} : { host }) }, () => {
          server.off('error', refuse);
          resolve();
        });
      });
      const { port: taken, address } = server.address() as AddressInfo;
      hosts.loopback = isLoopback(address);
      return taken;
    },
    close(graceMs = 5_000) {
      closing ??= finish(server, graceMs);
      return closing;
    },
  };
}

function createLimited(app: RequestListener, limits: ServerLimits): Server {
  const { connections: most = 1_000 } = limits;
  const server = createHttpServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs ?? 10_000,
      requestTimeout: limits.requestMs ?? 30_000,
      connectionsCheckingInterval: limits.checkMs ?? 1_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  answerUnreadable(server);
  server.timeout = limits.idleMs ?? 60_000;
  server.maxConnections = most;
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    // Before new ones are refused, those go that are kept only in case they are wanted again.
    if (open > most * 0.9) server.closeIdleConnections();
  });
  return server;
}

function createApp(deps: ServerDependencies, hosts: Hosts): Express {
  const app = express();
  app.disable('x-powered-by');
  // A fingerprint would turn an answer with messages into a 304 without them.
  app.disable('etag');
  app.set('query parser', 'simple');
  const router = express.Router();
  const requests = deps.metrics?.counter({
    name: 'http_requests_total',
    help: 'Requests answered, by status',
    labels: ['method', 'status'],
  });
  router.use((request, response, next) => {
    const given = request.headers['x-request-id'];
    response.locals.requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', response.locals.requestId);
    setSafeHeaders(request, response);
    if (requests !== undefined) {
      response.once('finish', () => requests.inc({ method: request.method, status: String(response.statusCode) }));
    }
    checkHost(request, hosts);
    checkPath(request, response);
    next();
  });
  for (const mount of deps.routes) mount(router);
  const answerError = errorAnswerer(deps.log);
  app.use((request, response) => {
    router(request, response, (error: unknown) => {
      if (error === undefined || error === null) tellApart(request, response);
      answerError(error ?? new MillraceError('not_found', 'There is nothing at this path'), request, response);
    });
  });
  return app;
}

/** Not of the pull API, whose clients read one sentence. */
const MANAGEMENT = /^\/api(?!\/(?:http_pull_consumers|sequin_streams)\/)(?:\/|$)/i;

/** What no route has answered: errors of paths of the management API have its form. */
function tellApart({ path }: Request, response: Response): void {
  response.locals.isManagement = MANAGEMENT.test(path);
}

/** The library would stumble over it route by route, and say nothing of it. */
function checkPath(request: Request, response: Response): void {
  try {
    decodeURIComponent(request.path);
  } catch {
    tellApart(request, response);
    const remedy = 'Write names as `encodeURIComponent` does.';
    throw new MillraceError('bad_request', 'The path cannot be read', {
      faults: [{ field: 'path', message: 'is not percent-encoded UTF-8', remedy }],
    });
  }
}

/** Whatever was thrown, or passed on, is answered here. */
function errorAnswerer(log: ServerLog): (error: unknown, request: Request, response: Response) => void {
  return (error, request, response) => {
    const known = toMillraceError(error);
    const { requestId, isManagement } = response.locals;
    const { status, headers, body } = errorAnswer(known, isManagement === true ? requestId : undefined);
    if (status >= 500) {
      const details = { request_id: response.locals.requestId, method: request.method, path: request.path };
      log[status === 503 ? 'warn' : 'error']({ ...details, err: known.cause ?? known }, 'a request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // What is left of the body is read and dropped: a client that still sends would otherwise never see the answer.
    request.resume();
    sendJson(response, status, body);
  };
}

async function finish(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive counts as open until its request is answered and it is told to go.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
