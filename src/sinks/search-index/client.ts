/**
 * The engine's door (and undici's only one): `POST /{index}/_bulk` and `POST /{index}/_search`, nothing else, ever.
 * Guarantees: a call never throws for what the network or the engine does, it says what is known about the request
 * (see `Reply`); it ends within a bounded time and a bounded size; redirects are not followed, so the credential goes
 * to the declared endpoint alone and into no error.
 */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { buildConnector, Pool } from 'undici';
import { connectionFault, SEARCH_ENGINE } from '../../model/connection-fault.ts';
import type { SearchDestination } from '../../model/declared.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { credentialSecrets, type Mask, maskOf } from '../../model/mask.ts';
import { withoutTrailing } from '../../model/trailing.ts';
import { checkedLookup, guardOf, literalFault, type Reach } from '../../runtime/checked-lookup.ts';
import { AnswerTooLarge, answerText, LARGEST_ANSWER_BYTES } from './answer-text.ts';
import type { Reply } from './decode.ts';

export interface SearchClient {
  bulk(index: string, body: Buffer, signal: AbortSignal): Promise<Reply>;
  /** Asks for no hits at all: is the index there, and may we use it? */
  search(index: string, signal: AbortSignal): Promise<Reply>;
  /** Asks for what the body wants, to read the index back. */
  query(index: string, body: Buffer, signal: AbortSignal): Promise<Reply>;
  /** Ends requests under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface ClientOptions {
  connectTimeoutMs?: number;
  /** Until the answer begins, and between two pieces of it; the whole request ends after twice that. */
  answerTimeoutMs?: number;
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  now?: () => number;
}

export interface ClientSettings {
  destination: SearchDestination;
  /** The opened secret; null when auth_type is none. */
  authValue: string | null;
  /** Absent: where a declared address may lead. */
  reach?: Reach;
}

/** Two requests run side by side (see sink.ts); the third connection is for `test` beside them. */
const CONNECTIONS = 3;
const LONGEST_RETRY_AFTER_MS = 600_000;
const NO_HITS = Buffer.from('{"size":0}');

const compress = promisify(gzip);

/** Throws MillraceError `bad_destination` when endpoint or credential cannot be used; connects only when asked. */
export function openSearchClient(settings: ClientSettings, options: ClientOptions = {}): SearchClient {
  const { destination } = settings;
  const { origin, prefix } = endpointOf(destination.endpoint_url);
  const authorization = authorizationOf(destination.auth_type, settings.authValue);
  const publicWords = [destination.endpoint_url, destination.index_name];
  const mask = maskOf(credentialSecrets(destination.auth_type, settings.authValue), publicWords);
  const answerTimeoutMs = options.answerTimeoutMs ?? 60_000;
  const now = options.now ?? Date.now;
  const pool = new Pool(origin, poolOptions(settings, options.connectTimeoutMs ?? 10_000, answerTimeoutMs));
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  let closing: Promise<void> | undefined;

  async function post(path: string, request: { body: Buffer; type: string; signal: AbortSignal }): Promise<Reply> {
    const { signal } = request;
    const deadline = endAfter(2 * answerTimeoutMs, signal);
    try {
      const asGzip = destination.compression === 'gzip';
      const body = asGzip ? await compress(request.body, { level: constants.Z_BEST_SPEED }) : request.body;
      const response = await pool.request({
        method: 'POST',
        path: `${prefix}${path}`,
        headers: { ...headers, 'content-type': request.type, ...(asGzip ? { 'content-encoding': 'gzip' } : {}) },
        body,
        signal: deadline.signal,
      });
      const status = response.statusCode;
      const encoding = first(response.headers['content-encoding']);
      const text = await answerText(response.body, { isSuccess: status === 200, encoding });
      return {
        kind: 'answer',
        status,
        text,
        mask,
        retryAfterMs: retryAfter(first(response.headers['retry-after']), now()),
        location: withoutQuery(first(response.headers.location), mask),
      };
    } catch (error) {
      return signal.aborted || closing !== undefined ? { kind: 'aborted' } : silence(error, mask);
    } finally {
      deadline.clear();
    }
  }

  const query: SearchClient['query'] = (index, body, signal) =>
    post(`/${encodeURIComponent(index)}/_search`, { body, type: 'application/json', signal });

  return {
    bulk: (index, body, signal) =>
      post(`/${encodeURIComponent(index)}/_bulk`, { body, type: 'application/x-ndjson', signal }),
    search: (index, signal) => query(index, NO_HITS, signal),
    query,
    close() {
      closing ??= pool.destroy();
      return closing;
    },
  };
}

