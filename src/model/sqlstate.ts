/**
 * What an error of a database means, judged by the codes of Node and Postgres, never by words that a server translates. The
 * only place that knows them, but for what a failed connection says (connection-fault.ts).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

/** What Postgres said. */
export interface ServerError extends Error {
  /** Five characters: a class of two, and three. */
  code: string;
  hint?: string;
  /** It may tell values of rows. */
  detail?: string;
  schema?: string;
  constraint?: string;
  /** The functions and statements that it happened in. */
  where?: string;
  /** Where in the statement, if it is the statement that is refused. */
  position?: string;
  /** Postgres' own function that refused it, in every language. */
  routine?: string;
}

/** Did Postgres say it? Node has codes of five letters too. */
export const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/.test(error.code);

/** A predicate: is it one of these codes, or of these classes? */
const anyOf =
  (...beginnings: string[]) =>
  (error: unknown): error is ServerError =>
    isServerError(error) && beginnings.some((beginning) => error.code.startsWith(beginning));

// Codes of our own, that functions of schema millrace_private raise.

/** Has the catalog changed since the messages were matched? Then the source must send them again. */
export const isStaleCatalog = anyOf('MR001');
/** The same, found out before anything was sent. */
export const staleCatalog = (): Error => Object.assign(new Error('the catalog has changed'), { code: 'MR001' });
/** Has another owner taken over: of a database's stream, of a lane? */
export const isFenced = anyOf('MR002');
/** The same, found out otherwise. */
export const fenced = (): Error =>
  Object.assign(new Error('another capture has taken over this database'), { code: 'MR002' });
/** A function of schema millrace does not take what it was given. */
export const isBadRequest = anyOf('MR400');
/** There is no such thing. */
export const isUnknown = anyOf('MR404');
/** Something of the kind is under way already. */
export const isConflict = anyOf('MR409');

// What a stream says of its publication.

/**
 * There was no such publication when a change was made, whatever there is now: an error that comes again for ever, or since
 * release 18 a warning, and that change is left out.
 */
export const isWithoutPublication = (told: unknown): boolean =>
  typeof told === 'object' &&
  told !== null &&
  'routine' in told &&
  (told.routine === 'get_publication_oid' || told.routine === 'LoadPublications');
/** The same, of a warning. */
export const withoutPublication = (): Error =>
  Object.assign(new Error('changes were left out: there was no publication'), { routine: 'LoadPublications' });
/** A change cannot be sent: for its values, for how large they are, or for what is damaged. */
export const isUnsendable = anyOf('22', '54', 'XX');

// What a value is.

/** A text is not of its type, a number out of range. The message may quote it. */
export const isDataException = anyOf('22');
/** A character that the server cannot convert, or bytes that are no text of its encoding. */
export const isUnconvertible = anyOf('22P05', '22021');
/** Bytes that are no text of the server's encoding. */
export const isInvalidText = anyOf('22021');
/** No more transactions that write, until the server's rows are vacuumed: a code that means a value everywhere else. */
export const isOutOfIds = (error: unknown): error is ServerError =>
  isServerError(error) && (error.routine === 'GetNewTransactionId' || error.routine === 'GetNewMultiXactId');
/** As a value is, or for how much of it there is. */
export const isValueRefused = (error: unknown): error is ServerError => isOfValue(error) && !isOutOfIds(error);
const isOfValue = anyOf('22', '54');
/**
 * A text is not of its type. Types whose texts are names of things, or have a syntax, say so in the words for a statement that is
 * refused; but then nothing of the statement is at fault, nor a function in it.
 */
export const isNoInput = (error: unknown): error is ServerError =>
  isDataException(error) || (isOfNameOrSyntax(error) && error.position === undefined && error.where === undefined);
const isOfNameOrSyntax = anyOf('0A000', '3F000', '42601', '42602', '42704', '42725', '42883', '42P01');
/** Not a value of a type, constraints of a domain included. */
export const isNoValueOfType = (error: unknown): error is ServerError => isNoInput(error) || isRefusedByDomain(error);
const isRefusedByDomain = anyOf('23');
/** A sequence has no further number. */
export const isSequenceOver = anyOf('2200H');
/** What is stored of a table is damaged, or gone. */
export const isDamaged = anyOf('58P01', 'XX001', 'XX002');
/** A row cannot be read: what is stored of it is damaged, too large for an answer, or an operator of somebody's fails on it. */
export const isUnreadable = anyOf('23', '2F', '38', '39', '54', '58', 'F0', 'P0', 'XX');
/** An expression cannot be computed: of these values, or at all. */
export const isNotComputable = anyOf('0A', '22', '23', '2F', '38', '39', '42', '54', 'F0', 'P0', 'XX');

// What a table's constraints, triggers and policies say.

