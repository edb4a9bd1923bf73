/**
 * What a client sees of a failure: a status, a code, a sentence, and which fields are wrong. Never a stack, never what a
 * library or Postgres says about values. What is our fault is `internal` outside, and whole in the log.
 */
import { type ErrorBody, errorBody, withFaults } from '../api/errors.ts';
import { MillraceError } from '../model/errors.ts';
import { isUnavailable, isUnknown } from '../model/sqlstate.ts';

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

const RETRY_AFTER_SECONDS = '1';

/**
 * The answer to a failed request; also for what Postgres, Node and express throw. `requestId`: of a management route, whose
 * errors have the remedy apart; clients of the pull API read one sentence.
 */
export function errorAnswer(error: unknown, requestId?: string): ErrorAnswer {
  const known = toMillraceError(error);
  const headers: Record<string, string> = {};
  if (known.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer';
  if (known.status === 429 || known.status === 503)
    headers['Retry-After'] = String(known.facts.retry_after ?? RETRY_AFTER_SECONDS);
  return {
    status: known.status,
    headers,
    body: requestId === undefined ? { ...withFaults(known), summary: sentenceOf(known) } : errorBody(known, requestId),
  };
}

const sentenceOf = ({ message, remedy }: MillraceError): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;

/** One code for everything that can be thrown here. */
export function toMillraceError(error: unknown): MillraceError {
  if (error instanceof MillraceError) return error;
  if (isUnavailable(error)) {
    return new MillraceError('unavailable', 'The message database cannot be reached or is busy', { cause: error });
  }
  if (isUnknown(error)) return new MillraceError('not_found', 'There is no such sink', { cause: error });
  const { status, type, limit, code } = fieldsOf(error);
  if (status === 400 && /^(Z_|ERR__|ZSTD_)/.test(String(code)))
    return new MillraceError('bad_request', 'The body cannot be unpacked', {
      faults: [{ field: 'body', message: 'is not what its Content-Encoding says' }],
    });
  return (
    bodyError(typeof type === 'string' ? type : '', Number(status), Number(limit)) ??
    new MillraceError('internal', 'Something went wrong here; it is in the log under the request id', { cause: error })
  );
}

/** What express and its body parser refuse. */
function bodyError(type: string, status: number, most: number): MillraceError | undefined {
  switch (type) {
    case 'entity.too.large':
      return new MillraceError('payload_too_large', `The body is larger than ${Math.ceil(most / 1_048_576)} MB`);
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

function fieldsOf(error: unknown): {
  status?: unknown;
  type?: unknown;
  limit?: unknown;
  code?: unknown;
} {
  return typeof error === 'object' && error !== null ? error : {};
}
