/** Every wrong field of a request, by name, in one answer. */
import { type ErrorCode, type Fault, MillraceError } from '../model/errors.ts';

/** In the sentence; the others stand beside it. */
const NAMED = 20;

/** The error that says so. */
export function notValid(code: ErrorCode, faults: Fault[]): MillraceError {
  const fields = [...new Set(faults.map(({ field }) => field))];
  const more = fields.length > NAMED ? ` and ${fields.length - NAMED} more` : '';
  return new MillraceError(code, `Not valid: ${fields.slice(0, NAMED).join(', ')}${more}`, { faults });
}
