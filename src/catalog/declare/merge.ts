/**
 * PATCH and PUT of a thing: what the request names replaces what is there, and null takes it away, so that the default counts
 * (RFC 7396). Only some keys are merged themselves, one level deep: they are parts of a thing, of which a request changes one.
 */
import { type Entry, isObject } from './written.ts';

/** In the order in which they stand in the file. */
const PARTS: readonly string[] = ['slot', 'publication', 'destination', 'retention'];

/** Other spellings of keys that are stored: whoever writes one means what stands on the right. */
const SPELLINGS: Record<string, readonly string[]> = {
  url: ['hostname', 'port', 'database', 'username', 'password'],
  slot_name: ['slot'],
  publication_name: ['publication'],
  table: ['source'],
  schema: ['source'],
  group_column_names: ['tables'],
  batch_size: ['destination.batch_size'],
};

type IsDefault = (key: string, value: unknown) => boolean;

/**
 * `base` as it is written; the entry as it is wanted, for whoever reads entries of the file. Neither is changed. A key that is not
 * known stays with null too: it is a fault, and whoever reads the entry says so.
 */
export function merged(base: Entry, patch: Entry, isKnown: (key: string) => boolean = () => true): Entry {
  const isDefault: IsDefault = (key, value) => value === undefined || (value === null && isKnown(key));
  const kept = withoutSpelt(base, patch);
  const wanted = new Map(Object.entries(kept));
  for (const [key, value] of Object.entries(patch)) {
    const before = wanted.get(key);
    if (isDefault(key, value)) wanted.delete(key);
    else if (PARTS.includes(key) && isObject(value))
      wanted.set(key, replaced(isObject(before) ? before : {}, value, isDefault));
    else wanted.set(key, value);
  }
  return Object.fromEntries(wanted);
}

function replaced(before: Entry, patch: Entry, isDefault: IsDefault): Entry {
  const all = Object.entries({ ...before, ...patch });
  return Object.fromEntries(all.filter(([key, value]) => !isDefault(key, value)));
}

function withoutSpelt(base: Entry, patch: Entry): Entry {
  const meant = new Set(
    Object.entries(SPELLINGS).flatMap(([key, means]) =>
      (patch[key] ?? null) !== null && !Object.hasOwn(base, key) ? means : [],
    ),
  );
  if (meant.size === 0) return base;
  const left = Object.entries(base).flatMap(([key, value]) => {
    if (meant.has(key)) return [];
    const inner = isObject(value) ? Object.entries(value).filter(([name]) => !meant.has(`${key}.${name}`)) : undefined;
    return [[key, inner === undefined ? value : Object.fromEntries(inner)]];
  });
  return Object.fromEntries(left);
}
