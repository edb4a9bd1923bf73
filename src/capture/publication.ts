/**
 * The publication: made when asked, of all tables of schema public that have a usable replica identity and that our role
 * may publish. A table without one would make the user's own updates fail (55000), so it is left out, with a notice.
 * One that we made is kept up with new tables; one that the user made, or wrote `init_sql` for, is left alone.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DatabaseSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { fullName, isPublishable } from './table-checks.ts';

const FACTS = statement('capture/publication-facts');
const TABLES = statement('capture/source-tables');
const OURS = 'kept by millrace';

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
  /** Made by us, and kept up by us. */
  ours: boolean;
}

/** A table of the source that could be captured; names as the statement gives them. */
export interface SourceTable {
  oid: number;
  schema: string;
  name: string;
  partitioned: boolean;
  /** Our role owns it, so we may publish it. */
  mine: boolean;
  identity: 'default' | 'nothing' | 'full' | 'index';
  has_key: boolean;
  has_identity: boolean;
  covers_key: boolean;
  published: boolean;
  /** Published with a list of columns. */
  some_columns: boolean;
  virtual_columns: boolean;
  stored_columns: boolean;
  /** The list of columns leaves out one of the replica identity. */
  identity_unlisted: boolean;
}

export interface Publication extends PublicationFacts {
  tables: SourceTable[];
  /** Tables that were added just now, though the publication was there before: what they held is not sent. */
  added: SourceTable[];
  /** It was created just now. */
  created: boolean;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** Without the tables that inherit from it: each is listed for itself. */
const listOf = (tables: readonly SourceTable[]): string => tables.map((table) => `only ${fullName(table)}`).join(', ');
const wantedOf = (tables: readonly SourceTable[]): SourceTable[] =>
  tables.filter((table) => table.schema === 'public' && table.mine && isPublishable(table));

/** Undefined when it does not exist. */
export async function readPublication(
  source: Database,
  name: string,
  version: number,
): Promise<PublicationFacts | undefined> {
  const { rows } = await source.query<{
    oid: number;
    all_tables: boolean;
    publishes_ours: boolean;
    complete: boolean;
    via_root: boolean;
    generated: string;
    comment: string | null;
  }>(FACTS, [name]);
  const row = rows[0];
  return (
    row && {
      oid: row.oid,
      name,
      allTables: row.all_tables,
      publishesOurs: row.publishes_ours,
      complete: row.complete,
      viaRoot: row.via_root,
      knowsGenerated: version >= 180000,
      generated: row.generated,
      ours: row.comment === OURS && !row.all_tables,
    }
  );
}

/** Makes or completes it. Throws `bad_source` with the SQL to run when it is missing and may not be made. */
export async function ensurePublication(
  source: Database,
  settings: DatabaseSettings['publication'],
  version: number,
): Promise<Publication> {
  const facts = await readPublication(source, settings.name, version);
  const tables = await readTables(source, settings.name);
  if (!facts) return await create(source, settings, { version, tables });
  const added = facts.ours ? wantedOf(tables).filter((table) => !table.published) : [];
  if (added.length > 0) await source.query(`alter publication ${quoted(facts.name)} add table ${listOf(added)}`);
  return {
    ...facts,
    tables: added.length > 0 ? await readTables(source, settings.name) : tables,
    added,
    created: false,
  };
}

async function create(
  source: Database,
  settings: DatabaseSettings['publication'],
  at: { version: number; tables: readonly SourceTable[] },
): Promise<Publication> {
  const { name, create_if_not_exists: may, init_sql: initSql } = settings;
  const sql = initSql ?? creation(name, wantedOf(at.tables), at.version);
  if (!may) {
    throw new MillraceError('bad_source', `publication ${name} does not exist`, {
      remedy: `${sql}; or set publication.create_if_not_exists`,
    });
  }
  if (initSql === null) await source.query(sql);
  else await runAsWritten(source, initSql);
  if (initSql === null) await source.query(`comment on publication ${quoted(name)} is '${OURS}'`);
  const facts = await readPublication(source, name, at.version);
  if (!facts) {
    throw new MillraceError('bad_source', `publication.init_sql did not create publication ${name}`, {
      remedy: 'Let init_sql create the publication of this name.',
    });
  }
  return { ...facts, tables: await readTables(source, name), added: [], created: true };
}

/** SQL of the user's: under the role's own path, in a session that nobody uses afterwards, whatever it may set. */
async function runAsWritten(source: Database, sql: string): Promise<void> {
  await source.session(async (client) => {
    try {
      await client.query('set search_path to default');
      await client.query(sql);
    } finally {
      await client.end();
    }
  });
}

/** Every table that could be captured, and whether this publication lists it. */
export const readTables = async (source: Database, name: string): Promise<SourceTable[]> =>
  (await source.query<SourceTable>(TABLES, [name])).rows;

function creation(name: string, tables: readonly SourceTable[], version: number): string {
  const list = tables.length === 0 ? '' : ` for table ${listOf(tables)}`;
  // Without them a table with generated columns and replica identity full could not be updated any more.
  const generated = version >= 180000 ? ', publish_generated_columns = stored' : '';
  return `create publication ${quoted(name)}${list} with (publish_via_partition_root = true${generated})`;
}
