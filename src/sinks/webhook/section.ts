/** `destination:` of a webhook, and what of it is sealed. */
import { z } from 'zod';
import type { Destination } from '../../model/declared.ts';
import type { Finding } from '../../model/finding.ts';
import { MASK } from '../../model/masked.ts';
import { Bool, int, refuseMask, Tls } from '../../model/scalars.ts';
import { refusal, refuse, withRemedy } from '../../model/section.ts';
import { hostRefusal } from '../../runtime/addresses.ts';
import type { SinkSection } from '../contract.ts';
import { signingKey } from './sign.ts';

export interface WebhookDestination extends Destination {
  type: 'webhook';
  url: string;
  method: 'POST' | 'PUT' | 'PATCH';
  headers: Record<string, string>;
  /** `{"data": [...]}` of up to `batch_size` messages, instead of a request for each. */
  batch: boolean;
  batch_size: number;
  /** A request with its answer's head. */
  timeout_ms: number;
  /** Requests under way at the same time. */
  parallel: number;
  tls: { ca: string | null; verify: boolean };
  /** Which secrets it has: they are shown masked without being opened. Absent: it has none, or an earlier release stored it. */
  hidden?: { encrypted_headers: string[]; signing_secrets: number };
}

/** The sink's one secret, as JSON. */
export interface WebhookSecret {
  encrypted_headers: Record<string, string>;
  signing_secrets: string[];
}

const Url = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    const remedy = 'Write the address that messages are sent to, as https://hooks.example.com/orders.';
    refuse(context, [], { message: 'must be an http:// or https:// URL', remedy });
  } else if (url.username !== '' || url.password !== '') {
    const remedy = 'Use `encrypted_headers: { authorization: "Basic ..." }`, with user:password in base64.';
    refuse(context, [], { message: 'must not contain credentials', remedy });
  } else if (url.hash !== '') {
    refuse(context, [], { message: 'must not have a fragment', remedy: 'Remove what follows the `#`.' });
  }
  const found = url && hostRefusal(url.hostname);
  if (found) refuse(context, [], { message: `cannot be connected to: ${found.message}`, remedy: `${found.remedy}.` });
});

/** Of the connection and of its framing: what a client writes itself. */
const OURS = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authorization', 'proxy-connection', 'content-encoding'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-test'],
]);

function refuseNames(headers: Record<string, string>, context: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  for (const name of Object.keys(headers)) {
    const plain = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      refuse(context, [name], { message: 'is not a name of a header', remedy: 'Use letters, digits and `-`.' });
    } else if (OURS.has(plain)) {
      refuse(context, [name], { message: 'is a header that Millrace writes itself', remedy: 'Remove it.' });
    } else if (seen.has(plain)) {
      refuse(context, [name], {
        message: 'is given twice',
        remedy: 'Keep one: upper and lower case are the same.',
      });
    }
    seen.add(plain);
  }
}

const HeaderValue = z
  .string()
  .transform((value) => value.trim())
  .refine(
    (value) => /^[\t\x20-\x7e]*$/.test(value),
    refusal('holds a line break or another character that no header takes', 'Remove it.'),
  );

const HiddenValue = HeaderValue.superRefine(refuseMask);

/** Of a variable that is not set: nothing, or the scheme alone. */
const isEmptyValue = (value: string): boolean => /^(basic|bearer)?$/i.test(value);

/** `{ name: value }`, or `[{ key: name, value }]`. */
const headers = (value: typeof HeaderValue) =>
  z.preprocess(
    (raw, context) => {
      if (!Array.isArray(raw) || !raw.every(isPair)) return raw;
      const given = Object.fromEntries(raw.map((one) => [one.key, one.value]));
      if (Object.keys(given).length < raw.length)
        refuse(context, [], { message: 'has the same name twice', remedy: 'Keep one of the two.' });
      return given;
    },
    z
      .record(z.string(), value, {
        error: (issue) =>
          issue.code === 'invalid_type'
            ? withRemedy('must be a mapping of names to values', 'Write `{ x-tenant: acme }`.')
            : undefined,
      })
      .superRefine(refuseNames)
      .default({}),
  );

function isPair(one: unknown): one is { key: string; value: unknown } {
  return typeof one === 'object' && one !== null && 'key' in one && typeof one.key === 'string' && 'value' in one;
}

