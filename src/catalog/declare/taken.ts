/**
 * Keys of a sequin.yaml that describe what Millrace does anyway, or what only its server knows: they are taken without
 * effect, some with a warning, so that a file of that system, or what it exports, can be applied as it is. What would mean
 * something that we do not do stays where it is, and is refused by name.
 */

import type { Finding } from '../../model/finding.ts';
import { canonicalJson } from '../../model/json-text.ts';
import type { Refusal } from '../../model/section.ts';

interface Taken {
  /** Is it without effect with this value? Absent: with any. */
  accepts?: (value: unknown) => boolean;
  warning?: Refusal;
}
type Keys = Record<string, Taken>;

const isNothing = (value: unknown): boolean => value === null || value === '' || value === 'none';
const isNull = (value: unknown): boolean => value === null;
const isFalse = (value: unknown): boolean => value === null || value === false || value === 'false';
const NULL: Taken = { accepts: isNull };
const ANY: Taken = {};

const SERVERS: Keys = { id: ANY, inserted_at: ANY, updated_at: ANY, account_id: ANY };

/** By the list at the top of the file. `publication.schemas`: within a mapping. */
const TAKEN: Record<string, Keys> = {
  databases: {
    ...SERVERS,
    tables: ANY,
    ipv6: ANY,
    use_local_tunnel: { accepts: isFalse },
    primary: NULL,
    annotations: NULL,
    queue_interval: ANY,
    queue_target: ANY,
    'publication.schemas': {
      warning: {
        message: 'has no effect: `init_sql` says what is published, and otherwise it is schema public',
        remedy: 'Remove it; `source.include_schemas` of a sink chooses among what is published.',
      },
    },
  },
  sinks: {
    ...SERVERS,
    enrichment: { accepts: isNothing },
    load_shedding_policy: {
      warning: {
        message: 'has no effect: messages wait in Postgres, and none is thrown away',
        remedy: 'Remove it; `status: disabled` keeps nothing.',
      },
    },
    consumer_start: {
      warning: {
        message: 'has no effect: a sink starts with the changes that follow its creation',
        remedy: 'Remove it; `initial_backfill: true` sends the rows that are there before.',
      },
    },
    active_backfill: ANY,
    active_backfills: ANY,
    message_kind: ANY,
    health: ANY,
    replication_slot_id: ANY,
    sequence_id: ANY,
    source: NULL,
    tables: NULL,
    table: NULL,
    schema: NULL,
    group_column_names: NULL,
    annotations: NULL,
    batch_size: NULL,
    timestamp_format: NULL,
  },
  functions: SERVERS,
  transforms: SERVERS,
  change_retentions: SERVERS,
  http_endpoints: SERVERS,
  api_tokens: SERVERS,
  users: { ...SERVERS, account: ANY },
};

/** Every key that is taken, for whoever describes the file. */
export const takenKeys: string[] = [...new Set(Object.values(TAKEN).flatMap((keys) => Object.keys(keys)))];

/** The declaration without what is taken. What was written is not changed. */
export function withoutTaken(raw: unknown): { raw: unknown; warnings: Finding[] } {
  if (!isObject(raw)) return { raw, warnings: [] };
  const warnings: Finding[] = [];
  const templates = templatesOf(raw);
  const top = Object.entries(raw).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('x-') || templates.has(key)) return [];
    const keys = Object.hasOwn(TAKEN, key) ? TAKEN[key] : undefined;
    if (key === 'account' && isObject(value)) return [[key, withoutKeys(value, SERVERS).item]];
    if (!keys || !Array.isArray(value)) return [[key, value]];
    const list = value.map((item: unknown, index) => {
      if (!isObject(item)) return item;
      const found = withoutKeys(item, keys);
      for (const warning of [...found.warnings, ...(key === 'databases' ? verifies(item) : [])])
        warnings.push({ ...warning, path: [key, index, ...warning.path] });
      return found.item;
    });
    return [[key, list]];
  });
  return { raw: Object.fromEntries(top), warnings };
}

type Item = Record<string, unknown>;

function withoutKeys(item: Item, keys: Keys): { item: Item; warnings: Finding[] } {
  const warnings: Finding[] = [];
  const left = Object.entries(item).flatMap(([key, value]): [string, unknown][] => {
    const taken = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (taken && (taken.accepts?.(value) ?? true)) {
      if (taken.warning) warnings.push({ path: [key], ...taken.warning, onKey: true });
      return [];
    }
    if (!isObject(value)) return [[key, value]];
    const inner = Object.entries(keys).flatMap(([name, one]): [string, Taken][] =>
      name.startsWith(`${key}.`) ? [[name.slice(key.length + 1), one]] : [],
    );
    if (inner.length === 0) return [[key, value]];
    const found = withoutKeys(value, Object.fromEntries(inner));
    for (const warning of found.warnings) warnings.push({ ...warning, path: [key, ...warning.path] });
    return [[key, found.item]];
  });
  return { item: Object.fromEntries(left), warnings };
}

/** `ssl: true` of a database in that system's words means less there. */
function verifies(database: Item): Finding[] {
  const isTheirs = [...Object.keys(TAKEN.databases!), 'slot_name', 'publication_name'].some((key) =>
    Object.hasOwn(database, key),
  );
  if (!isTheirs || (database.ssl !== true && database.ssl !== 'true')) return [];
  const message = "verifies the server's certificate, which Sequin does not";
  const remedy = 'Give its authority as `ssl: { ca }`, or write `ssl: { verify: false }` to verify nothing.';
  return [{ path: ['ssl'], message, remedy }];
}

/**
 * Mappings beside the sections that only hold anchors: each of their pairs stands in some entry too. A section whose name
 * was misspelt is none.
 */
function templatesOf(raw: Item): Set<string> {
  const mappings = Object.entries(raw).filter(([key, value]) => isObject(value) && !SECTIONS.has(key));
  if (mappings.length === 0) return new Set();
  const used = new Set<string>();
  const see = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(see);
    if (!isObject(value)) return;
    for (const pair of pairsOf(value)) used.add(pair);
    Object.values(value).forEach(see);
  };
  for (const key of SECTIONS) see(raw[key]);
  const isTemplate = ([, value]: [string, unknown]): boolean =>
    isObject(value) && Object.keys(value).length > 0 && pairsOf(value).every((pair) => used.has(pair));
  return new Set(mappings.filter(isTemplate).map(([key]) => key));
}

const SECTIONS = new Set([...Object.keys(TAKEN), 'account']);

const pairsOf = (value: Item): string[] =>
  Object.entries(value).map(([key, inner]) => canonicalJson(JSON.stringify([key, inner ?? null])));

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
