/**
 * Was a table published all the time since it was looked at last? Between two looks it may have been taken out and put in
 * again: Postgres leaves out what changed meanwhile, and nothing in its stream tells so. The entries of the publication do.
 */

/** How a publication listed a table. */
export interface PublishedAs {
  /** By which entries, by the oid of what is listed: the table itself, or parts of it. `w` before an entry's oid: whole; `s`: some rows or columns of it. Of an entry of its schema, behind a colon, since when it is there; without one: a release before has noted it. */
  entries: Readonly<Record<string, readonly string[]>>;
  /** Oids of its partitions that are unlogged: Postgres tells no change of them. */
  unlogged?: readonly string[];
  /** It lists all tables there are. */
  allTables: boolean;
  /** Of the publication as a whole. */
  options: PublicationOptions;
}

export interface PublicationOptions {
  /** Another one after each change of the others, also when all of them are as they were before. */
  xmin: string;
  /** Of `iudt`: insert, update, delete, truncate. */
  actions: string;
  viaRoot: boolean;
  owner: string;
  /** Null: a release without generated columns in a publication. */
  generated: string | null;
}

const ACTIONS = { i: 'inserts', u: 'updates', d: 'deletes', t: 'truncates' } as const;

/** It was seen not to be published, and is again. */
export const WAS_AWAY = 'was out of the publication for a while: changes that were made meanwhile may be missing';

/** The same where triggers note its changes, and were seen not to. */
export const WAS_NOT_NOTED =
  'was out of the publication, or its triggers were disabled, for a while: changes that were made meanwhile may be missing';

/** What may be missing of a table that was published at the last look and is at this one: to be said behind its name. Undefined: nothing. */
export function leftOutSince(
  before: PublishedAs,
  now: PublishedAs,
  table: { oid: number; partitioned: boolean },
): string | undefined {
  return (
    leftOutByList(before, now, table) ??
    leftOutUnlogged(before, now) ??
    leftOutByOptions(before.options, now.options, table)
  );
}

function leftOutUnlogged({ unlogged = [] }: PublishedAs, now: PublishedAs): string | undefined {
  if (unlogged.every((oid) => now.unlogged?.includes(oid))) return undefined;
  return 'had partitions that were unlogged until now: changes that were made in them are missing';
}

function leftOutByList(before: PublishedAs, now: PublishedAs, { oid }: { oid: number }): string | undefined {
  if (before.allTables && now.allTables) return undefined;
  // Listed itself, its parts are too.
  const root = String(oid);
  const whole = before.entries[root] !== undefined || now.entries[root] !== undefined;
  const parts = whole ? [root] : Object.keys(now.entries).filter((part) => before.entries[part] !== undefined);
  const [other] = parts
    .map((part) => [before.entries[part] ?? [], now.entries[part] ?? []] as const)
    .filter(([was, is]) => !goesOn(was, is));
  if (!other) return undefined;
  const isSome = other.flat().some((entry) => entry.startsWith('s'));
  return isSome
    ? 'was published with a row filter or a list of columns, and now is otherwise: what was left out until then is missing'
    : 'was taken out of the publication and put in again: changes that were made meanwhile may be missing';
}

/** One entry, for the whole of it, stood all the time, or all are the same. */
const goesOn = (was: readonly string[], is: readonly string[]): boolean =>
  was.some((entry) => entry.startsWith('w') && is.some((one) => one === entry || one.startsWith(`${entry}:`))) ||
  was.join() === is.join();

function leftOutByOptions(
  before: PublicationOptions,
  now: PublicationOptions,
  { partitioned }: { partitioned: boolean },
): string | undefined {
  if (before.xmin === now.xmin) return undefined;
  const absent = Object.entries(ACTIONS).filter(([key]) => !before.actions.includes(key) && now.actions.includes(key));
  if (absent.length > 0)
    return `was published without ${absent.map(([, words]) => words).join(' and ')} until now: those that were made are missing`;
  if (partitioned && !before.viaRoot && now.viaRoot)
    return 'was published under the names of its partitions until now: changes that were made may be missing';
  const isSame = before.actions === now.actions && before.viaRoot === now.viaRoot && before.generated === now.generated;
  if (!isSame || before.owner !== now.owner) return undefined;
  return 'is in a publication that was altered, and altered back: changes that were made meanwhile may be missing';
}
