/**
 * The publication: made when asked, of all tables of schema public that have a usable replica identity and that our role
 * may publish. A table without one would make the user's own updates fail (55000), so it is left out, with a notice.
 * One that we made is kept up: new tables come in, and one whose updates it would break goes out. One that the user made, or
 * wrote `init_sql` for, is left alone.
 *
 * Tables come in and go out one by one, and none is waited for: somebody may be making an index of it for an hour.
 */

import { type Finding, repairText } from '../checks/finding.ts';
import {
  type PublicationFacts,
  publicationComment,
  publicationCreation,
  publicationMissing,
  publicationRefused,
} from '../checks/publication.ts';
import { checkTable, isPublishable } from '../checks/table.ts';
import type { TriggeredTable } from '../checks/triggers.ts';
import { limitSql } from '../db/deadline.ts';
import { endConnection } from '../db/drop-connection.ts';
import type { Database } from '../db/pool.ts';
import type { DatabaseSettings, SourceSettings } from '../model/declared.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { quoteIdentifier, quoteTable, remarked } from '../model/quote.ts';
import { isLockTimeout, isNotPermitted, isOutdated, isServerError, isUnavailable } from '../model/sqlstate.ts';
import { isNamedIn } from '../model/taken-in.ts';
import { readPublication } from './publication-facts.ts';
import { readTables } from './tables.ts';

const WHO = `select current_user::text as role, current_database()::text as database,
       has_database_privilege(current_database(), 'create') as may_create`;
/** Milliseconds that a lock on a table is waited for: less than what makes an autovacuum give way. */
const LOCK_MS = 500;

interface Who {
  role: string;
  database: string;
  may_create: boolean;
}

/** As it is declared. */
export type PublicationWanted = DatabaseSettings['publication'] & {
  /** It is to list the tables whose changes triggers note: inserts are all that it publishes. */
  byTriggers?: boolean;
  /** Of the sinks that read from it. One that a person makes lists the tables of other schemas too that they name. */
  sources?: readonly SourceSettings[];
};

/** A sink that reads from it. */
export interface Reading {
  settings: { source: SourceSettings };
}

/** As it is declared, for these sinks. */
export const wantedPublication = (
  { publication }: Pick<DatabaseSettings, 'publication'>,
  sinks: readonly Reading[] = [],
): PublicationWanted => ({ ...publication, sources: sinks.map(({ settings }) => settings.source) });

export interface Publication extends PublicationFacts {
  tables: PublishedTable[];
  /** How the changes of those that are listed are noted; absent: by replication. */
  triggers?: ReadonlyMap<number, TriggeredTable>;
  /** Tables that were added just now, though the publication was there before: what they held is not sent. */
  added: PublishedTable[];
  /** Tables that somebody has locked, so that they could not come in or go out yet. */
  locked: PublishedTable[];
  /** Tables for which the server refused that, as an event trigger of the user's does: by oid, what it said. */
  refused: ReadonlyMap<number, string>;
  /** It was created just now. */
  created: boolean;
}

/** Without the tables that inherit from it: each is listed for itself. */
const listOf = (tables: readonly PublishedTable[]): string =>
  tables.map((table) => `only ${quoteTable(table)}`).join(', ');
type Use = Pick<PublicationFacts, 'byTriggers' | 'publishesOld'>;
/** Whoever owns it. */
const belongs = (table: PublishedTable, use: Use): boolean => table.schema === 'public' && isPublishable(table, use);
/** A publication of ours takes it in by itself. */
export const isWanted = (table: PublishedTable, use: Use): boolean => table.mine && belongs(table, use);

/** Makes it or keeps it up. Throws `bad_source` with the SQL to run when it is missing and may not be made. */
export async function ensurePublication(
  source: Database,
  settings: PublicationWanted,
  version: number,
): Promise<Publication> {
  const known = await readPublication(source, settings.name, version);
  const created = known === undefined;
  const { byTriggers = false } = settings;
  const facts = { ...(known ?? (await create(source, settings, version))), byTriggers };
  const before = await readTables(source, settings.name);
  const added: PublishedTable[] = [];
  const locked: PublishedTable[] = [];
  const refused = new Map<number, string>();
  let isChanged = false;
  for (const table of facts.ours ? before : []) {
    const verb = table.published
      ? isBroken(facts, table)
        ? 'drop'
        : undefined
      : isWanted(table, facts)
        ? 'add'
        : undefined;
    if (verb === undefined) continue;
    const outcome = await alter(
      source,
      `alter publication ${quoteIdentifier(facts.name)} ${verb} table only ${quoteTable(table)}`,
    );
    isChanged ||= outcome === 'done';
    if (typeof outcome === 'object') refused.set(table.oid, outcome.refused);
    else if (outcome === 'locked') locked.push(table);
    else if (outcome === 'done' && verb === 'add') added.push(table);
  }
  return {
    ...facts,
    tables: isChanged ? await readTables(source, settings.name) : before,
    added: created ? [] : added,
    locked,
    refused,
    created,
  };
}

