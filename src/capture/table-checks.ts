/**
 * What is wrong with a table that is, or should be, published: decided from facts alone. Some faults break the user's own
 * statements (55000, 42P10), so such a table is never put into a publication of ours, and of another's it is said.
 * https://www.postgresql.org/docs/current/logical-replication-publication.html
 */
import type { PublicationFacts, SourceTable } from './publication.ts';

export interface TableFinding {
  code: 'not_published' | 'table_detached' | 'breaks_updates' | 'identity_misses_key' | 'partitions_apart';
  message: string;
  remedy: string;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const fullName = (table: SourceTable): string => `${quoted(table.schema)}.${quoted(table.name)}`;

/** May it be published by us? Neither its owner's updates would fail, nor would its changes lack their key. */
export function isPublishable(table: SourceTable): boolean {
  return table.covers_key && !(table.identity === 'full' && table.virtual_columns);
}

/** `detached`: it stands in place of a published table that was dropped. */
export function checkTable(
  publication: PublicationFacts,
  table: SourceTable,
  detached: boolean,
): TableFinding | undefined {
  const name = `${table.schema}.${table.name}`;
  const alter = `alter publication ${quoted(publication.name)}`;
  const add = `${alter} add table ${fullName(table)}`;
  if (!table.published) {
    if (!isPublishable(table))
      return { code: 'not_published', message: `${name}: ${whyNot(table)}`, remedy: `${mend(table)}; then ${add}` };
    if (detached)
      return {
        code: 'table_detached',
        message: `${name} was dropped and created again, and the publication does not list it: its changes do not come`,
        remedy: add,
      };
    return { code: 'not_published', message: `${name}: the publication does not list it`, remedy: add };
  }
  const breaks = (why: string, remedy: string): TableFinding => ({
    code: 'breaks_updates',
    message: `${name}: its own updates and deletes fail, because it is published and ${why}`,
    remedy,
  });
  if (!table.has_identity) return breaks('has no replica identity', mend(table));
  if (table.identity === 'full') {
    if (table.some_columns)
      return breaks(
        'its replica identity is full, with a list of columns',
        `${alter} drop table ${fullName(table)}; ${add}`,
      );
    if (table.virtual_columns)
      return breaks(
        'its replica identity, full, has virtual generated columns',
        `alter table ${fullName(table)} replica identity default`,
      );
    if (table.stored_columns && publication.knowsGenerated && publication.generated !== 's')
      return breaks(
        'its replica identity, full, has generated columns that are not published',
        `${alter} set (publish_generated_columns = stored)`,
      );
  } else if (table.identity_unlisted)
    return breaks(
      'the list of columns leaves out a column of its replica identity',
      `${alter} drop table ${fullName(table)}; ${add}`,
    );
  if (table.has_key && !table.covers_key)
    return {
      code: 'identity_misses_key',
      message: `${name}: its replica identity does not cover the primary key: deletes and key changes do not tell which row, and are parked`,
      remedy: `alter table ${fullName(table)} replica identity default`,
    };
  if (table.partitioned && !publication.viaRoot)
    return {
      code: 'partitions_apart',
      message: `${name}: its changes come under the names of its partitions`,
      remedy: `${alter} set (publish_via_partition_root = true)`,
    };
  return undefined;
}

function whyNot(table: SourceTable): string {
  if (table.identity === 'full')
    return 'published, its updates would fail: its replica identity, full, has virtual generated columns';
  if (!table.has_identity) return 'it has no replica identity: published, its updates would fail';
  return 'its replica identity does not cover its primary key';
}

function mend(table: SourceTable): string {
  const alter = `alter table ${fullName(table)}`;
  if (table.has_key) return `${alter} replica identity default`;
  return `${alter} add primary key (...), or ${alter} replica identity full`;
}
