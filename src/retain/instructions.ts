/** The SQL that the console and the command line show for making an event table by hand: the same that we run. */
import { statement } from '../db/statement.ts';
import { onTable, type TableName } from './table-name.ts';

const CREATE_TABLE = statement('retain/create-table');
const INDEX_TABLE = statement('retain/index-table');

export interface InstructionsRequest {
  table: TableName;
  /** `plain`: the table. `job`: and the index that our own retention job wants. */
  variant: 'plain' | 'job';
}

/** Statements to run in the destination database, each ended by a semicolon. */
export function instructions(request: InstructionsRequest): string {
  const statements = request.variant === 'job' ? [CREATE_TABLE, INDEX_TABLE] : [CREATE_TABLE];
  return statements.map((template) => `${onTable(template, request.table).text};\n`).join('\n');
}
