/** What Postgres said of a statement that it refused, without the values that some of its messages quote. */
import { isDataException, type ServerError } from './sqlstate.ts';

/** `22P02: invalid input syntax for type json`. Detail and context, where row values stand, are left out. */
export function refusalText(error: ServerError): string {
  const { code, message } = error;
  return `${code}: ${isDataException(error) ? message.replace(/: ".*$/s, '') : message}`;
}
