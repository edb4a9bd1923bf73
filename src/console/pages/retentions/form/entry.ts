/** A change retention as forms edit it: its entry of the file. What is empty is the default. */
import { nameFrom } from '../../../lib/name.ts';
import { ACTIONS, type ColumnFilter, filled, type Inner, plainFilter } from '../../../parts/form/values.ts';
import type { Retention } from '../use-retention.ts';

export interface Policy {
  by: string;
  keep: string;
  every?: string | null;
  interval?: string | null;
}

export interface RetentionEntry {
  name: string;
  status: string;
  source_database: string;
  source_table_schema: string;
  source_table_name: string;
  actions: string[];
  filters: ColumnFilter[];
  destination_database: string;
  destination_table_schema: string;
  destination_table_name: string;
  create_if_not_exists: boolean;
  /** Null: entries are kept for good. */
  retention: Policy | null;
}

export const newEntry = (): RetentionEntry => ({
  ...{ name: '', status: 'active', actions: [...ACTIONS], filters: [] },
  ...{ source_database: '', source_table_schema: 'public', source_table_name: '' },
  ...{ destination_database: '', destination_table_schema: 'public', destination_table_name: '' },
  ...{ create_if_not_exists: true, retention: null },
});

/** What is sent to make it. */
export const bodyOf = ({ actions, ...rest }: RetentionEntry): Inner => ({
  ...filled(rest),
  // None chosen is not all: the API says so by its field.
  actions,
});

/** With a name and a change table where nobody has written any: `orders-history`, `orders_events`. */
export function completed(entry: RetentionEntry): RetentionEntry {
  const { source_table_name: table } = entry;
  if (table === '') return entry;
  return {
    ...entry,
    name: entry.name || nameFrom(nameFrom(table) || 'table', '-history'),
    destination_table_name: entry.destination_table_name || `${table}_events`,
  };
}

/** What its kind lets one set, as the entry of the file has it. */
type Given = Partial<Pick<RetentionEntry, 'actions' | 'filters' | 'create_if_not_exists' | 'retention'>>;

/** A change retention's keys that are settings. */
export function entryOf(retention: Retention): RetentionEntry {
  const { name, status, source_database, source_table_schema, source_table_name } = retention;
  const { destination_database, destination_table_schema, destination_table_name } = retention;
  const given = retention as Given;
  return {
    ...{ name, status, source_database, source_table_schema, source_table_name },
    ...{ destination_database, destination_table_schema, destination_table_name },
    actions: given.actions ?? [...ACTIONS],
    filters: (given.filters ?? []).map(plainFilter),
    create_if_not_exists: given.create_if_not_exists ?? false,
    retention: given.retention ?? null,
  };
}
