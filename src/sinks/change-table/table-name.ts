/**
 * The user's table in a statement. Names are always quoted by us, so that mixed case, blanks and quotes in them work and
 * nothing in them is ever read as SQL. A prepared statement's name carries the table: one connection serves many.
 */
import { createHash } from 'node:crypto';
import type { Statement } from '../../db/statement.ts';
import { type QuotedTable, quoteIdentifier, quoteTable } from '../../model/quote.ts';

/** Where a retention in another database keeps how far it wrote: beside its change table. */
export const PROGRESS_TABLE = 'millrace_progress';

/** The statement with the table's name in place of `<event_table>`, and those of its indexes and its neighbour in place of theirs. */
export function onTable(template: Statement, table: QuotedTable): Statement {
  const names: Record<string, string> = {
    '<event_table>': quoteTable(table),
    '<event_index>': quoteIdentifier(indexName(table.name, 'committed_at')),
    '<seq_index>': quoteIdentifier(indexName(table.name, 'seq')),
    '<progress_table>': quoteTable({ schema: table.schema, name: PROGRESS_TABLE }),
  };
  const digest = createHash('sha256').update(quoteTable(table)).digest('hex').slice(0, 16);
  return {
    name: `${template.name}:${digest}`,
    text: template.text.replace(
      /<(event_table|event_index|seq_index|progress_table)>/g,
      (place) => names[place] ?? place,
    ),
  };
}

/** Postgres cuts names at 63 bytes; cut here, so that two long names do not become one index. */
function indexName(table: string, column: string): string {
  const whole = `${table}_${column}_idx`;
  if (Buffer.byteLength(whole) <= 63) return whole;
  return `millrace_${createHash('sha256').update(table).digest('hex').slice(0, 16)}_${column}_idx`;
}
