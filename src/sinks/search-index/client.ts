/**
 * The engine's door: `POST /{index}/_bulk` and `POST /{index}/_search`, nothing else, ever. What a call guarantees stands in
 * runtime/http-client.ts.
 */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Place } from '../../model/connection-causes.ts';
import { MillraceError } from '../../model/errors.ts';
import { credentialSecrets, maskOf } from '../../model/mask.ts';
import { withoutTrailing } from '../../model/trailing.ts';
import type { Reach } from '../../runtime/checked-lookup.ts';
import { type HttpReply, openHttpClient } from '../../runtime/http-client.ts';
import type { SearchDestination } from './section.ts';

export interface SearchClient {
  bulk(index: string, body: Buffer, signal: AbortSignal): Promise<HttpReply>;
  /** Asks for no hits at all: is the index there, and may we use it? */
  search(index: string, signal: AbortSignal): Promise<HttpReply>;
  /** Asks for what the body wants, to read the index back. */
  query(index: string, body: Buffer, signal: AbortSignal): Promise<HttpReply>;
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
/**
 * Engines wait a minute for a shard that is away, then say so for its documents alone. Who asks no longer than that never hears it, and
 * takes all documents of the request for lost.
 */
export const ANSWER_TIMEOUT_MS = 90_000;
const LONGEST_RETRY_AFTER_MS = 600_000;
const SEARCH_ENGINE: Place = {
  host: '`endpoint_url`',
  login: '`auth_value`',
  database: '`endpoint_url`',
  ca: '`tls: { ca }`',
  unverified: '`tls: { verify: false }`',
  plain: '`http://` in `endpoint_url`',
  encrypted: '`https://` in `endpoint_url`',
};
const NO_HITS = Buffer.from('{"size":0}');

const compress = promisify(gzip);

/** Throws MillraceError `bad_destination` when endpoint or credential cannot be used; connects only when asked. */
export function openSearchClient(settings: ClientSettings, options: ClientOptions = {}): SearchClient {
  const { destination } = settings;
  const { origin, prefix } = endpointOf(destination.endpoint_url);
  const authorization = authorizationOf(destination.auth_type, settings.authValue);
  const publicWords = [destination.endpoint_url, destination.index_name];
  const mask = maskOf(credentialSecrets(destination.auth_type, settings.authValue), publicWords);
  const answerTimeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
  const http = openHttpClient({
    origin,
    connections: CONNECTIONS,
    tls: destination.tls,
    reach: settings.reach,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    answerTimeoutMs,
    totalMs: 2 * answerTimeoutMs,
    longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
    place: SEARCH_ENGINE,
    mask,
    now: options.now ?? Date.now,
  });
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };

  async function post(path: string, request: { body: Buffer; type: string; signal: AbortSignal }): Promise<HttpReply> {
    const { type, signal } = request;
    const asGzip = destination.compression === 'gzip';
    const body = asGzip ? await compress(request.body, { level: constants.Z_BEST_SPEED }) : request.body;
    return await http.request({
      method: 'POST',
      path: `${prefix}${path}`,
      headers: { ...headers, 'content-type': type, ...(asGzip ? { 'content-encoding': 'gzip' } : {}) },
      body,
      signal,
      wantsText: true,
    });
  }

  const query: SearchClient['query'] = (index, body, signal) =>
    post(`/${encodeURIComponent(index)}/_search`, { body, type: 'application/json', signal });

  return {
    bulk: (index, body, signal) =>
      post(`/${encodeURIComponent(index)}/_bulk`, { body, type: 'application/x-ndjson', signal }),
    search: (index, signal) => query(index, NO_HITS, signal),
    query,
    close: () => http.close(),
  };
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
