/** Why the rows of a table have no key in its messages, and what to do. */
import { quoteTable } from '../model/quote.ts';

/** `hidden`: columns of its primary key that the messages do not have. Words that follow the table's name. */
export function noKey(
  table: { schema: string; name: string },
  hidden: readonly string[],
): { why: string; remedy: string } {
  if (hidden.length === 0)
    return { why: 'has no primary key', remedy: `alter table ${quoteTable(table)} add primary key (...)` };
  return {
    why: `has a primary key with ${hidden.join(', ')}, which its messages do not have`,
    remedy:
      'Publish every column of the primary key: a list of columns must name them all, and for a generated one the notice generated_left_out says what to do. Or make a primary key of other columns.',
  };
}