/**
 * Ends with `parent` or after `ms`. By hand, because the timer of AbortSignal.timeout and its hold on `parent` would
 * outlive every request by minutes.
 */
function endAfter(ms: number, parent: AbortSignal): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const end = (): void => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no complete answer within ${ms} ms`)), ms);
  if (parent.aborted) end();
  else parent.addEventListener('abort', end, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      parent.removeEventListener('abort', end);
    },
  };
}

function poolOptions(settings: ClientSettings, connectTimeoutMs: number, answerTimeoutMs: number): Pool.Options {
  return {
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    maxResponseSize: LARGEST_ANSWER_BYTES + 1,
    connect: connectorOf(settings, connectTimeoutMs),
  };
}

/** Connects to the addresses that were checked; the certificate is of the name all the same. */
function connectorOf(settings: ClientSettings, timeout: number): buildConnector.connector {
  const { tls } = settings.destination;
  const { reach = { allowed: 'declared' } } = settings;
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

/** What the failure says about the request: codes that only occur before a connection stands mean "nothing was sent". */
function silence(error: unknown, mask: Mask): Reply {
  const code = codeOf(error);
  const text = mask(messageOf(error));
  const message = code === undefined || text.includes(code) ? text : `${text} (${code})`;
  if (isBeforeSending(code)) {
    const fault = connectionFault(error, SEARCH_ENGINE);
    return { kind: 'unreachable', error: fault ? `${fault.message}. ${fault.remedy}` : message };
  }
  const isTooLarge = error instanceof AnswerTooLarge || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  return { kind: 'lost', error: message, ...(isTooLarge ? { tooLarge: true } : {}) };
}

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

function endpointOf(endpointUrl: string): { origin: string; prefix: string } {
  const url = URL.canParse(endpointUrl) ? new URL(endpointUrl) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refused('endpoint_url', 'is not a URL', 'write the base address of the cluster, such as https://search:9200');
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('endpoint_url', 'holds a user and a password', 'move them to auth_type: basic and auth_value');
  }
  if (url.search !== '' || url.hash !== '') {
    throw refused('endpoint_url', 'holds a query or a fragment', 'leave out everything from ? or # on');
  }
  return { origin: url.origin, prefix: withoutTrailing(url.pathname, '/') };
}

function authorizationOf(type: SearchDestination['auth_type'], authValue: string | null): string | undefined {
  if (type === 'none') return undefined;
  // A secret that comes from a file often ends in a line break, which no header may hold.
  const value = authValue?.trim() ?? '';
  if (value === '')
    throw refused('auth_value', `is empty, and auth_type is ${type}`, 'give the value, or auth_type: none');
  if (type === 'basic') return `Basic ${Buffer.from(value, 'utf8').toString('base64')}`;
  if (/[^\x21-\x7e]/.test(value)) {
    throw refused('auth_value', 'holds a space or a character that no header may hold', 'give the key or token alone');
  }
  return `${type === 'api_key' ? 'ApiKey' : 'Bearer'} ${value}`;
}

function refused(field: string, fault: string, remedy: string): MillraceError {
  const faults = [{ field, message: `${field} ${fault}`, remedy }];
  return new MillraceError('bad_destination', `${field} ${fault}`, { faults, remedy });
}

function withoutQuery(location: string | undefined, mask: Mask): string | undefined {
  if (location === undefined || !URL.canParse(location)) return location && mask(location.replace(/[?#].*$/s, ''));
  const url = new URL(location);
  return mask(`${url.origin}${url.pathname}`);
}

/** `Retry-After` in seconds or as a date, in milliseconds from now; 10 minutes at most. */
export function retryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const waitMs = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, waitMs));
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
