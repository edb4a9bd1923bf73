/**
 * What a sink gets of a change, and which messages each of it must stay in order with: the one place where that is decided,
 * for changes of the stream, for rows that were read, and for entries of a change table that are replayed.
 *
 * Order per row holds always. By default a row's messages are one group, that of its key; a message that changes the key is
 * in two. With columns of the user's to group by, each message is in its row's group too: a row may go to another group by a
 * change that the sink does not take, or be deleted and come back there, and a delete may carry the key alone. Only columns of
 * the key need no other group.
 */
import type { DeclaredAction } from '../model/declared.ts';
import { passes } from './filter.ts';
import { groupKey, laneOf } from './group.ts';
import type { Route } from './match.ts';

/** A change as far as it matters here. Values by column index: text, null for NULL, undefined where it does not tell. */
export interface FannedRow {
  oid: number;
  action: DeclaredAction;
  /** Not a change but a row as it was read; `repair` also takes out of an index what does not pass the filters. */
  as?: 'read' | 'repair' | undefined;
  /** After the change, of a delete before it. Empty: the table has none; null: the change does not tell. */
  key: readonly string[] | null;
  /** Of an update that changed the key: the one before. */
  oldKey: readonly string[] | null;
  /** Of a delete the values before it. */
  now(index: number): string | null | undefined;
  /** Of an update. */
  before(index: number): string | null | undefined;
}

/** One message of a sink. */
export interface Part {
  /** Whose key it has: of a key change an index gets a delete of the old one too. */
  of: 'now' | 'before';
  /** As the change is, or a delete of the row. */
  form: 'change' | 'delete';
  key: readonly string[] | null;
  lane: number;
  groupKey: number | null;
  groupKey2: number | null;
}

/** In the order in which they are delivered; none when the sink does not take it. */
export function fanOut(route: Route, row: FannedRow): Part[] {
  const verdict = judge(route, row);
  if (verdict === 'skip') return [];
  const { key, oldKey } = row;
  const isRekeyed = oldKey !== null && oldKey.length > 0 && key !== null;
  if (route.traits.order === 'key') {
    const parts: Part[] = [];
    // The document of the old key goes, whatever becomes of the row.
    if (isRekeyed) parts.push(partOf(route, row, { of: 'before', form: 'delete', key: oldKey }));
    if (verdict === 'deliver') parts.push(partOf(route, row, { of: 'now', form: 'change', key }));
    else if (verdict === 'leave' && !isRekeyed) parts.push(partOf(route, row, { of: 'now', form: 'delete', key }));
    return parts;
  }
  return verdict === 'deliver' ? [partOf(route, row, { of: 'now', form: 'change', key })] : [];
}

/** `leave`: the update takes the row out of the filters, so its document goes; `keep`: it does, and its document stays. */
function judge(route: Route, row: FannedRow): 'deliver' | 'leave' | 'keep' | 'skip' {
  if (!row.as && !route.actions.has(row.action)) return 'skip';
  // The index may hold a row that left the filters and was kept.
  if (row.action === 'delete' && route.traits.replaces && !route.deleteOnLeave) return 'deliver';
  for (const filter of route.filters) {
    const text = row.now(filter.columnIndex);
    // What a delete does not carry cannot be judged, and is not lost.
    if (text === undefined || passes(filter, text)) continue;
    if (row.action !== 'update' && row.as !== 'repair') return 'skip';
    return route.deleteOnLeave ? 'leave' : 'keep';
  }
  return 'deliver';
}

function partOf(route: Route, row: FannedRow, part: Pick<Part, 'of' | 'form' | 'key'>): Part {
  const [group, group2] = groupsOf(route, row, part.key);
  return { ...part, lane: route.fixedLane ?? laneOf(group ?? 0, route.lanes), groupKey: group, groupKey2: group2 };
}

function groupsOf(route: Route, row: FannedRow, key: readonly string[] | null): [number | null, number | null] {
  if (route.groupColumns === undefined || key === null) return [null, null];
  const own = key.length > 0 ? groupKey(row.oid, key) : null;
  const ownBefore = route.traits.order === 'group' && row.oldKey?.length ? groupKey(row.oid, row.oldKey) : null;
  if (route.groupColumns.length === 0) return [own, apart(ownBefore, own)];
  const chosen = chosenGroup(row.oid, route.groupColumns, row.now);
  if (chosen === undefined) return [own, apart(ownBefore, own)];
  if (route.groupIsOfKey) {
    const before = row.action === 'update' ? chosenGroup(row.oid, route.groupColumns, row.before) : undefined;
    return [chosen, apart(before ?? null, chosen)];
  }
  if (ownBefore === null) return [chosen, apart(own, chosen)];
  // There is room for two. Where later messages carry the columns, these hold them back; else they are the row's, before and after.
  return route.identityIsFull ? [chosen, apart(ownBefore, chosen)] : [own, apart(ownBefore, own)];
}

const apart = (one: number | null, other: number | null): number | null => (one === other ? null : one);

function chosenGroup(oid: number, indexes: readonly number[], value: FannedRow['now']): number | undefined {
  const texts = indexes.map(value);
  return texts.includes(undefined)
    ? undefined
    : groupKey(
        oid,
        texts.map((text) => text ?? '\u0000'),
      );
}
