/** A sink as forms edit it: its entry of the file. What is empty is the default. */

import { nameFrom } from '../../../lib/name.ts';
import { ACTIONS, type ColumnFilter, filled, type Inner } from '../../../parts/form/values.ts';
import { FIRST_KIND, kindOfType, newDestination } from '../kinds.ts';

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

export const newEntry = (): SinkEntry => ({
  ...{ name: '', database: '', status: 'active', source: { include_tables: [] }, actions: [...ACTIONS], filters: [] },
  ...{ filter: 'none', transform: 'none', routing: 'none', message_grouping: true, tables: [], annotations: {} },
  ...{ max_retry_count: null, initial_backfill: true, destination: newDestination(FIRST_KIND) },
});

/** What is sent to make it. */
export function bodyOf(entry: SinkEntry): Inner {
  const { source, initial_backfill, actions, ...rest } = entry;
  const { include_tables, ...other } = source;
  return {
    ...filled({ ...rest, source: other }),
    // None chosen is not all: the API says so by its field.
    actions,
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

/** `products-index`, `orders-worker`. */
export function proposedName({ source, destination, database }: SinkEntry): string {
  const table = source.include_tables?.length === 1 ? source.include_tables[0] : undefined;
  const base = table?.slice(table.indexOf('.') + 1) ?? database;
  return nameFrom(base) === '' ? '' : nameFrom(base, `-${kindOfType(destination.type).suffix}`);
}
