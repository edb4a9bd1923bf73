/**
 * The endpoint's door: one method to one address. What a call guarantees stands in runtime/http-client.ts.
 * A connection that was kept may have been closed over there just when a request leaves by it: that request goes once more,
 * by a new one. The receiver may see it twice, as whatever is repeated, under the same `webhook-id`.
 */
import { randomUUID } from 'node:crypto';
import type { Place } from '../../model/connection-causes.ts';
import { MillraceError } from '../../model/errors.ts';
import { maskOf, type Secret } from '../../model/mask.ts';
import type { Reach } from '../../runtime/checked-lookup.ts';
import { type HttpReply, openHttpClient } from '../../runtime/http-client.ts';
import type { WebhookDestination, WebhookSecret } from './section.ts';
import { signatureHeaders, signingKey } from './sign.ts';

export interface WebhookClient {
  /** Signed as of now. */
  send(request: { id: string; body: Buffer }, signal: AbortSignal): Promise<HttpReply>;
  /** A request that says it is a test, without a body; with the answer's text. */
  tryOut(signal: AbortSignal): Promise<HttpReply>;
  /** Connects and sends nothing. Undefined: it worked. */
  connect(signal: AbortSignal): Promise<Exclude<HttpReply, { kind: 'answer' }> | undefined>;
  /** Ends requests under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface WebhookClientSettings {
  destination: WebhookDestination;
  /** The opened secret: JSON of a `WebhookSecret`; null for none. */
  secret: string | null;
  /** Absent: where a declared address may lead. */
  reach?: Reach | undefined;
}

const NO_BODY = Buffer.alloc(0);
const CONNECT_TIMEOUT_MS = 10_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
const WEBHOOK: Place = {
  host: '`url`',
  login: '`encrypted_headers`',
  database: '`url`',
  ca: '`tls: { ca }`',
  unverified: '`tls: { verify: false }`',
  plain: '`http://` in `url`',
  encrypted: '`https://` in `url`',
};

/** Throws MillraceError `bad_destination` when address or secret cannot be used; connects only when asked. */
export function openWebhookClient(settings: WebhookClientSettings, now: () => number = Date.now): WebhookClient {
  const { destination } = settings;
  const { url: text, method, timeout_ms: timeoutMs } = destination;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refused('url', 'is not a URL', 'write an http:// or https:// address');
  }
  const secret = secretOf(settings.secret);
  const keys = secret.signing_secrets.map((one) => {
    const key = signingKey(one);
    if (key === undefined)
      throw refused(
        'signing_secrets',
        'contains something that is not a secret',
        'write whsec_ and 24 to 64 bytes in base64',
      );
    return key;
  });
  const http = openHttpClient({
    origin: url.origin,
    connections: destination.parallel,
    tls: destination.tls,
    reach: settings.reach,
    connectTimeoutMs: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
    answerTimeoutMs: timeoutMs,
    totalMs: timeoutMs,
    longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
    place: WEBHOOK,
    mask: maskOf(secretsOf(secret), [text]),
    now,
  });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Millrace',
    ...lowerCase(destination.headers),
    ...lowerCase(secret.encrypted_headers),
  };
  let isKept = false;

  return {
    async send({ id, body }, signal) {
      const signed = { ...headers, ...signatureHeaders(keys, { id, body, nowMs: now() }) };
      const path = `${url.pathname}${url.search}`;
      const post = () => http.request({ method, path, headers: signed, body, signal, wantsText: false });
      const wasKept = isKept;
      let reply = await post();
      if (wasKept && reply.kind === 'lost' && reply.cut) reply = await post();
      isKept = reply.kind === 'answer';
      return reply;
    },
    async tryOut(signal) {
      const signed = signatureHeaders(keys, { id: `test_${randomUUID()}`, body: NO_BODY, nowMs: now() });
      const path = `${url.pathname}${url.search}`;
      const tested = { ...headers, ...signed, 'webhook-test': 'true' };
      return await http.request({ method: 'POST', path, headers: tested, body: NO_BODY, signal, wantsText: true });
    },
    connect: (signal) => http.connect(signal),
    close: () => http.close(),
  };
}

function secretOf(text: string | null): WebhookSecret {
  return text === null ? { encrypted_headers: {}, signing_secrets: [] } : JSON.parse(text);
}

/** Whatever of it an endpoint, or a proxy before it, may say again. */
function secretsOf({ encrypted_headers, signing_secrets }: WebhookSecret): Secret[] {
  const values = Object.values(encrypted_headers).flatMap((value): Secret[] => {
    const [, scheme = '', credential = ''] = /^(\S+)\s+(\S+)$/.exec(value.trim()) ?? [];
    if (scheme.toLowerCase() !== 'basic') return [{ text: value }, { text: credential }];
    const login = Buffer.from(credential, 'base64').toString('utf8');
    return [{ text: value }, { text: credential }, { text: login.slice(login.indexOf(':') + 1) }];
  });
  const keys = signing_secrets.flatMap((text): Secret[] => [{ text }, { text: text.replace(/^whsec_/, '') }]);
  return [...values, ...keys].filter(({ text }) => text !== '');
}

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function refused(field: string, fault: string, remedy: string): MillraceError {
  const faults = [{ field, message: `${field} ${fault}`, remedy }];
  return new MillraceError('bad_destination', `${field} ${fault}`, { faults, remedy });
}
