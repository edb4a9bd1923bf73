/** The publication: does it let all changes through, and none of our own tables? */
import { quoteIdentifier } from '../model/quote.ts';
import { type Finding, fault, inSource, repairText, warning } from './finding.ts';
import { resyncing } from './resyncing.ts';

export interface PublicationFacts {
  oid: number;
  name: string;
  allTables: boolean;
  /** Tables of our own schemas are in it. */
  publishesOurs: boolean;
  /** The schemas of ours among those whose tables it lists all. */
  ourSchemas: readonly string[];
  /** Those of our tables that it lists by name, as SQL writes them. */
  ourTables: readonly string[];
  /** Publishes inserts, updates and deletes. */
  complete: boolean;
  /** And truncates. */
  truncates: boolean;
  /** Publishes updates or deletes: Postgres refuses those of a table without a replica identity. */
  publishesOld: boolean;
  /** It is the list of tables whose changes triggers note: what it publishes, nobody reads. */
  byTriggers?: boolean;
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
  { version, isOurs, byTriggers = false }: { version: number; isOurs: boolean; byTriggers?: boolean },
): PublicationFacts => ({
  ...{ oid: 0, name, allTables: false, publishesOurs: false, ourSchemas: [], ourTables: [], viaRoot: true },
  ...{ complete: !byTriggers, truncates: !byTriggers, publishesOld: !byTriggers, byTriggers },
  ...{ knowsGenerated: version >= 180000, generated: version >= 180000 ? 's' : 'n', ours: isOurs },
});

/** The comment of one that we made, and keep up. */
export const OURS = 'kept by millrace';

type Made = Pick<PublicationFacts, 'name' | 'byTriggers' | 'knowsGenerated'>;

/** `list`: of which tables, as SQL; empty: of none yet. */
export function publicationCreation({ name, byTriggers = false, knowsGenerated }: Made, list = ''): string {
  const tables = list === '' ? '' : ` for table ${list}`;
  // Without them a table with generated columns and replica identity full could not be updated any more.
  const generated = knowsGenerated ? ', publish_generated_columns = stored' : '';
  const inserts = byTriggers ? "publish = 'insert', " : '';
  return `create publication ${quoteIdentifier(name)}${tables} with (${inserts}publish_via_partition_root = true${generated})`;
}

/** Says whose it is. */
export const publicationComment = (name: string): string =>
  `comment on publication ${quoteIdentifier(name)} is '${OURS}'`;

/** What makes one that is only planned as capture would, for statements that need it; nothing of one that is there. */
export function plannedFirst(publication: PublicationFacts): string {
  if (publication.oid !== 0) return '';
  const comment = publication.ours ? `${publicationComment(publication.name)}; ` : '';
  return `${publicationCreation(publication)}; ${comment}`;
}

function withoutOurs({ name, ourSchemas, ourTables }: PublicationFacts): string {
  const lists = [
    ...(ourSchemas.length === 0 ? [] : [`tables in schema ${ourSchemas.join(', ')}`]),
    ...(ourTables.length === 0 ? [] : [`table ${ourTables.map((table) => `only ${table}`).join(', ')}`]),
  ];
  return lists.map((list) => `alter publication ${quoteIdentifier(name)} drop ${list}`).join('; ');
}

/** `database`: as millrace.yaml names it. */
export function checkPublication(publication: PublicationFacts, database: string): Finding[] {
  const { name } = publication;
  const alter = `alter publication ${quoteIdentifier(name)}`;
  const found: Finding[] = [];
  if (!publication.complete && !publication.byTriggers)
    found.push(
      fault(
        'publication_incomplete',
        publication.publishesOld
          ? `publication ${name} leaves out inserts, updates or deletes`
          : `publication ${name} leaves out inserts, updates or deletes; once it publishes them, those of a table in it that has no replica identity fail`,
        inSource(`${alter} set (publish = 'insert, update, delete, truncate')`),
      ),
    );
  if (publication.complete && !publication.truncates && !publication.byTriggers)
    found.push(
      warning(
        'publication_truncates',
        `publication ${name} leaves out truncates: nobody is told when a table is emptied by one`,
        inSource(`${alter} set (publish = 'insert, update, delete, truncate')`),
      ),
    );
  // One that publishes inserts alone keeps nobody from deleting, and triggers are never made on our tables.
  if (publication.publishesOurs && (publication.publishesOld || !publication.byTriggers))
    found.push(
      fault(
        'publishes_messages',
        `publication ${name} lists our own tables: messages would be published too, and could not be deleted any more`,
        publication.allTables
          ? inSource(
              `drop publication ${quoteIdentifier(name)}`,
              `it is made again, of the tables that are wanted; then, in the message database: ${repairText(resyncing(database))}`,
            )
          : inSource(withoutOurs(publication)),
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

/** Our role may not make it; `sql` makes it. */
export function publicationRefused(
  { role, database, why }: { role: string; database: string; why: string },
  sql: string,
): Finding {
  const grant = `grant create on database ${quoteIdentifier(database)} to ${quoteIdentifier(role)}`;
  const repair = inSource(sql, `as a superuser; or, if the role owns the tables: ${grant}`);
  return fault('publication_missing', `role ${role} may not make the publication: ${why}`, repair);
}

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
