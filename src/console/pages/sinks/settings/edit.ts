/** What somebody has changed of a sink, as a request says it; and the same on top of what somebody else has changed meanwhile. */
import { newEntry, type SinkEntry } from '../form/entry.ts';
import type { Sink } from '../use-sink.ts';

export type Patch = Record<string, unknown>;

/** What its kind lets one set, as the entry of the file has it. */
type Given = Partial<
  Pick<SinkEntry, 'actions' | 'filters' | 'filter_leave' | 'tables' | 'message_grouping' | 'source'>
>;

/** Its keys that are settings. A credential that is one text is left empty: that keeps it. */
export function entryOf(sink: Sink): SinkEntry {
  const { name, database, status, filter, transform, routing, max_retry_count = null, annotations = {} } = sink;
  const given = sink as Given;
  const { auth_value: _hidden, ...destination } = sink.destination;
  return {
    ...newEntry(),
    ...{ name, database, status, filter, transform, routing, max_retry_count, annotations },
    actions: given.actions ?? [],
    filters: given.filters ?? [],
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

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Null: the default. */
const wanted = (value: unknown): unknown => (value === '' || value === undefined ? null : value);

function changedKeys(before: Patch, after: Patch): Patch {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...keys].filter((key) => !isSame(wanted(before[key]), wanted(after[key]))).map((key) => [key, wanted(after[key])]),
  );
}

/** Never changed here: others have a button, or no way at all. */
const ELSEWHERE = ['status', 'database', 'initial_backfill', 'destination'];

export function patchOf(before: SinkEntry, after: SinkEntry): Patch {
  const all = changedKeys({ ...before }, { ...after });
  const own = Object.entries(all).filter(([key]) => !ELSEWHERE.includes(key));
  const destination = changedKeys(before.destination, after.destination);
  return {
    ...Object.fromEntries(own),
    ...(Object.keys(destination).length === 0 ? {} : { destination }),
  };
}

/** My changes on top of theirs. */
export function patched(theirs: SinkEntry, { destination, ...rest }: Patch): SinkEntry {
  return {
    ...theirs,
    ...rest,
    destination: { ...theirs.destination, ...(destination as object | undefined) },
  };
}
