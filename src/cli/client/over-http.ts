/** The client that asks a service over HTTP. Its errors are those of the service, whatever release that is of. */
import { type ErrorCode, type Fault, MillraceError, messageOf } from '../../model/errors.ts';
import type { Answer, Client, Request } from './client.ts';

/** `token`: asked for when it is needed, for what asks nothing needs none. */
export function overHttp(url: URL, token: () => string): Client {
  const base = url.href.replace(/\/+$/, '');
  return {
    where: `${base} over HTTP`,
    isRemote: true,
    async ask(request, signal) {
      const authorization = request.isOpen ? {} : { authorization: `Bearer ${token()}` };
      const response = await send({ base, authorization }, request, signal);
      const text = await response.text().catch((error: unknown) => {
        throw unreachable(base, error, signal);
      });
      if (!response.ok) throw refusalOf(base, response.status, text);
      if (!isJson(response)) throw noService(base);
      return { status: response.status, text, etag: response.headers.get('etag') ?? undefined } satisfies Answer;
    },
  };
}

async function send(
  { base, authorization }: { base: string; authorization: { authorization?: string } },
  { route, params = {}, query = {}, body, ifMatch }: Request,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => segment(params[name] ?? ''));
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  try {
    return await fetch(`${base}${path}${search}`, {
      method,
      headers: {
        accept: 'application/json',
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      // Elsewhere it would show our token.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    throw unreachable(base, error, signal);
  }
}

/** `.` and `..` would be taken for folders, encoded or not. */
function segment(name: string): string {
  if (name !== '' && !/^\.{1,2}$/.test(name)) return encodeURIComponent(name);
  throw new MillraceError('not_found', `there is nothing called '${name}'`);
}

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('application/json') ?? false;

const noService = (base: string): MillraceError =>
  new MillraceError('unavailable', `What answers at ${base} is not Millrace`, {
    remedy: 'Give the address of its web role: http://127.0.0.1:7376 where it runs by itself.',
  });

function unreachable(base: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new MillraceError('unavailable', `${base} cannot be reached: ${messageOf(cause)}`, {
    remedy: 'Is its web role running? The address is --url, or MILLRACE_URL.',
  });
}

/** A refusal with the answer as it came. */
export class Refusal extends MillraceError {
  readonly text: string;
  constructor(text: string, code: ErrorCode, ...rest: [string, ConstructorParameters<typeof MillraceError>[2]]) {
    super(code, ...rest);
    this.text = text;
  }
}

function refusalOf(base: string, status: number, text: string): MillraceError {
  const body = parsed(text);
  if (typeof body?.code !== 'string' || typeof body.summary !== 'string') {
    const said = `${base} answered ${status}`;
    return new MillraceError('unavailable', said, { remedy: 'Is it the address of Millrace, or of a proxy?' });
  }
  const { code, summary, remedy, validation_errors: wrong, request_id: _, ...facts } = body;
  return new Refusal(text, code as ErrorCode, summary, {
    ...(typeof remedy === 'string' ? { remedy } : {}),
    ...{ faults: faultsOf(wrong), facts },
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function faultsOf(wrong: unknown): Fault[] {
  if (typeof wrong !== 'object' || wrong === null) return [];
  return Object.entries(wrong).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : [messages]).map((message) => ({ field, message: String(message) })),
  );
}
