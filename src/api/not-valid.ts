/** Every wrong field of a request, by name, in one answer. */
import { type ErrorCode, type Fault, MillraceError } from '../model/errors.ts';

/** The error that says so. */
export function notValid(code: ErrorCode, faults: Fault[]): MillraceError {
  const fields = [...new Set(faults.map(({ field }) => field))];
  return new MillraceError(code, `Not valid: ${fields.join(', ')}`, { faults });
}
