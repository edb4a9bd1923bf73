/**
 * undici's only door: requests to one origin that somebody declared.
 * Guarantees: a call never throws for what the network or the server does, it says what is known about the request (see
 * `HttpReply`); it ends within a bounded time and a bounded size; connections go to addresses that were checked, under the
 * origin's own name; redirects are not followed, so a credential goes to the declared origin alone and into no error.
 */
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Place } from '../model/connection-causes.ts';
import { connectionFault } from '../model/connection-fault.ts';
import { messageOf } from '../model/errors.ts';
import type { Mask } from '../model/mask.ts';
import { AnswerTooLarge, answerText, LARGEST_ANSWER_BYTES } from './answer-text.ts';
import { checkedLookup, guardOf, literalFault, type Reach } from './checked-lookup.ts';
import { type Exchange, exchange } from './http-exchange.ts';

/** What came back for one request, or why nothing did. `retryAfterMs` is the server's own wish. */
export type HttpReply =
  | {
      kind: 'answer';
      status: number;
      /** As it came: it is masked before any of it is shown. Empty of a success whose text was not wanted. */
      text: string;
      mask: Mask;
      retryAfterMs: number | undefined;
      /** Of a redirect, without its query. */
      location: string | undefined;
    }
  /** No connection was made: nothing has reached the server. `isDenied`: we may not connect to its address. */
  | { kind: 'unreachable'; error: string; isDenied?: true }
  /** The request went out and no complete answer came back: it may have been obeyed. `cut`: its connection ended. */
  | { kind: 'lost'; error: string; cut?: true /** The answer was larger than we take. */; tooLarge?: true }
  /** The caller's signal ended it, or the client is closed. */
  | { kind: 'aborted' };

export interface HttpRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  signal: AbortSignal;
  /** False: of a 2xx only the status counts, which is then enough to know. */
  wantsText: boolean;
}

export interface HttpClient {
  request(what: HttpRequest): Promise<HttpReply>;
  /** Connects, with TLS where the origin says so, and sends nothing. Undefined: it worked. */
  connect(signal: AbortSignal): Promise<Exclude<HttpReply, { kind: 'answer' }> | undefined>;
  /** Ends requests under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface HttpClientSettings {
  /** `https://search.example.com:9200` */
  origin: string;
  /** Requests beyond so many wait for a connection. */
  connections: number;
  tls: { ca: string | null; verify: boolean };
  /** Absent: where a declared address may lead. */
  reach?: Reach | undefined;
  connectTimeoutMs: number;
  /** Until the answer begins, and between two pieces of it. */
  answerTimeoutMs: number;
  /** The whole request, with the wait for a connection. */
  totalMs: number;
  /** A longer `Retry-After` counts as this. */
  longestRetryAfterMs: number;
  /** How the origin is declared. */
  place: Place;
  mask: Mask;
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  now: () => number;
}

/** Connects only when asked. */
export function openHttpClient(settings: HttpClientSettings): HttpClient {
  const { origin, connections, answerTimeoutMs, totalMs, longestRetryAfterMs, mask, now } = settings;
  const connector = connectorOf(settings);
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    maxResponseSize: LARGEST_ANSWER_BYTES + 1,
    connect: connector,
  });
  let closing: Promise<void> | undefined;

  return {
    async request({ method, path, headers, body, signal, wantsText }) {
      try {
        const send = (handler: Exchange) => pool.dispatch({ method, path, headers, body }, handler);
        const { status, headers: answered, body: read } = await exchange(send, { wantsText, totalMs, signal });
        const encoding = first(answered['content-encoding']);
        const text = read.length === 0 ? '' : await answerText(read, { isSuccess: status === 200, encoding });
        const retryAfterMs = retryAfter(first(answered['retry-after']), {
          nowMs: now(),
          longestMs: longestRetryAfterMs,
        });
        return {
          kind: 'answer',
          status,
          text,
          mask,
          retryAfterMs,
          location: withoutQuery(first(answered.location), mask),
        };
      } catch (error) {
        return signal.aborted || closing !== undefined ? { kind: 'aborted' } : silence(error, settings);
      }
    },
    connect: (signal) => connectOnce(connector, settings, signal),
    close() {
      closing ??= pool.destroy();
      return closing;
    },
  };
}

