/** The HTTP API, typed by its own document. Cookies say who asks; what changes something carries the session's token against forgery. */
import createClient from 'openapi-fetch';
import { compareClocks } from '../lib/service-time.ts';
import { KEPT, parseKeeping, writeKeeping } from './json-text.ts';
import type { components, paths } from './schema.gen.ts';

export type Schemas = components['schemas'];

/** What the API refused, in its words. `status` 0: nobody answered. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly remedy: string | null;
  readonly requestId: string | null;
  /** Sentences by field, as the form names it: `destination.batch_size`. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The whole answer, where a refusal says more. */
  readonly body: Readonly<Record<string, unknown>>;
  constructor(status: number, body: Record<string, unknown>) {
    const text = (key: string): string | null => (typeof body[key] === 'string' ? (body[key] as string) : null);
    super(text('summary') ?? `The service answered with ${status}`);
    this.status = status;
    this.code = text('code') ?? 'unknown';
    this.remedy = text('remedy');
    this.requestId = text('request_id');
    this.fields = (body.validation_errors ?? {}) as Record<string, string[]>;
    this.body = body;
  }
}

let csrf: string | null = null;
/** Of the session that is logged in; null: of none. */
export const rememberCsrf = (token: string | null): void => {
  csrf = token;
};

/** The build that answers now; another one than ours means that we are old. */
let build: string | null = null;
let outdated = false;
export const isOutdated = (): boolean => outdated;

async function send(request: Request): Promise<Response> {
  if (request.method !== 'GET' && csrf !== null) request.headers.set('X-Millrace-Csrf', csrf);
  const asked = Date.now();
  const response = await fetch(request).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, {
      code: 'no_answer',
      summary: 'Millrace does not answer',
      // What changes something is sent once: it may have been done although nobody said so.
      remedy:
        request.method === 'GET'
          ? 'Retrying automatically.'
          : 'It may have been done all the same: look before you try again.',
    });
  });
  compareClocks(response.headers.get('Date'), asked);
  const answering = response.headers.get('X-Millrace-Build');
  if (build !== null && answering !== null && answering !== build) outdated = true;
  build ??= answering;
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new ApiError(response.status, typeof body === 'object' && body !== null ? body : {});
}

/** What a function made of a message is a document; other results are ours. */
const KEPT_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  '/api/functions/run': new Set([...KEPT, 'result']),
};

/** Any request. What each path takes and answers is said by `call`, which leaves the texts of answers to be read here. */
interface AnyOperation {
  parameters: { path?: unknown; query?: unknown };
  requestBody?: { content: { 'application/json': unknown } };
  responses: { 200: { content: { 'application/json': string } } };
}

const client = createClient<Record<string, Record<Verb, AnyOperation>>>({
  baseUrl: globalThis.location?.origin ?? '',
  fetch: send,
  bodySerializer: writeKeeping,
});

type Verb = 'get' | 'post' | 'patch' | 'put' | 'delete';
type Of<Path extends keyof paths, Method extends Verb> = Method extends keyof paths[Path] ? paths[Path][Method] : never;
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never;
type Good<Operation> = Operation extends { responses: infer Answers }
  ? { [Status in keyof Answers]: Status extends 200 | 201 | 202 ? JsonOf<Answers[Status]> : never }[keyof Answers]
  : never;
/** What a route answers. */
export type Answer<Path extends keyof paths, Method extends Verb> = Good<Of<Path, Method>>;
type BodyOf<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Body
  : never;
export type Body<Path extends keyof paths, Method extends Verb> = BodyOf<Of<Path, Method>>;
type ParametersOf<Operation> = Operation extends { parameters: infer Given } ? Given : never;
type PathOf<Operation> = ParametersOf<Operation> extends { path: infer Given } ? Given : never;
type QueryOf<Operation> = ParametersOf<Operation> extends { query?: infer Given } ? Given : never;

export type PathsWith<Method extends Verb> = {
  [Path in keyof paths]: Of<Path, Method> extends { responses: unknown } ? Path : never;
}[keyof paths];

interface AnyCall {
  path?: unknown;
  query?: unknown;
  body?: unknown;
  /** `If-Match`: the version that was read. */
  version?: number | null;
  /** An answer that another tab was given so many seconds ago will do. */
  acceptSeconds?: number;
  signal?: AbortSignal;
}

export interface Call<Path extends keyof paths, Method extends Verb> extends AnyCall {
  path?: PathOf<Of<Path, Method>>;
  query?: QueryOf<Of<Path, Method>>;
  body?: Body<Path, Method>;
}

/** What a path and its method say of what is given and answered. @throws ApiError */
export async function call<Path extends keyof paths, Method extends Verb>(
  method: Method,
  path: Path,
  given: Call<Path, Method> = {},
): Promise<Answer<Path, Method>> {
  return (await callAny(method, path, given)) as Answer<Path, Method>;
}

/** A path that the API itself has named. @throws ApiError */
export async function callAny(method: Verb, path: string, given: AnyCall): Promise<unknown> {
  const { path: inPath, query, body, version, acceptSeconds = 0, signal } = given;
  const { data } = await client.request(method, path, {
    params: { path: inPath, query },
    ...(body === undefined ? (method === 'get' ? {} : { body: {} }) : { body }),
    headers: {
      ...(version != null && { 'If-Match': `"${version}"` }),
      ...(acceptSeconds > 0 && { 'Cache-Control': `max-age=${acceptSeconds}` }),
    },
    parseAs: 'text',
    signal,
  });
  return parseKeeping(String(data), KEPT_OF[path]);
}
