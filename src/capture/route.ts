/** One sink's view of a change: whether it gets it, and which messages it must stay in order with. */

import type { Reread } from './codec-row.ts';
import type { RowMessage } from './decode.ts';
import { passes } from './filter.ts';
import { groupKey } from './group.ts';
import type { Route } from './match.ts';
import type { Change } from './pending.ts';
import type { LoadedRelation } from './relation.ts';

/** Does the sink get it, as it is, as a delete of what has left its filters, or not at all? */
export function judge(route: Route, change: Change, reread: Reread | undefined): 'deliver' | 'leave' | 'skip' {
  const { message, relation } = change;
  if (!change.as && !route.actions.has(message.tag)) return 'skip';
  // The index may hold a row that left the filters and was kept.
  if (message.tag === 'delete' && route.kind === 'search_index' && !route.deleteOnLeave) return 'deliver';
  for (const filter of route.filters) {
    const carried = relation.codec.text(message, filter.columnIndex);
    const read = reread?.get(filter.columnIndex);
    const text = carried === undefined ? asText(read) : carried;
    // What a delete does not carry cannot be judged, and is not lost.
    if (text === undefined || passes(filter, text)) continue;
    return (message.tag === 'update' || change.as === 'repair') && route.deleteOnLeave ? 'leave' : 'skip';
  }
  return 'deliver';
}

const asText = (read: string | Buffer | null | undefined): string | null | undefined =>
  typeof read === 'object' ? (read?.toString() ?? null) : read;

/** The groups that it belongs to in this sink: before and after a key change there are two. */
export function groupsOf(
  route: Route,
  { message, relation }: Change,
  row: { key: readonly string[] | null; key2?: readonly string[] },
): { key: number | null; key2: number | null } {
  const none = { key: null, key2: null };
  if (route.groupColumns === undefined || row.key === null) return none;
  if (route.groupColumns.length > 0) {
    const now = columnTexts(relation, message, route.groupColumns);
    if (now) {
      const before =
        message.tag === 'update' && message.old && message.oldKind === 'full'
          ? columnTexts(
              relation,
              { tag: 'delete', oid: message.oid, old: message.old, oldKind: 'full' },
              route.groupColumns,
            )
          : undefined;
      const key = groupKey(relation.oid, now);
      const key2 = before ? groupKey(relation.oid, before) : key;
      return { key, key2: key2 === key ? null : key2 };
    }
  }
  if (row.key.length === 0) return none;
  const key2 = row.key2 && route.kind === 'pull' ? groupKey(relation.oid, row.key2) : null;
  return { key: groupKey(relation.oid, row.key), key2 };
}

function columnTexts(relation: LoadedRelation, message: RowMessage, indexes: readonly number[]): string[] | undefined {
  const texts = indexes.map((index) => relation.codec.text(message, index));
  return texts.includes(undefined) ? undefined : texts.map((text) => text ?? '\u0000');
}
