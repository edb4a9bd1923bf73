/** The publication: does it let all changes through, and none of our own tables? */
import { quoteIdentifier } from '../model/quote.ts';
import { type Finding, fault, inSource, repairText } from './finding.ts';
import { resyncing } from './resyncing.ts';

export interface PublicationFacts {
  oid: number;
  name: string;
  allTables: boolean;
  /** Tables of our own schemas are in it. */
  publishesOurs: boolean;
  /** Publishes inserts, updates and deletes. */
  complete: boolean;
  viaRoot: boolean;
  /** Can generated columns be published at all (18+)? */
  knowsGenerated: boolean;
  /** `s`: stored generated columns are published. */
  generated: string;
  /** Made by us, and kept up by us: our role may alter it. */
  ours: boolean;
}

/** One that is not there yet, as it will be. */
export const plannedPublication = (
  name: string,
  { version, isOurs }: { version: number; isOurs: boolean },
): PublicationFacts => ({
  ...{ oid: 0, name, allTables: false, publishesOurs: false, complete: true, viaRoot: true },
  ...{ knowsGenerated: version >= 180000, generated: version >= 180000 ? 's' : 'n', ours: isOurs },
});

/** `database`: as millrace.yaml names it. */
export function checkPublication(publication: PublicationFacts, database: string): Finding[] {
  const { name } = publication;
  const alter = `alter publication ${quoteIdentifier(name)}`;
  const found: Finding[] = [];
  if (!publication.complete)
    found.push(
      fault(
        'publication_incomplete',
        `publication ${name} leaves out inserts, updates or deletes`,
        inSource(`${alter} set (publish = 'insert, update, delete, truncate')`),
      ),
    );
  if (publication.publishesOurs)
    found.push(
      fault(
        'publishes_messages',
        `publication ${name} lists our own tables: messages would be published too, and could not be deleted any more`,
        publication.allTables
          ? inSource(
              `drop publication ${quoteIdentifier(name)}`,
              `it is made again, of the tables that are wanted; then, in the message database: ${repairText(resyncing(database))}`,
            )
          : inSource(
              `${alter} drop tables in schema millrace, millrace_private, millrace_jobs`,
              'or drop table, for those that it lists by name',
            ),
      ),
    );
  return found;
}

/** It is not to be made by us; `sql` makes it. */
export const publicationMissing = (name: string, sql: string): Finding =>
  fault(
    'publication_missing',
    `publication ${name} does not exist`,
    inSource(sql, 'or set publication.create_if_not_exists: true'),
  );

/** Capture ran `init_sql`, and there is still no publication; `sql` makes one as it is made without `init_sql`. */
export const initSqlFailed = (name: string, { reason, sql }: { reason: string | null; sql: string }): Finding =>
  fault(
    'init_sql_failed',
    `publication ${name} does not exist, and capture could not make it as init_sql says${reason === null ? '' : ` (${reason})`}`,
    inSource(
      sql,
      'as a superuser, or as the owner of the tables; or correct publication.init_sql, which capture runs again within half a minute',
    ),
  );
