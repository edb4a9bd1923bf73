import { plainFilter } from '../../../parts/form/values.ts';
import { newEntry, SECRETS, type SinkEntry } from '../form/entry.ts';
import type { Sink } from '../use-sink.ts';

/** What its kind lets one set, as the entry of the file has it. */
type Given = Partial<
  Pick<SinkEntry, 'actions' | 'filters' | 'filter_leave' | 'tables' | 'message_grouping' | 'source'>
>;

/** A sink's keys that are settings. A credential that is one text is left empty: that keeps it. */
export function entryOf(sink: Sink): SinkEntry {
  const { name, database, status, filter, transform, routing, max_retry_count = null, annotations = {} } = sink;
  const given = sink as Given;
  const { auth_value: _hidden, ...destination } = sink.destination;
  return {
    ...newEntry(),
    ...{ name, database, status, filter, transform, routing, max_retry_count, annotations },
    actions: given.actions ?? [],
    filters: (given.filters ?? []).map(plainFilter),
    filter_leave: given.filter_leave ?? null,
    tables: given.tables ?? [],
    message_grouping: given.message_grouping ?? true,
    source: {
      include_tables: null,
      include_schemas: null,
      exclude_schemas: null,
      exclude_tables: null,
      ...given.source,
    },
    destination: { ...destination, type: sink.destination.type },
    initial_backfill: false,
  };
}

/** What somebody has changed, with secrets as they are stored: those are hidden. */
export function withStoredSecrets(mine: SinkEntry, { destination }: SinkEntry): SinkEntry {
  const stored = Object.fromEntries(SECRETS.map((key) => [key, destination[key]]));
  return { ...mine, destination: { ...mine.destination, ...stored } };
}
