/** What a change table has beside it: the index by which its entries are read, and how far a retention of another database has written. */
import { type QuotedTable, quoteIdentifier, quoteLiteral, quoteTable } from '../model/quote.ts';
import { byHand, type Finding, fault, inDestination, notice, warning } from './finding.ts';

/** As the statement gives it. */
export interface SeqIndexFacts {
  oid: number;
  is_partitioned: boolean;
  is_there: boolean;
  /** Somebody makes an index of the table right now, of whichever columns. */
  is_being_made: boolean;
  /** Our role may read entries. */
  may_read: boolean;
  /** Indexes, quoted, that an attempt has left and that are of no use. */
  leftovers: string[];
  /** Of a partitioned table. `is_plain`: it has rows itself. */
  partitions: { oid: number; schema: string; name: string; is_plain: boolean }[];
}

/** Without it entries in their order are found by sorting all of them. */
export function checkSeqIndex(table: QuotedTable, facts: SeqIndexFacts): Finding[] {
  if (facts.is_there) return [];
  if (facts.is_being_made)
    return [
      notice(
        'no_seq_index',
        `${quoteTable(table)} has no index on (seq, id) yet, and an index of it is being made right now`,
        byHand('Ask again when that is done.'),
      ),
    ];
  const summary = `${quoteTable(table)} has no index on (seq, id): its entries are sorted to be read in order, which takes longer than they are waited for when there are many`;
  return [warning('no_seq_index', summary, inDestination(indexing(table, facts)))];
}

/** No writer waits for it but where a partition is partitioned itself. */
function indexing(table: QuotedTable, { oid, is_partitioned, leftovers, partitions }: SeqIndexFacts): string {
  const columns = '(seq, id)';
  const concurrently = is_partitioned ? '' : ' concurrently';
  const drops = leftovers.map((index) => `drop index${concurrently} if exists ${index}`);
  if (!is_partitioned) return [...drops, `create index concurrently on ${quoteTable(table)} ${columns}`].join('; ');
  if (!partitions.every(({ is_plain }) => is_plain))
    return [...drops, `create index on ${quoteTable(table)} ${columns}`].join('; ');
  const whole = nameOf(oid);
  return [
    ...drops,
    `create index ${whole} on only ${quoteTable(table)} ${columns}`,
    ...partitions.flatMap((one) => [
      `create index concurrently ${nameOf(one.oid)} on ${quoteTable(one)} ${columns}`,
      `alter index ${quoteIdentifier(table.schema)}.${whole} attach partition ${quoteIdentifier(one.schema)}.${nameOf(one.oid)}`,
    ]),
  ].join('; ');
}

const nameOf = (oid: number): string => `millrace_${oid}_seq_idx`;

/** As the statement gives it. */
export interface ProgressTableFacts {
  role: string;
  /** With all of its columns. */
  isThere: boolean;
  /** The role may make it. */
  mayCreate: boolean;
  mayWrite: boolean;
}

export interface ProgressFacts {
  retentionId: string;
  /** Beside the change table. */
  progress: QuotedTable;
  at: ProgressTableFacts;
  /** What makes it. */
  creation: string;
  /** Of entries that are this retention's alone; undefined: that is not known. */
  entries?: EntryFacts | undefined;
}

/** As far as the retention has noted that it wrote, and as it did; 0 and null: nothing. */
export interface EntryFacts {
  /** Of the source. */
  databaseId: string;
  table: { schema: string; name: string };
  noted: number;
  written: number | null;
}

/** A batch is written once because what it wrote is noted with it: what the note lacks could be written again. */
export function checkProgress(table: QuotedTable, facts: ProgressFacts): Finding[] {
  const { at, creation, entries } = facts;
  const progress = quoteTable(facts.progress);
  const role = quoteIdentifier(at.role);
  const grant = `grant select, insert, update on ${progress} to ${role}`;
  if (!at.isThere && !at.mayCreate) {
    const summary = `${progress}, where it is noted what was written, is missing or lacks a column, and role ${role} may not make it`;
    return [fault('no_progress_table', summary, inDestination(`${creation}; ${grant}`, 'as the owner of the schema'))];
  }
  if (!at.isThere) return [];
  if (!at.mayWrite) return [fault('rights', `role ${role} may not write ${progress}`, inDestination(grant))];
  if (!entries || entries.written === null || entries.written <= entries.noted) return [];
  const summary = `${quoteTable(table)} has entries that ${progress} does not note: it is older than they are, and a batch that is repeated would write them again`;
  return [warning('progress_behind', summary, inDestination(noting(table, facts, entries)))];
}

/** More than a batch has; of those that were settled long ago nothing need be known. */
const NEWEST = 10_000;

function noting(table: QuotedTable, facts: ProgressFacts, { databaseId, table: kept, noted }: EntryFacts): string {
  const progress = quoteTable(facts.progress);
  return (
    `insert into ${progress} as p (retention, seq, written) ` +
    `select ${quoteLiteral(facts.retentionId)}, max(e.seq), array_agg(e.seq) from (select seq from ${quoteTable(table)} ` +
    `where source_database_id = ${quoteLiteral(databaseId)} and source_table_schema = ${quoteLiteral(kept.schema)} ` +
    `and source_table_name = ${quoteLiteral(kept.name)} and seq > ${noted} order by seq desc limit ${NEWEST}) e having count(*) > 0 ` +
    'on conflict (retention) do update set seq = greatest(p.seq, excluded.seq), written = p.written || excluded.written'
  );
}
