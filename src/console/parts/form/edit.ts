/** What somebody has changed of an entry, as a request says it; and the same on top of what somebody else has changed meanwhile. */
import { isInner, valueAt, withValue } from './values.ts';

export type Patch = Record<string, unknown>;

/** Of these a request names only the keys that change. */
const PARTS: readonly string[] = ['destination', 'retention'];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Null: the default. */
const wanted = (value: unknown): unknown => (value === '' || value === undefined ? null : value);

/** Never changed by a form: others have a button, or no way at all. */
const ELSEWHERE: readonly string[] = ['status', 'database', 'source_database', 'initial_backfill'];

function changedKeys(before: Patch, after: Patch): Patch {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...keys].filter((key) => !isSame(wanted(before[key]), wanted(after[key]))).map((key) => [key, wanted(after[key])]),
  );
}

export function patchOf(before: object, after: object): Patch {
  const [old, next]: Patch[] = [{ ...before }, { ...after }];
  const changed = Object.entries(changedKeys(old!, next!)).filter(([key]) => !ELSEWHERE.includes(key));
  return Object.fromEntries(
    changed.flatMap(([key, value]) => {
      if (!PARTS.includes(key) || !isInner(value)) return [[key, value]];
      const part = changedKeys((old![key] ?? {}) as Patch, value);
      return Object.keys(part).length === 0 ? [] : [[key, part]];
    }),
  );
}

/** My changes on top of theirs. */
export function patched<Entry extends object>(theirs: Entry, patch: Patch): Entry {
  return Object.entries(patch).reduce((entry, [key, value]) => {
    const before = valueAt(entry, key);
    const isPart = PARTS.includes(key) && isInner(before) && isInner(value);
    return withValue(entry, key, isPart ? { ...before, ...value } : value);
  }, theirs);
}

export interface Difference {
  path: string;
  old?: unknown;
  new?: unknown;
}

/** What a patch changes, key by key. */
export function differencesOf(before: object, patch: Patch): Difference[] {
  return Object.entries(patch).flatMap(([path, value]) => {
    const old = valueAt(before, path);
    if (!PARTS.includes(path) || !isInner(old) || !isInner(value)) return [{ path, old, new: value }];
    return Object.entries(value).map(([key, one]) => ({ path: `${path}.${key}`, old: old[key], new: one }));
  });
}
