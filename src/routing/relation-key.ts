/**
 * The key of a table as it was when its changes were made: a backlog outlives a key that was renamed, dropped or made anew.
 * The Relation message says which columns were in the replica identity, the catalog what the key is now and in which order,
 * and what was known before tells the rest.
 */
import type { RelationMessage } from '../codec/row-message.ts';

export interface TableNow {
  /** In their order; undefined when the table is gone. */
  columns: readonly { number: number; name: string; typeOid: number; generated: boolean }[] | undefined;
  /** Its primary key, in key order. */
  key: readonly string[];
  /** The key when its changes last came, by the names of then. */
  known: readonly string[] | null;
}

/** Names now, by the names in the message: the columns that are certainly the same, renamed or not. */
export function namesNow(message: RelationMessage, now: TableNow): Map<string, string> {
  const former = new Set(message.columns.map(({ name }) => name));
  // Generated columns come only where they are published.
  const columns = (now.columns ?? []).filter(({ name, generated }) => !generated || former.has(name));
  const present = new Set(columns.map(({ name }) => name));
  const names = new Map<string, string>();
  // Columns keep their places, and new ones come behind, until one is dropped.
  const isAligned = message.columns.every(({ name, typeOid }, place) => {
    const there = columns[place];
    if (there === undefined) return false;
    return there.name === name || (there.typeOid === typeOid && !present.has(name) && !former.has(there.name));
  });
  for (const [place, { name }] of message.columns.entries()) {
    const there = isAligned ? columns[place]!.name : name;
    if (present.has(there)) names.set(name, there);
  }
  return names;
}

/** Generated columns of the key of now that the message does not have. */
export function hiddenOf(message: RelationMessage, now: TableNow): string[] {
  const present = new Set(namesNow(message, now).values());
  const generated = (now.columns ?? []).filter((column) => column.generated).map(({ name }) => name);
  return now.key.filter((name) => generated.includes(name) && !present.has(name));
}

/** Key columns by their names in the message, in key order; empty for none. */
export function keyThen(message: RelationMessage, now: TableNow): readonly string[] {
  // What is left of such a key does not tell one row from another.
  if (hiddenOf(message, now).length > 0) return [];
  const then = new Map([...namesNow(message, now)].map(([former, present]) => [present, former]));
  const present = now.key.map((name) => then.get(name));
  const key = present.length > 0 && !present.includes(undefined) ? present.map((name) => name ?? '') : undefined;
  const has = (names: readonly string[] | null | undefined, among: readonly string[]): names is readonly string[] =>
    names !== undefined && names !== null && names.length > 0 && names.every((name) => among.includes(name));
  const all = message.columns.map(({ name }) => name);
  const isTold = message.columns.some((column) => column.primary);
  const inKey = message.columns.filter((column) => (isTold ? column.primary : column.key));
  const flagged = inKey.map(({ name }) => name);
  if ((message.identity === 'default' || isTold) && flagged.length > 0) {
    // The identity was the key, or the key is told.
    for (const one of [key, now.known]) if (has(one, flagged) && one.length === flagged.length) return one;
    return flagged;
  }
  // A delete may still not carry it: that is told message by message.
  if (has(key, all)) return key;
  const isLost = now.columns === undefined || (now.key.length > 0 && key === undefined);
  return isLost && has(now.known, all) ? now.known : [];
}
