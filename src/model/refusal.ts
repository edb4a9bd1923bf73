/** What Postgres said of a statement that it refused, without the values that some of its messages quote. */
interface ServerError extends Error {
  code: string;
}

/** `22P02: invalid input syntax for type json`. Detail and context, where row values stand, are left out. */
export function refusalText(error: ServerError): string {
  const message = error.code.startsWith('22') ? error.message.replace(/: ".*$/s, '') : error.message;
  return `${error.code}: ${message}`;
}
