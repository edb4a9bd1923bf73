/** Tables whose rows our role may not read: backfills fail there, and large values that an update left unchanged do not come. */
import { type QuotedTable, quoteIdentifier, quoteTable } from '../model/quote.ts';
import { type Finding, inSource, warning } from './finding.ts';

/** Tables that a sink takes in, and `role` may not select from. */
export const checkReadable = (tables: readonly QuotedTable[], role: string): Finding[] =>
  tables.map((table) => ({
    ...warning(
      'no_select',
      `${table.schema}.${table.name}: role ${role} may not read its rows, so backfills of it fail, and large values that updates leave unchanged are missing`,
      inSource(
        `grant usage on schema ${quoteIdentifier(table.schema)} to ${quoteIdentifier(role)}; grant select on ${quoteTable(table)} to ${quoteIdentifier(role)}`,
      ),
    ),
    item: `${table.schema}.${table.name}`,
  }));
