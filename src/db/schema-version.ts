/**
 * Which schema of the message database this release is made for. It is a higher one as soon as test/schema.sql differs from
 * that of the release before; `serves` follows where a release takes something away that an older one still uses.
 */
import { MillraceError } from '../model/errors.ts';
import { UTF8_DATABASE } from '../model/remedies.ts';
import { isMissingTable } from '../model/sqlstate.ts';
import type { Queryable } from './pool.ts';
import { statement } from './statement.ts';

export interface SchemaVersion {
  version: number;
  /** The oldest version whose releases can go on working with this one. */
  serves: number;
}

export const SCHEMA: SchemaVersion = { version: 6, serves: 4 };

const READ = statement('db/schema-state');

/** The version of the message database; undefined: there is no schema yet. Throws when the database cannot be reached. */
export async function readSchemaVersion(db: Queryable): Promise<SchemaVersion | undefined> {
  try {
    return (await db.query<SchemaVersion>(READ)).rows[0];
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/** Why this release cannot work with the message database, and what to do; undefined: it can. Throws when that is away. */
export async function readSchemaFault(db: Queryable): Promise<MillraceError | undefined> {
  return schemaFault(await readSchemaVersion(db));
}

/** Why a release that needs `ours` cannot work with what is stored, and what to do; undefined: it can. */
export function schemaFault(
  stored: SchemaVersion | undefined,
  ours: SchemaVersion = SCHEMA,
): MillraceError | undefined {
  const migrate = 'Run `bin/millrace migrate`, or `bin/millrace start`, which does.';
  if (stored === undefined)
    return new MillraceError('unavailable', 'The schema of the message database is missing', { remedy: migrate });
  if (stored.version < ours.version)
    return new MillraceError(
      'unavailable',
      `The message database has schema version ${stored.version}, and this release needs ${ours.version}`,
      { remedy: migrate },
    );
  if (stored.serves > ours.version)
    return new MillraceError(
      'unavailable',
      `The message database has schema version ${stored.version}, which works with releases of version ${stored.serves} ` +
        `and later, and this release is of ${ours.version}`,
      { remedy: 'Run the release that migrated it, or a later one.' },
    );
  return undefined;
}

/** The database is one that no release has made. */
export function unreleased(): MillraceError {
  return new MillraceError(
    'bad_setting',
    'DATABASE_URL: this database was made by a version of Millrace that was never released, and no release can upgrade it',
    {
      remedy:
        'Use an empty database, or drop the schemas millrace, millrace_private and millrace_jobs of this one; of the ' +
        'playground, remove the folder .millrace. Replication slots that were made for it must be dropped at their sources.',
    },
  );
}

/** The database cannot keep every character, and the first row with another one would stop its capture. */
export function notUtf8(encoding: string): MillraceError {
  return new MillraceError('bad_setting', `DATABASE_URL: the database's encoding is ${encoding}, not UTF8`, {
    remedy: UTF8_DATABASE,
  });
}
