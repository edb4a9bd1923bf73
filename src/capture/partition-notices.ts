/**
 * Partitions that were truncated, dropped, detached or attached: their rows go or come, and no message tells. Nor does one of what
 * was done to a partition that was detached for a while, as whoever loads many rows does. They are
 * compared with what they were at the check before, and said on the sinks of their table.
 *
 * Dies the process between the notice and what is remembered: it is said once more.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Publication } from '../source/publication.ts';
import { type NotedDatabase, noteOfTable } from './note-of-table.ts';
import { tablesWithRows } from './table-notices.ts';

const NOW = statement('capture/partitions');
const KNOWN = statement('capture/known-partitions');
const KNOW = statement('capture/know-partitions');

export interface Partition {
  root: number;
  oid: number;
  /** `schema.table` */
  name: string;
  file: number;
  /** What stays beside another file after a truncate, and nothing else; null: not known, or nothing tells. */
  beside: string | null;
  /** By which transactions it, and those that it lies below, were attached; null: not known. */
  links: string | null;
}

export interface PartitionNow extends Partition {
  /** As far as the catalog knows. */
  empty: boolean;
  /** It was a table of its own before. */
  attached: boolean;
  /** The transaction that made it has attached it: whoever prepares a partition without rows does that too. */
  attachedAtOnce: boolean;
}

export interface PartitionNote {
  code: 'truncated' | 'added_late' | 'changes_left_out';
  message: string;
}

/** Names in a message. */
const SHOWN = 5;

/** What happened to the partitions of one table, of which some were known before. */
function partitionNotes(table: string, known: readonly Partition[], now: readonly PartitionNow[]): PartitionNote[] {
  const before = new Map(known.map((part) => [part.oid, part]));
  const oids = new Set(now.map(({ oid }) => oid));
  const gone = known.filter(({ oid }) => !oids.has(oid));
  // It may have been filled again since.
  const emptied = now.filter(({ oid, file, beside, empty }) => {
    const former = before.get(oid);
    return former && former.file !== file && (empty || (beside !== null && former.beside === beside));
  });
  const come = now.filter(({ oid, attached }) => attached && !before.has(oid));
  const wasAway = ({ oid, links }: Partition): boolean => {
    const former = before.get(oid)?.links ?? null;
    return former !== null && former !== links;
  };
  const notes: PartitionNote[] = [];
  const note = (code: PartitionNote['code'], parts: readonly Partition[], what: (names: string) => string) => {
    if (parts.length === 0) return;
    const names = parts.slice(0, SHOWN).map(({ name }) => name);
    const more = parts.length > SHOWN ? ` and ${parts.length - SHOWN} more` : '';
    notes.push({ code, message: what(names.join(', ') + more) });
  };
  note(
    'truncated',
    [...gone, ...emptied],
    (names) =>
      `${names} of ${table} was dropped, detached or truncated: its rows are gone from the table, but no message tells so`,
  );
  note('added_late', come, (names) => `${names} was attached to ${table}: the rows that it held are not sent`);
  note(
    'changes_left_out',
    now.filter(wasAway),
    (names) =>
      `${names} was detached from ${table} and attached again: changes that were made of it meanwhile are missing`,
  );
  return notes;
}

/** Those that are new, were attached by the transaction that made them, and hold rows, count as attached. */
async function withLoaded(
  source: Database,
  known: readonly Partition[],
  now: readonly PartitionNow[],
): Promise<readonly PartitionNow[]> {
  const before = new Set(known.map(({ oid }) => oid));
  const asked = now.filter(({ oid, attached, attachedAtOnce }) => attachedAtOnce && !attached && !before.has(oid));
  if (known.length === 0 || asked.length === 0) return now;
  const held = await tablesWithRows(source, asked);
  return now.map((part) => (part.attachedAtOnce && held.has(part.oid) ? { ...part, attached: true } : part));
}

/** Says it on the sinks, and remembers how it is now. */
export async function notePartitions(
  deps: { source: Database; messages: Database },
  database: NotedDatabase,
  publication: Publication,
): Promise<void> {
  const roots = publication.tables.filter((table) => table.partitioned && table.published);
  const { rows: known } = await deps.messages.query<Partition>(KNOWN, [database.no]);
  if (roots.length === 0 && known.length === 0) return;
  const { rows } = await deps.source.query<PartitionNow>(NOW, [roots.map(({ oid }) => oid)]);
  const now = await withLoaded(deps.source, known, rows);
  for (const root of roots) {
    const before = known.filter((part) => part.root === root.oid);
    if (before.length === 0) continue;
    const of = now.filter((part) => part.root === root.oid);
    for (const one of partitionNotes(`${root.schema}.${root.name}`, before, of))
      await noteOfTable(deps, database, { table: root, ...one });
  }
  const column = <Key extends keyof Partition>(key: Key) => now.map((part) => part[key]);
  await deps.messages.query(KNOW, [
    database.no,
    column('root'),
    column('oid'),
    column('name'),
    column('file'),
    column('beside'),
    column('links'),
  ]);
}