export const isUniqueViolation = anyOf('23505');
export const isForeignKeyViolation = anyOf('23503');
/** Also that no partition takes the row. */
export const isCheckViolation = anyOf('23514');
/** A key, a foreign key, a check or an exclusion. */
export const isConstraintViolation = anyOf('23503', '23505', '23514', '23P01');
/** Code of the user's raised it: a trigger, a function. */
export const isRaised = anyOf('P0', '38', '39');
/** A policy refuses the row. */
export const isRefusedByPolicy = (error: unknown): boolean =>
  isNotPermitted(error) && error.routine === 'ExecWithCheckOptions';
/** A policy would hide rows, and we asked that it must not. */
export const isHiddenByPolicy = (error: unknown): boolean =>
  isNotPermitted(error) && error.routine === 'check_enable_rls';

// What is not there, or not as it was.

/** Has a table changed since a statement about it was written? */
export const isOutdated = anyOf('42');
/** That, and what else a table says that is not what it was. 0A: not a table any more. XX000: dropped while it was read. */
export const isOtherTable = anyOf('42', '0A', '55000', 'XX000');
/** Something about the table refuses it. */
export const isAboutTable = anyOf('23', '3F', '42');
export const isMissingTable = anyOf('42P01', '3F000');
export const isMissingColumn = anyOf('42703');
export const isMissingDatabase = anyOf('3D000');
/** A schema or table was made by somebody else at the same moment. */
export const isMadeMeanwhile = anyOf('23505', '42710', '42P06', '42P07');
/** Columns are missing, or of other types. */
export const isOtherColumns = anyOf('42703', '42804', '42883');
/** No such schema, table, column or function. */
export const isOtherSchema = anyOf('3F000', '42P01', '42703', '42883');
export const isSyntaxError = anyOf('42601');
/** The server has no such file, or does not say. */
export const isMissingFile = anyOf('58P01', 'XX000');
export const isProtocolViolation = anyOf('08P01');

// What our role may.

export const isNotPermitted = anyOf('42501');
export const isWrongPassword = anyOf('28P01');
/** The server, or the database, does not let us in. */
export const isLoginRefused = anyOf('28', '3D');
/** No way in, or no right. */
export const isForbidden = anyOf('28', '42501');

// What is in the way.

/** A lock was waited for as long as it may be. */
export const isLockTimeout = anyOf('55P03');
/** A statement took as long as it may, or somebody ended it. */
export const isCancelled = anyOf('57014');
/** A replication slot has another reader, a database has sessions. */
export const isInUse = anyOf('55006');
/** Of storage that goes: somebody else frees it at the same moment, or another part of the same table. */
export const isBeingFreed = anyOf('42P01', '55000');
export const isDeadlock = anyOf('40P01');
/** Another transaction was in the way. */
export const isRolledBack = anyOf('40');
/** A lock or another transaction was in the way: it may do when it is tried again. */
export const isTransient = anyOf('40001', '40P01', '55P03');
export const isReadOnly = anyOf('25006');
export const isDiskFull = anyOf('53100');
/** The server keeps no more locks than that, of all sessions together. */
export const isOutOfLocks = (error: unknown): error is ServerError =>
  isServerError(error) && error.code === '53200' && error.routine === 'LockAcquireExtended';
/** Disk, memory, connections. */
export const isOutOfResources = anyOf('53');
/** The server, or somebody at it, ended the connection. */
export const isConnectionEnded = anyOf('08', '57P', '25P');

// Is the database to be had?

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
/**
 * Postgres' function that lets nobody into a database: it accepts no connections, or not of this role. Their codes mean something else
 * wherever a statement gets them.
 */
const DOOR = 'CheckMyDatabase';
/** pg's own words, which have no code. */
const CONNECTION =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Query read timeout)/;

/** pg's own words for a connection that is busy, or gives no answer. */
const NO_ANSWER = /^(timeout exceeded when trying to connect|Query read timeout)$/;

/** What servers and poolers say that have no connection left; few of the latter have a code for it. */
const FULL =
  /too many (clients|connections)|connection slots are reserved|no more connections allowed|max(imum)? (number of )?client(s| connections)|MaxClients|query_wait_timeout/i;

/** Has the server, or a pooler before it, no connection to spare? */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return fieldsOf(error).code === '53300' || FULL.test(error.message);
}

/** Did the server say nothing at all in time? */
export const isSilent = (error: unknown): boolean => error instanceof Error && NO_ANSWER.test(error.message);
/** Did a server, or the network, say nothing to a statement that the server itself would have ended by then? */
export const isUnheard = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';
/** Was something not answered in time, for it is locked, takes too long, or the connection is in use? */
export const isUnanswered = (error: unknown): boolean => isLockTimeout(error) || isCancelled(error) || isSilent(error);

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
  const { code, routine, syscall } = fieldsOf(error);
  if (routine === DOOR || isOutOfIds(error)) return true;
  if (typeof code === 'string') {
    return PASSING.test(code) || (NETWORK.has(code) && (syscall === undefined || syscall !== 'open'));
  }
  return CONNECTION.test(error.message);
}

function fieldsOf(error: object): { code?: unknown; routine?: unknown; syscall?: unknown } {
  return error;
}
