/** Why the changes of what looks like a table never come, and what to do instead. */
import type { NamedRelation } from '../model/published-table.ts';
import { type QuotedTable, quoteTable } from '../model/quote.ts';
import { byHand, type Finding, inSource, type Repair, warning } from './finding.ts';

export function neverCaptured(id: string, { kind, root, ...relation }: NamedRelation): Finding {
  const is = (summary: string, repair: Repair): Finding =>
    warning(id, `${relation.schema}.${relation.name} is ${summary}`, repair);
  const leaveOut = 'Take it out of include_tables.';
  switch (kind) {
    case 'unlogged':
      return is('unlogged: Postgres tells nobody of its changes', logging(relation));
    case 'partition':
      return is(
        `a partition of ${root}: its changes come under that name`,
        byHand(`Write ${root} into include_tables.`),
      );
    case 'foreign':
      return is(
        'a foreign table: its rows are in another database',
        byHand('Declare that database, and name its table in a sink of it.'),
      );
    case 'view':
    case 'matview':
      return is(
        `a ${kind === 'view' ? 'view' : 'materialized view'}: only tables have changes`,
        byHand('Name the tables that it reads instead.'),
      );
    case 'temporary':
      return is('a temporary table: Postgres tells nobody of its changes', byHand(leaveOut));
    case 'system':
      return is("a table of Postgres' own or of Millrace's own, which is never captured", byHand(leaveOut));
    case 'other':
      return is('not a table', byHand(leaveOut));
  }
}

export const logging = (table: QuotedTable): Repair =>
  inSource(`alter table ${quoteTable(table)} set logged`, 'its changes come from then on');
