/** What Postgres said, without the values that some of its messages quote. Detail and context, where row values stand, are left out. */
import { messageOf } from './errors.ts';
import { isDataException, isUnconvertible, type ServerError } from './sqlstate.ts';

/** `22P02: invalid input syntax for type json`. */
export const refusalText = (error: ServerError): string => `${error.code}: ${withoutValues(error)}`;

/** As servers of any language quote: from the first mark to the last, for a value may have some itself. */
const QUOTED = /["«»„“”].*["«»„“”]/s;

/** The message of anything thrown. Of a value it is what stands before a colon, and `***` for what is quoted. */
export function withoutValues(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(withoutValues).join('; ');
  const message = messageOf(error);
  if (!isDataException(error)) return message;
  // Names encodings, and bytes of one character.
  if (isUnconvertible(error)) return message.replace(/: ".*$/s, '');
  const marked = message.search(QUOTED);
  const colon = message.search(/\s*:\s/);
  return colon >= 0 && (marked < 0 || colon < marked) ? message.slice(0, colon) : message.replace(QUOTED, '***');
}
