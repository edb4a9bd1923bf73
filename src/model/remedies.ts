/**
 * What a person can do about what Postgres says of a user's table: one list for each thing that we do with it. For a server
 * that cannot be reached there is connection-fault.ts. Messages name tables and columns, never a row's values.
 */
import { quoteIdentifier, quoteTable } from './quote.ts';
import {
  isCancelled,
  isCheckViolation,
  isDamaged,
  isDataException,
  isDiskFull,
  isHiddenByPolicy,
  isLockTimeout,
  isMissingTable,
  isNotPermitted,
  isOtherColumns,
  isOutOfIds,
  isOutOfLocks,
  isOutOfResources,
  isReadOnly,
  isRolledBack,
  isServerError,
  type ServerError,
} from './sqlstate.ts';

export interface Remedy {
  message: string;
  /** Absent: nothing is known that helps. */
  remedy?: string;
  /** Only a person can fix it; else it is tried again. */
  isFinal: boolean;
}

interface Rule<Place> {
  when(error: unknown, place: Place): boolean;
  /** Absent: Postgres' own words. */
  message?(place: Place, error: ServerError): string;
  remedy?(place: Place, error: ServerError): string;
  isFinal?: true;
}

/** The first rule that fits. */
function remedyBy<Place>(rules: readonly Rule<Place>[], error: unknown, place: Place): Remedy | undefined {
  if (!isServerError(error)) return undefined;
  const rule = rules.find(({ when }) => when(error, place));
  if (!rule) return undefined;
  const message = rule.message?.(place, error) ?? error.message;
  return { message, ...(rule.remedy ? { remedy: rule.remedy(place, error) } : {}), isFinal: rule.isFinal ?? false };
}

export interface ReadTable {
  schema: string;
  name: string;
  /** Who reads it. */
  role: string;
  /** That the rows are read in order of, when it is not the primary key. */
  sortColumn: string | null;
  /** That a query may take. */
  seconds: number;
}