function connectOnce(
  connector: buildConnector.connector,
  settings: HttpClientSettings,
  signal: AbortSignal,
): ReturnType<HttpClient['connect']> {
  const { protocol, hostname: inUrl, host, port } = new URL(settings.origin);
  // An address of IPv6 is one without its brackets: a pool takes them away by itself.
  const hostname = inUrl.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const abort = (): void => resolve({ kind: 'aborted' });
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    connector({ protocol, hostname, host, port: port || (protocol === 'https:' ? '443' : '80') }, (error, socket) => {
      signal.removeEventListener('abort', abort);
      socket?.on('error', () => undefined).destroy();
      resolve(error === null ? undefined : silence(error, settings));
    });
  });
}

/** Connects to the addresses that were checked; the certificate is of the name all the same. */
function connectorOf(settings: HttpClientSettings): buildConnector.connector {
  const { tls, connectTimeoutMs: timeout, reach = { allowed: 'declared' } } = settings;
  const guard = guardOf(reach);
  const connect = buildConnector({
    timeout,
    allowH2: false,
    lookup: checkedLookup(guard, reach.resolver),
    rejectUnauthorized: tls.verify,
    ...(tls.ca === null ? {} : { ca: tls.ca }),
  });
  return (options, done) => {
    const fault = literalFault(options.hostname, guard);
    if (fault) done(fault, null);
    else connect(options, done);
  };
}

type Silence = Extract<HttpReply, { kind: 'unreachable' | 'lost' }>;

/** What the failure says about the request: codes that only occur before a connection stands mean "nothing was sent". */
function silence(error: unknown, { mask, place }: Pick<HttpClientSettings, 'mask' | 'place'>): Silence {
  const code = codeOf(error);
  const text = mask(messageOf(error));
  const message = code === undefined || text.includes(code) ? text : `${text} (${code})`;
  if (isBeforeSending(code)) {
    const fault = connectionFault(error, place);
    if (fault === undefined) return { kind: 'unreachable', error: message };
    const isDenied = fault.id === 'destination_denied' ? { isDenied: true as const } : {};
    return { kind: 'unreachable', error: `${fault.message}. ${fault.remedy}`, ...isDenied };
  }
  if (error instanceof AnswerTooLarge || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return { kind: 'lost', error: message, tooLarge: true };
  }
  return { kind: 'lost', error: message, ...(CUT.has(code ?? '') ? { cut: true } : {}) };
}

const CUT = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EPROTO',
  'ENOENT',
  'UND_ERR_CONNECT_TIMEOUT',
  'MR_ADDRESS',
]);

function isBeforeSending(code: string | undefined): boolean {
  if (code === undefined) return false;
  // OpenSSL's verification codes (UNABLE_TO_VERIFY_LEAF_SIGNATURE, CERT_HAS_EXPIRED, ...) and Node's own TLS codes.
  return BEFORE_SENDING.has(code) || /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_)|SELF_SIGNED|_CERT/.test(code);
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function withoutQuery(location: string | undefined, mask: Mask): string | undefined {
  if (location === undefined || !URL.canParse(location)) return location && mask(location.replace(/[?#].*$/s, ''));
  const url = new URL(location);
  // Only the addresses of the web have an origin.
  return mask(url.origin === 'null' ? url.protocol : `${url.origin}${url.pathname}`);
}

/** `Retry-After` in seconds or as a date, in milliseconds from now; never negative. */
export function retryAfter(
  value: string | undefined,
  { nowMs, longestMs }: { nowMs: number; longestMs: number },
): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const waitMs = /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Math.round(Number(value) * 1000) : Date.parse(value) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(longestMs, Math.max(0, waitMs));
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
