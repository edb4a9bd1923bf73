/** A sink as forms edit it: its entry of the file. What is empty is the default. */

import { curlOf } from '../../../lib/curl.ts';
import type { Plain } from '../../../lib/yaml.ts';

export interface ColumnFilter {
  column_name: string;
  field_path?: string | null;
  operator: string;
  comparison_value?: unknown;
}

export interface PartialBackfill {
  table: string;
  type: 'partial';
  sort_column: string;
  start_position: string;
}

export interface Source {
  include_schemas?: string[] | null;
  exclude_schemas?: string[] | null;
  include_tables?: string[] | null;
  exclude_tables?: string[] | null;
}

export interface SinkEntry {
  name: string;
  database: string;
  status: string;
  source: Source;
  actions: string[];
  filters: ColumnFilter[];
  filter_leave?: string | null;
  /** Of functions the name, or `none`. */
  filter: string;
  transform: string;
  routing: string;
  message_grouping: boolean;
  tables: { name: string; group_column_names: string[] }[];
  annotations: Record<string, string>;
  max_retry_count: number | string | null;
  initial_backfill: boolean | PartialBackfill[];
  destination: { type: string; [key: string]: unknown };
}

export const ACTIONS = ['insert', 'update', 'delete'] as const;

export const newEntry = (): SinkEntry => ({
  ...{ name: '', database: '', status: 'active', source: { include_tables: [] }, actions: [...ACTIONS], filters: [] },
  ...{ filter: 'none', transform: 'none', routing: 'none', message_grouping: true, tables: [], annotations: {} },
  ...{ max_retry_count: null, initial_backfill: true, destination: { type: 'elasticsearch', auth_type: 'none' } },
});

type Inner = Record<string, unknown>;
const isInner = (value: unknown): value is Inner =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `destination.tls.verify` */
export function valueAt(entry: unknown, path: string): unknown {
  let value = entry;
  for (const key of path.split('.')) value = isInner(value) ? value[key] : undefined;
  return value;
}

/** Another entry, with this value there. */
export function withValue<Value>(entry: Value, path: string, value: unknown): Value {
  const [key = '', ...rest] = path.split('.');
  const before: Inner = isInner(entry) ? entry : {};
  const inner = rest.length === 0 ? value : withValue(before[key] ?? {}, rest.join('.'), value);
  return { ...before, [key]: inner } as Value;
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Without what is empty: the default counts. */
function filled(value: Inner): Inner {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (isNothing(one)) return [];
      const inner = isInner(one) ? filled(one) : one;
      const isEmpty = Array.isArray(inner) ? inner.length === 0 : isInner(inner) && Object.keys(inner).length === 0;
      return isEmpty ? [] : [[key, inner]];
    }),
  );
}

/** What is sent to make it. */
export function bodyOf(entry: SinkEntry): Inner {
  const { source, initial_backfill, ...rest } = entry;
  const { include_tables, ...other } = source;
  return {
    ...filled({ ...rest, source: other }),
    // None chosen is not all: the API says so by its field.
    ...(include_tables == null ? {} : { source: { ...filled({ ...other }), include_tables } }),
    ...(initial_backfill === false ? {} : { initial_backfill }),
    destination: filled(entry.destination),
  };
}

/** Keys of a destination whose values are secret. */
export const SECRETS: readonly string[] = ['auth_value', 'encrypted_headers', 'signing_secrets'];

export function withoutSecrets(entry: SinkEntry): SinkEntry {
  const destination = Object.entries(entry.destination).filter(([key]) => !SECRETS.includes(key));
  return { ...entry, destination: { ...Object.fromEntries(destination), type: entry.destination.type } };
}

const VARIABLE = '$SINK_SECRET';

/** What is sent to make it, a variable of the shell in the place of each secret. */
export function commandOf(entry: SinkEntry): string {
  const shown = { ...entry.destination };
  for (const key of SECRETS) if (!isNothing(shown[key])) shown[key] = hidden(shown[key]);
  const body = bodyOf({ ...entry, destination: shown });
  return curlOf('POST', '/api/sinks', body as Record<string, Plain>).replaceAll(VARIABLE, `'"${VARIABLE}"'`);
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  return isInner(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, VARIABLE])) : VARIABLE;
}

/** Digits are a number; what else was typed is sent as it is, so that the API can say what is wrong with it. */
export const figureOf = (text: string): number | string | null => {
  const plain = text.trim();
  if (plain === '') return null;
  return /^\d{1,15}$/.test(plain) ? Number(plain) : plain;
};

const SUFFIXES: Record<string, string> = { pull: 'worker', sequin_stream: 'worker', webhook: 'webhook' };

/** `products-index`, `orders-worker`. */
export function proposedName({ source, destination, database }: SinkEntry): string {
  const table = source.include_tables?.length === 1 ? source.include_tables[0] : undefined;
  const base = table?.slice(table.indexOf('.') + 1) ?? database;
  const plain = base
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? '' : `${plain}-${SUFFIXES[destination.type] ?? 'index'}`;
}
