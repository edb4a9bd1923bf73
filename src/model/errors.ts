/**
 * Failures that a person must act on carry a code, a sentence and the remedy. Neither ever holds a secret or a row's
 * value. `field` names the place in a request or a file; `status` is what an HTTP client sees.
 */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'misdirected'
  | 'request_timeout'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'wrong_state'
  | 'managed_by_file'
  | 'name_taken'
  | 'last_admin'
  | 'in_use'
  | 'operation_running'
  | 'version_conflict'
  | 'invalid'
  | 'test_failed'
  | 'destination_denied'
  | 'secret_required'
  | 'immutable'
  | 'too_many_waiting'
  | 'too_many_requests'
  | 'unavailable'
  | 'source_unavailable'
  | 'bad_setting'
  | 'bad_configuration'
  | 'invalid_configuration'
  | 'needs_force'
  | 'plan_outdated'
  | 'count_moved'
  | 'bad_source'
  | 'bad_destination'
  | 'fenced'
  | 'internal';

const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  misdirected: 421,
  request_timeout: 408,
  headers_too_large: 431,
  payload_too_large: 413,
  unsupported_media_type: 415,
  wrong_state: 409,
  managed_by_file: 409,
  name_taken: 409,
  last_admin: 409,
  in_use: 409,
  operation_running: 409,
  version_conflict: 412,
  invalid: 422,
  test_failed: 422,
  destination_denied: 422,
  secret_required: 422,
  immutable: 422,
  too_many_waiting: 429,
  too_many_requests: 429,
  unavailable: 503,
  source_unavailable: 502,
  bad_setting: 500,
  bad_configuration: 400,
  invalid_configuration: 422,
  needs_force: 409,
  plan_outdated: 409,
  count_moved: 409,
  bad_source: 500,
  bad_destination: 500,
  fenced: 500,
  internal: 500,
};

/** One fault of an input: which field, what is wrong, what to do, and where (line and column start at 1). */
export interface Fault {
  field: string;
  message: string;
  remedy?: string;
  /** What kind of fault it is, where a request with such faults alone is refused by a name of its own. */
  refusedAs?: 'immutable' | 'secret_required';
  line?: number;
  column?: number;
}

interface Details {
  faults?: Fault[];
  remedy?: string;
  facts?: Record<string, unknown>;
  cause?: unknown;
}

export class MillraceError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  readonly remedy: string | undefined;

  /** What a program needs of it: the scope that is wanting, the id of what is there already. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'MillraceError';
    this.code = code;
    this.faults = details.faults ?? [];
    this.remedy = details.remedy;
    this.facts = details.facts ?? {};
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** The message of anything thrown, without its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(messageOf).join('; ');
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}

/** `PORT: must be ... . What to do.`, with the place in a file. */
export function faultLine(fault: Fault): string {
  const place = fault.line === undefined ? '' : ` (line ${fault.line}, column ${fault.column ?? 1})`;
  // What is wrong with a file as a whole has a place alone.
  return `${fault.field}${place}: ${fault.message}${fault.remedy ? `. ${fault.remedy}` : ''}`.trimStart();
}
