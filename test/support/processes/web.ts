/** A web role on a random port, with tokens that every test knows, and a client for it. */

import { randomUUID } from 'node:crypto';
import { hashToken } from '../../../src/catalog/token-hash.ts';
import type { FindToken } from '../../../src/http/auth.ts';
import { openWeb, type Web, type WebDependencies, type WebOptions } from '../../../src/http/web.ts';
import type { Notifications } from '../../../src/receive/consumer.ts';
import { KEYS } from '../../catalog/support.ts';
import { checkAnswer } from './answers.ts';

const SCOPES: Record<string, string[]> = {
  'admin-token': ['admin'],
  'read-token': ['read'],
  'data-token': ['read:data'],
  'operate-token': ['operate'],
  'orders-token': ['consume:orders'],
};

/** As the catalog, which knows them by their hashes. */
export const findTestToken: FindToken = async (given) => {
  const isThat = (token: string): boolean =>
    typeof given === 'string' ? token === given : hashToken(token).equals(given);
  const [token, scopes] = Object.entries(SCOPES).find(([one]) => isThat(one)) ?? [];
  if (token === undefined || scopes === undefined) return undefined;
  return { id: randomUUID(), name: token.replace('-token', ''), scopes, hash: hashToken(token) };
};

export interface LogLine {
  level: string;
  details: object;
  message: string;
}

/** Notifications as a test says them. */
export interface FakeListener extends Notifications {
  emit(channel: string, payload: string): void;
}

export function fakeListener(): FakeListener {
  const handlers = new Map<string, Set<(payload: string) => void>>();
  return {
    on(channel, handler) {
      const set = handlers.get(channel) ?? new Set();
      handlers.set(channel, set.add(handler));
      return () => set.delete(handler);
    },
    emit(channel, payload) {
      for (const handler of handlers.get(channel) ?? []) handler(payload);
    },
  };
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export interface TestWeb {
  web: Web;
  url: string;
  logged: LogLine[];
  /** `token`: admin-token unless told; null for none. A body that is no string is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface CallOptions {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export async function testWeb(
  deps: Pick<WebDependencies, 'db'> & Partial<Omit<WebDependencies, 'log'>>,
  options: Partial<WebOptions> = {},
): Promise<TestWeb> {
  const logged: LogLine[] = [];
  const note = (level: string) => (details: object, message: string) => void logged.push({ level, details, message });
  const web = await openWeb(
    {
      listener: fakeListener(),
      findToken: findTestToken,
      keys: KEYS,
      examine: async () => ({ ok: true, checks: [] }),
      privateAllowed: 'declared',
      ...deps,
      log: { info: note('info'), warn: note('warn'), error: note('error') },
    },
    { host: '127.0.0.1', port: 0, ...options },
  );
  const url = `http://127.0.0.1:${web.port}`;
  return {
    web,
    url,
    logged,
    async call(method, path, { token = 'admin-token', body, headers = {}, signal } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      const { status } = response;
      const json = isJson && text !== '' ? JSON.parse(text) : undefined;
      checkAnswer({ method, path }, { status, json });
      return { status, headers: response.headers, text, json };
    },
    close: () => web.close(),
  };
}
