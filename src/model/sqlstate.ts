/**
 * What an error of a database means, judged by the codes of Node and Postgres, never by words that a server translates. The
 * only place that knows these codes.
 */

/** What Postgres said: its code of five characters. Undefined for what it did not say (Node has codes of five letters too). */
export function sqlstateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = fieldsOf(error);
  return typeof code === 'string' && /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/.test(code) ? code : undefined;
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
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Query read timeout)/;

/** What servers and poolers say that have no connection left; few of the latter have a code for it. */
const FULL =
  /too many (clients|connections)|connection slots are reserved|no more connections allowed|max(imum)? (number of )?client(s| connections)|MaxClients|query_wait_timeout/i;

/** Has the server, or a pooler before it, no connection to spare? */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return fieldsOf(error).code === '53300' || FULL.test(error.message);
}

/** Is it certain that the server is there, and that it will let us in by itself? */
export function isMomentary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = fieldsOf(error);
  return isFull(error) || (typeof code === 'string' && code.startsWith('57P0'));
}

/**
 * Is it the database that cannot be had right now, rather than the request? Then the same thing may succeed later: it is
 * nobody's fault but the database's, and no reason to give anything up.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  if (isFull(error)) return true;
  const { code, syscall } = fieldsOf(error);
  if (typeof code === 'string') {
    return PASSING.test(code) || (NETWORK.has(code) && (syscall === undefined || syscall !== 'open'));
  }
  return CONNECTION.test(error.message);
}

function fieldsOf(error: object): { code?: unknown; syscall?: unknown } {
  return error;
}