const named = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`;

const READ: readonly Rule<ReadTable>[] = [
  {
    when: (error, { sortColumn }) => isDataException(error) && sortColumn !== null,
    message: ({ sortColumn }) => `start_position is not a value of the column ${sortColumn}`,
    remedy: () => 'Write it as Postgres writes the type, e.g. 2026-01-31.',
    isFinal: true,
  },
  {
    when: isMissingTable,
    message: (table) => `${named(table)} no longer exists`,
    remedy: () => 'Start another one.',
    isFinal: true,
  },
  {
    when: isHiddenByPolicy,
    remedy: ({ role }) => `alter role ${quoteIdentifier(role)} bypassrls; -- a policy would hide rows`,
    isFinal: true,
  },
  {
    when: isNotPermitted,
    remedy: ({ role, ...table }) =>
      `grant usage on schema ${quoteIdentifier(table.schema)} to ${quoteIdentifier(role)}; ` +
      `grant select on ${quoteTable(table)} to ${quoteIdentifier(role)}`,
    isFinal: true,
  },
  {
    when: isCancelled,
    message: ({ seconds, ...table }) => `a row of ${named(table)} takes longer than ${seconds} s to read`,
    remedy: ({ sortColumn }) =>
      `Create an index that begins with ${sortColumn ?? 'the primary key'}, or relieve the source.`,
  },
  {
    when: isDamaged,
    message: (table, { message }) => `${named(table)} cannot be read: ${message}`,
    remedy: () =>
      'What the server stores of this table is damaged: restore the rows from a backup, or delete them (where triggers capture the database, after `set millrace.capture = off`: they cannot note such a row). Then it goes on by itself.',
  },
  {
    when: isDiskFull,
    remedy: () =>
      'Free disk space on the server that says so, of the source or of the message database. Then it goes on by itself.',
  },
  // Postgres' words tell a value.
  { when: isDataException, message: (table, { code }) => `${named(table)} cannot be read (${code})` },
];

/** Of rows that a backfill reads; undefined: it is not about the table. */
export const remedyForReading = (error: unknown, table: ReadTable): Remedy | undefined => remedyBy(READ, error, table);

export interface ReadEntries {
  database: string;
  schema: string;
  name: string;
}

const changeTable = (table: ReadEntries): string =>
  `the change table ${quoteTable(table)} of database ${table.database}`;

const REPLAY: readonly Rule<ReadEntries>[] = [
  {
    when: isMissingTable,
    message: (table) => `${changeTable(table)} is not there`,
    remedy: () => 'Restore it, or set create_if_not_exists and let a new one fill.',
    isFinal: true,
  },
  {
    when: isOtherColumns,
    message: (table, { message }) => `${changeTable(table)} does not fit: ${message}`,
    remedy: () => 'Give it the columns of docs/change-tables.md.',
    isFinal: true,
  },
  {
    when: isHiddenByPolicy,
    message: (table) => `a policy of row security would hide entries of ${changeTable(table)}`,
    remedy: (table) =>
      `Run there: alter table ${quoteTable(table)} disable row level security; or give the role bypassrls.`,
    isFinal: true,
  },
  {
    when: isNotPermitted,
    message: (table, { message }) => `${changeTable(table)} may not be read: ${message}`,
    remedy: (table) => `Run there: grant select on ${quoteTable(table)} to the role.`,
    isFinal: true,
  },
  {
    when: isCancelled,
    message: (table) => `${changeTable(table)} takes too long to read`,
    remedy: (table) => `Run there: create index concurrently on ${quoteTable(table)} (seq, id); or ask for less.`,
  },
];

/** Of entries that a replay reads; undefined: it is not about the change table. */
export const remedyForReplaying = (error: unknown, table: ReadEntries): Remedy | undefined =>
  remedyBy(REPLAY, error, table);

/** Postgres says only that memory is over. */
const LOCKS = 'max_locks_per_transaction';

const VACUUM =
  'Vacuum the database that the server names, once what keeps its rows is ended: old transactions, also prepared ones, and slots.';

/** Where Postgres says what an entry has that no partition takes: only to a role that may read it, in any language. */
const COMMITTED = /\(committed_at\) = \(([-+:. \d]+)\)/;

const WRITE: readonly Rule<undefined>[] = [
  {
    when: isReadOnly,
    remedy: () => 'The server is read-only, as a standby is: name the primary as the destination.',
  },
  { when: isNotPermitted, remedy: () => 'Grant the right to the role, or declare a role that has it.' },
  { when: isDiskFull, remedy: () => 'Free disk space on the destination server.' },
  { when: isOutOfIds, remedy: () => VACUUM },
  { when: isOutOfLocks, remedy: () => `Raise ${LOCKS} of the destination server, and restart it.` },
  { when: isOutOfResources, remedy: () => 'Raise that limit of the destination server, or take load off it.' },
  {
    when: isLockTimeout,
    remedy: () => 'Another session holds a lock on the table: see pg_locks. It is tried again until the lock is gone.',
  },
  {
    when: isCancelled,
    remedy: () => 'The destination was too slow, or a session holds a lock: see pg_stat_activity there.',
  },
  { when: isRolledBack, remedy: () => 'Another transaction was in the way. It is tried again.' },
  {
    when: isCheckViolation,
    remedy: (_, { detail = '' }) =>
      `Create the partition that ${COMMITTED.exec(detail)?.[1] ?? 'this time'} needs; an old message that was put back can also be discarded.`,
  },
];

/** Of rows that a sink writes; undefined: nothing is known that helps. */
export const remedyForWriting = (error: unknown): string | undefined => remedyBy(WRITE, error, undefined)?.remedy;

const BY_ITSELF = 'Nothing is lost meanwhile, and capture goes on by itself.';

/** Of a server that is there, and does not do what capture asks. */
const CAPTURE: readonly Rule<string>[] = [
  { when: isReadOnly, remedy: (at) => `The server is read-only, as a standby is: let ${at} be the primary.` },
  { when: isNotPermitted, remedy: () => 'Give the role its rights: docs/settings.md, Rights.' },
  { when: isDiskFull, remedy: (at) => `Free disk space on the server of ${at}. ${BY_ITSELF}` },
  { when: isOutOfIds, remedy: () => `${VACUUM} ${BY_ITSELF}` },
  { when: isOutOfLocks, remedy: (at) => `Raise ${LOCKS} on the server of ${at}, and restart it. ${BY_ITSELF}` },
  {
    when: isOutOfResources,
    remedy: (at) => `Raise that limit on the server of ${at}, or take load off it. ${BY_ITSELF}`,
  },
  {
    when: (error) => isLockTimeout(error) || isCancelled(error),
    remedy: (at) => `A session of ${at} holds a lock, or the server is slow: see pg_stat_activity there. ${BY_ITSELF}`,
  },
];

/** Of capture: what the server of the database `at` says; undefined: nothing is known that helps. */
export const remedyForCapture = (error: unknown, at: string): string | undefined =>
  remedyBy(CAPTURE, error, at)?.remedy;

/** For messages; in any locale of the server's. */
export const UTF8_DATABASE =
  "create database millrace encoding 'UTF8' locale 'C' template template0; then use that one as DATABASE_URL.";