/** By itself it will not pass. */
const isRefused = (error: unknown): boolean => isServerError(error) && !isUnavailable(error);

/** Its owner's updates fail because we publish it. */
const isBroken = (publication: PublicationFacts, table: PublishedTable): boolean =>
  table.schema === 'public' && checkTable(publication, table, false)?.id === 'breaks_updates';

/**
 * `gone`: the table is not what it was a moment ago; it is looked at again at the next check. What the server refuses is one table's:
 * the others are captured all the same.
 */
async function alter(source: Database, sql: string): Promise<'done' | 'locked' | 'gone' | { refused: string }> {
  try {
    await source.transaction(async (tx) => {
      await tx.query(limitSql({ lockMs: LOCK_MS }));
      await tx.query(sql);
    });
    return 'done';
  } catch (error) {
    if (isLockTimeout(error)) return 'locked';
    if (isOutdated(error)) return 'gone';
    if (isRefused(error)) return { refused: messageOf(error) };
    throw error;
  }
}

/** What makes it by hand, whoever runs that: he needs not own the tables. */
export async function publicationSql(source: Database, wanted: PublicationWanted, version: number): Promise<string> {
  return wanted.init_sql ?? (await standardPublicationSql(source, wanted, version));
}

/** The same for one without `init_sql`. */
export async function standardPublicationSql(
  source: Database,
  { name, byTriggers = false, sources = [] }: Pick<PublicationWanted, 'name' | 'byTriggers' | 'sources'>,
  version: number,
): Promise<string> {
  const tables = await readTables(source, name);
  const use = { byTriggers, publishesOld: !byTriggers };
  const isNamed = (table: PublishedTable): boolean =>
    isPublishable(table, use) && sources.some((source) => isNamedIn(source, table));
  const list = listOf(tables.filter((table) => belongs(table, use) || isNamed(table)));
  return publicationCreation({ name, byTriggers, knowsGenerated: version >= 180000 }, list);
}

async function create(source: Database, settings: PublicationWanted, version: number): Promise<PublicationFacts> {
  const { name, create_if_not_exists: may, init_sql: initSql } = settings;
  const whole = (): Promise<string> => publicationSql(source, settings, version);
  if (!may) {
    const missing = publicationMissing(name, await whole());
    throw new MillraceError('bad_source', missing.summary, { remedy: repairText(missing) });
  }
  try {
    if (initSql !== null) await runInitSql(source, initSql);
    else {
      // Whose it is must be known from the beginning.
      await source.transaction(async (tx) => {
        await tx.query(publicationCreation({ ...settings, knowsGenerated: version >= 180000 }));
        await tx.query(publicationComment(name));
      });
    }
  } catch (error) {
    throw (await mayNot(source, error, whole)) ?? error;
  }
  const facts = await readPublication(source, name, version);
  if (facts) return facts;
  throw new MillraceError('bad_source', `publication.init_sql did not create publication ${name}`, {
    remedy: 'Let init_sql create the publication of this name.',
  });
}

/** Undefined when it may pass by itself. */
async function mayNot(
  source: Database,
  cause: unknown,
  whole: () => Promise<string>,
): Promise<MillraceError | undefined> {
  if (!isRefused(cause)) return undefined;
  const sql = await whole();
  if (!isNotPermitted(cause))
    return new MillraceError('bad_source', `the publication could not be made: ${messageOf(cause)}`, {
      remedy: remarked(sql, 'where that is not refused'),
      cause,
    });
  const refused = publicationRefused({ ...(await readWho(source)), why: cause.message }, sql);
  return new MillraceError('bad_source', refused.summary, { remedy: repairText(refused), cause });
}

const readWho = async (source: Database): Promise<Who> => (await source.query<Who>(WHO)).rows[0]!;

/** Before anybody has tried to: what keeps our role from making it without `init_sql`, if so. */
export async function refusedBeforehand(
  source: Database,
  wanted: PublicationWanted,
  version: number,
): Promise<Finding | undefined> {
  const { role, database, may_create: may } = await readWho(source);
  if (may) return undefined;
  const why = `permission denied for database ${database}`;
  return publicationRefused({ role, database, why }, await standardPublicationSql(source, wanted, version));
}

/** @throws MillraceError bad_source, with what the server says of the statement; unchanged, what may pass by itself. */
async function runInitSql(source: Database, sql: string): Promise<void> {
  try {
    await runAsWritten(source, sql);
  } catch (cause) {
    if (!isRefused(cause) || isNotPermitted(cause)) throw cause;
    throw new MillraceError('bad_source', `publication.init_sql: ${messageOf(cause)}`, {
      remedy: 'Correct publication.init_sql in the entry of the database, and apply it.',
      cause,
    });
  }
}

/** SQL of the user's: under the role's own path, in a session that nobody uses afterwards, whatever it may set. */
async function runAsWritten(source: Database, sql: string): Promise<void> {
  await source.session(async (client) => {
    try {
      await client.query('set search_path to default');
      await client.query(sql);
    } finally {
      await endConnection(client);
    }
  });
}
