/** Whose row a document could be, from its `_id` alone. What the source then finds is compared with the `_id` again. */

import { keyOfJoined } from '../model/joined-key.ts';
import type { TableDescription } from '../source/describe-table.ts';

/** The key of this table that has the `_id`, if any can have it. */
export function keyOf(table: Pick<TableDescription, 'keys'>, id: string): string[] | undefined {
  return keyOfJoined(id, table.keys.length);
}
