/**
 * What a client sees of a failure: a status, a code, a sentence, and which fields are wrong. Never a stack, never what a
 * library or Postgres says about values. What is our fault is `internal` outside, and whole in the log.
 */
import { MillraceError } from '../model/errors.ts';

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: { code: string; summary: string; validation_errors?: Record<string, string[]> };
}

const RETRY_AFTER_SECONDS = '1';

/** The answer to a failed request; also for what Postgres, Node and express throw. */
export function errorAnswer(error: unknown): ErrorAnswer {
  const known = toMillraceError(error);
  const summary = known.remedy === undefined ? known.message : `${known.message}. ${known.remedy}`;
  const headers: Record<string, string> = {};
  if (known.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer';
  if (known.code === 'too_many_waiting' || known.code === 'unavailable') headers['Retry-After'] = RETRY_AFTER_SECONDS;
  const faults: Record<string, string[]> = {};
  for (const { field, message, remedy } of known.faults) {
    const text = remedy === undefined ? message : `${message}. ${remedy}`;
    faults[field] = [...(faults[field] ?? []), text];
  }
  return {
    status: known.status,
    headers,
    body: {
      code: known.code,
      summary,
      ...(known.faults.length === 0 ? {} : { validation_errors: faults }),
    },
  };
}

/** One code for everything that can be thrown here. */
export function toMillraceError(error: unknown): MillraceError {
  if (error instanceof MillraceError) return error;
  if (isUnavailable(error)) {
    return new MillraceError('unavailable', 'The message database cannot be reached or is busy', { cause: error });
  }
  const { code, status, type } = fieldsOf(error);
  if (code === 'MR404') return new MillraceError('not_found', 'There is no such sink', { cause: error });
  return (
    bodyError(typeof type === 'string' ? type : '', Number(status)) ??
    new MillraceError('internal', 'Something went wrong here; it is in the log under the request id', { cause: error })
  );
}

/** What express and its body parser refuse. */
function bodyError(type: string, status: number): MillraceError | undefined {
  switch (type) {
    case 'entity.too.large':
      return new MillraceError('payload_too_large', 'The body is larger than 1 MB');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new MillraceError('unsupported_media_type', 'The body has an encoding or a charset that is not supported');
    case 'entity.parse.failed':
      return new MillraceError('bad_request', 'The body is not valid JSON', {
        faults: [{ field: 'body', message: 'is not a valid JSON object' }],
      });
    default:
      return status >= 400 && status < 500
        ? new MillraceError('bad_request', 'The request cannot be understood')
        : undefined;
  }
}

/** Codes of Node for a server that is not there. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);
/**
 * SQLSTATEs that pass: connections, resources, shutdown and start-up, a lock or a statement that took too long, a
 * deadlock, a standby, and a server that does not let us in.
 */
const PASSING = /^(08|53|57P0|28)|^(57014|55P03|40001|40P01|25006|3D000)$/;
/** pg's own words, which have no code. */
const CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Query read timeout)/;

/** Is it the database that cannot be had right now, rather than the request? */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  const { code, syscall } = fieldsOf(error);
  if (typeof code === 'string') {
    return PASSING.test(code) || (NETWORK.has(code) && (syscall === undefined || syscall !== 'open'));
  }
  return CONNECTION.test(error.message);
}

function fieldsOf(error: unknown): { code?: unknown; status?: unknown; type?: unknown; syscall?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
