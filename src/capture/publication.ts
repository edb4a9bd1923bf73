/**
 * The publication: made when asked, of all tables of schema public that have a usable replica identity and that our role
 * may publish. A table without one would make the user's own updates fail (55000), so it is left out, with a notice.
 * One that we made is kept up with new tables; one that the user made, or wrote `init_sql` for, is left alone.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DatabaseSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';

const FACTS = statement('capture/publication-facts');
const TABLES = statement('capture/publishable-tables');
const OURS = 'kept by millrace';

export interface Publication {
  oid: number;
  name: string;
  /** Every table of the source that could be captured. */
  tables: SourceTable[];
}

export interface SourceTable {
  schema: string;
  name: string;
  mine: boolean;
  usable: boolean;
  published: boolean;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const full = (table: SourceTable): string => `${quoted(table.schema)}.${quoted(table.name)}`;

/** Makes or completes it. Throws `bad_source` with the SQL to run when it is missing and may not be made. */
export async function ensurePublication(source: Database, settings: DatabaseSettings): Promise<Publication> {
  const { name, create_if_not_exists: create, init_sql: initSql } = settings.publication;
  let facts = await read(source, name);
  const tables = (await source.query<SourceTable>(TABLES, [name])).rows;
  const wanted = tables.filter((table) => table.schema === 'public' && table.usable && table.mine);
  if (!facts) {
    const sql = initSql ?? creation(name, wanted);
    if (!create) {
      throw new MillraceError('bad_source', `publication ${name} does not exist`, {
        remedy: `${sql}; or set publication.create_if_not_exists`,
      });
    }
    await source.query(sql);
    if (initSql === null) await source.query(`comment on publication ${quoted(name)} is '${OURS}'`);
    facts = await read(source, name);
    if (!facts) {
      throw new MillraceError('bad_source', `publication.init_sql did not create publication ${name}`, {
        remedy: 'Let init_sql create the publication of this name.',
      });
    }
  } else if (facts.comment === OURS && !facts.all_tables) {
    const added = wanted.filter((table) => !table.published);
    if (added.length > 0)
      await source.query(`alter publication ${quoted(name)} add table ${added.map(full).join(', ')}`);
  }
  if (!facts.complete) {
    throw new MillraceError('bad_source', `publication ${name} leaves out inserts, updates or deletes`, {
      remedy: `alter publication ${quoted(name)} set (publish = 'insert, update, delete, truncate')`,
    });
  }
  return { oid: facts.oid, name, tables: (await source.query<SourceTable>(TABLES, [name])).rows };
}

async function read(source: Database, name: string) {
  const { rows } = await source.query<{ oid: number; all_tables: boolean; complete: boolean; comment: string | null }>(
    FACTS,
    [name],
  );
  return rows[0];
}

function creation(name: string, tables: readonly SourceTable[]): string {
  const list = tables.length === 0 ? '' : ` for table ${tables.map(full).join(', ')}`;
  return `create publication ${quoted(name)}${list} with (publish_via_partition_root = true)`;
}

/** Why changes of a table do not come, and what to do; undefined when they do. */
export function whyNotPublished(
  publication: Publication,
  table: SourceTable,
): { reason: string; remedy: string } | undefined {
  if (table.published) return undefined;
  const add = `alter publication ${quoted(publication.name)} add table ${full(table)}`;
  if (!table.usable)
    return {
      reason: 'it has no replica identity that covers its primary key: published, its updates would fail',
      remedy: `alter table ${full(table)} add primary key (...), or replica identity full; then ${add}`,
    };
  return { reason: 'the publication does not list it', remedy: add };
}
