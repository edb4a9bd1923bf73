/** A refusal or a failure in the form of the API, and what our own SQL functions refuse in that form. */
import { MillraceError } from '../model/errors.ts';
import { isBadRequest, isConflict, isServerError, isUnknown } from '../model/sqlstate.ts';

export interface ErrorBody {
  code: string;
  summary: string;
  remedy?: string;
  validation_errors?: Record<string, string[]>;
  request_id?: string;
  [fact: string]: unknown;
}

/** Of a management route: the remedy apart from the sentence, and the request that a log line can be found by. */
export function errorBody(known: MillraceError, requestId: string): ErrorBody {
  const { message, remedy } = known;
  const said = remedy === undefined ? { summary: message } : { summary: message, remedy };
  return { ...withFaults(known), ...said, request_id: requestId };
}

/** Faults of one answer: a small body can have millions. */
const TOLD = 1_000;

/** Facts, code and what is wrong with each field. */
export function withFaults(known: MillraceError): Omit<ErrorBody, 'summary'> & { code: string } {
  // Whoever sends a field chooses its name, `constructor` or `__proto__` too.
  const faults = new Map<string, string[]>();
  for (const { field, message, remedy } of known.faults.slice(0, TOLD)) {
    const text = remedy === undefined ? message : `${message}. ${remedy}`;
    const texts = faults.get(field);
    if (texts === undefined) faults.set(field, [text]);
    else texts.push(text);
  }
  const left = known.faults.length - TOLD;
  return {
    ...known.facts,
    ...(left > 0 ? { faults_left_out: left } : {}),
    code: known.code,
    ...(faults.size === 0 ? {} : { validation_errors: Object.fromEntries(faults) }),
  };
}

/** What a function of schema millrace refuses, in its own words: they name what was asked for, and the remedy. */
export function managementError(error: unknown): unknown {
  if (!isServerError(error)) return error;
  const { message, hint } = error;
  const details = { cause: error, ...(hint === undefined ? {} : { remedy: hint }) };
  if (isUnknown(error)) return new MillraceError('not_found', message, { cause: error });
  if (isConflict(error)) return new MillraceError('operation_running', message, details);
  return isBadRequest(error) ? new MillraceError('invalid', message, details) : error;
}