/** An empty one is none: that of a variable that is not set. */
const SigningSecret = z
  .string()
  .superRefine(refuseMask)
  .refine(
    (text) => text.trim() === '' || text === MASK || signingKey(text) !== undefined,
    refusal(
      'must be `whsec_` with 24 to 64 bytes in base64',
      'Make one: `echo whsec_$(openssl rand -base64 32)`. The receiver needs it too.',
    ),
  );

const keys = {
  url: Url,
  method: z.enum(['POST', 'PUT', 'PATCH']).default('POST'),
  headers: headers(HeaderValue),
  encrypted_headers: headers(HiddenValue),
  signing_secrets: z
    .array(SigningSecret)
    .max(2, withRemedy('holds more than two', 'Keep the new one, and the one that it replaces.'))
    .default([]),
  batch: Bool.default(false),
  batch_size: int(1, 1_000).default(100),
  timeout_ms: int(100, 60_000).default(10_000),
  parallel: int(1, 32).default(4),
  tls: Tls,
};

type Input = z.output<z.ZodObject<typeof keys>>;

const ofEndpoint = {
  message: 'needs `http_endpoint`',
  remedy: 'Name an entry of `http_endpoints`, or write the whole address as `url`.',
};

export const webhookSection: SinkSection<Input> = {
  title: 'webhook',
  keys,
  refused: {
    http_endpoint_path: ofEndpoint,
    mode: { message: 'is not a setting of a webhook here', remedy: 'Remove it.' },
  },
  secrets: {
    open: (secret) => JSON.parse(secret),
    close: (given) => JSON.stringify(given),
    masked(destination) {
      const { hidden } = destination as WebhookDestination;
      // Of one that was stored before that was kept nothing is said: sent back, empty keys would take its secrets away.
      if (hidden === undefined) return {};
      return {
        encrypted_headers: Object.fromEntries(hidden.encrypted_headers.map((name) => [name, MASK])),
        signing_secrets: Array(hidden.signing_secrets).fill(MASK),
      };
    },
  },
  write(destination) {
    const { hidden: _hidden, ...keys } = destination as WebhookDestination;
    return keys;
  },
  least: (destination) => ({ url: (destination as WebhookDestination).url }),
  read(input, context) {
    const { encrypted_headers, signing_secrets, ...rest } = input;
    const encrypted = new Set(Object.keys(encrypted_headers).map((name) => name.toLowerCase()));
    for (const name of Object.keys(rest.headers)) {
      if (!encrypted.has(name.toLowerCase())) continue;
      const remedy = 'Keep one of the two; what is secret belongs under `encrypted_headers`.';
      refuse(context, ['headers', name], { message: 'is under `encrypted_headers` too', remedy });
    }
    const secret: WebhookSecret = {
      encrypted_headers: Object.fromEntries(
        Object.entries(encrypted_headers).filter(([, value]) => !isEmptyValue(value)),
      ),
      signing_secrets: signing_secrets.map((text) => text.trim()).filter((text) => text !== ''),
    };
    const hidden = {
      encrypted_headers: Object.keys(secret.encrypted_headers),
      signing_secrets: secret.signing_secrets.length,
    };
    const isEmpty = hidden.encrypted_headers.length === 0 && hidden.signing_secrets === 0;
    const settings: WebhookDestination = { ...rest, type: 'webhook', ...(isEmpty ? {} : { hidden }) };
    return { settings, secret: isEmpty ? null : JSON.stringify(secret), notes: notesOf(input) };
  },
};

function notesOf({ headers: plain, encrypted_headers, signing_secrets }: Input): Finding[] {
  const notes: Finding[] = [];
  const note = (path: Finding['path'], message: string, remedy: string) => notes.push({ path, message, remedy });
  for (const [name, value] of Object.entries(encrypted_headers)) {
    if (isEmptyValue(value))
      note(['encrypted_headers', name], 'is empty: it is not sent', 'Give its value, or remove it.');
  }
  signing_secrets.forEach((text, place) => {
    if (text.trim() === '')
      note(['signing_secrets', place], 'is empty: nothing is signed with it', 'Give a secret, or remove it.');
  });
  for (const name of Object.keys(plain)) {
    if (!/^(authorization|cookie|x-api-key)$/i.test(name)) continue;
    note(['headers', name], 'is stored and shown as it is', 'Move it to `encrypted_headers`, if it is a secret.');
  }
  return notes;
}
