/**
 * The optional column `transaction_annotations jsonb` of a change table: who made a change, as the transaction said itself.
 * It is asked for with each batch, so that one that is added or dropped is taken up at once. In statements on change tables
 * it stands in comments that begin with a comma: without their marks, the column is filled or read.
 */
import { type QuotedTable, quoteTable } from '../model/quote.ts';
import type { Queryable } from './pool.ts';
import { type Statement, statement } from './statement.ts';

const TAKES_ANNOTATIONS = statement('db/takes-annotations');

/** Is the column there, and can it be filled? One round trip. */
export async function takesAnnotations(tx: Pick<Queryable, 'query'>, table: QuotedTable): Promise<boolean> {
  const { rows } = await tx.query<{ takes: boolean }>(TAKES_ANNOTATIONS, [quoteTable(table)]);
  return rows[0]?.takes === true;
}

/** The statement with the column. */
export function withAnnotations({ name, text }: Statement): Statement {
  return { name: `${name}+annotations`, text: text.replaceAll(/\/\*(, [^*]+)\*\//g, '$1') };
}
