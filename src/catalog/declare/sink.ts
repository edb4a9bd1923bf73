/**
 * `sinks:`. Older spellings (`table`, `schema`, `group_column_names`, `batch_size` beside the destination) are read into
 * the one shape that every other room knows.
 */
import { z } from 'zod';
import type { SinkSettings } from '../../model/declared.ts';
import type { Finding } from '../../model/finding.ts';
import { Annotations, Bool, Identifier, int, Name, TableName, Text } from '../../model/scalars.ts';
import { type Refusal, refusal, refuse, section, withRemedy } from '../../model/section.ts';
import type { SinkKind } from '../../sinks/contract.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import { Destination, sectionOf } from './destination.ts';
import { InitialBackfill, initialBackfillOf } from './initial-backfill.ts';
import { Actions, Filters, GroupedTables, Source } from './source.ts';

export interface SinkDeclared {
  kind: SinkKind;
  settings: SinkSettings;
  secret: string | null;
  /** Warnings, with paths from the entry on. */
  notes: Finding[];
}

export const Status = z.enum(['active', 'paused', 'disabled']).default('active');

/** Redeliveries; null without end. */
const RetryCount = int(0, 1_000_000).nullable().default(null);

/** A function's name; `none` and an empty key stand for no function. */
const FunctionRef = z
  .string()
  .nullable()
  .default(null)
  .transform((name) => (name === 'none' || name === '' ? null : name));

const under = (key: string): Refusal => ({
  message: 'is a key of `destination`',
  remedy: `Move it: \`destination.${key}\`.`,
});

const refused: Record<string, Refusal> = {
  enrichment: {
    message: 'Millrace has no enrichment functions',
    remedy: 'Read what a message lacks in your consumer, or write it into the row.',
  },
  column_filters: { message: 'has another name here', remedy: 'Use `filters`.' },
  max_deliver: {
    message: 'has another name here',
    remedy: 'Use `max_retry_count`, the number of redeliveries, one less.',
  },
  ack_wait_ms: { message: 'has another name here', remedy: 'Use `destination.visibility_timeout_ms`.' },
  max_ack_pending: under('max_ack_pending'),
  max_waiting: under('max_waiting'),
  visibility_timeout_ms: under('visibility_timeout_ms'),
};

const shape = {
  name: Name,
  database: Text,
  status: Status,
  source: Source.optional(),
  table: TableName.optional(),
  schema: Identifier.optional(),
  actions: Actions,
  filters: Filters,
  filter_leave: z.enum(['delete', 'keep']).optional(),
  filter: FunctionRef,
  transform: FunctionRef,
  routing: FunctionRef,
  message_grouping: Bool.default(true),
  tables: GroupedTables.default([]),
  group_column_names: z
    .array(Identifier)
    .min(1, withRemedy('must name at least one column', 'Name some, or remove the key.'))
    .optional(),
  annotations: Annotations.default({}),
  max_retry_count: RetryCount,
  batch_size: int(1, 10_000).optional(),
  timestamp_format: z
    .string()
    .refine((format) => format === 'iso8601', refusal('Millrace writes ISO 8601 only', 'Write iso8601, or remove it.'))
    .optional(),
  initial_backfill: InitialBackfill.optional(),
  destination: Destination,
};

type Input = z.output<z.ZodObject<typeof shape>>;

/** One entry of `sinks:`. */
export const DeclaredSink = z.preprocess(withBatchSize, section('sinks[]', shape, refused)).transform(declared);

function declared(input: Input, context: z.core.$RefinementCtx): SinkDeclared {
  const source = sourceOf(input, context);
  const { settings: destination, secret, notes = [] } = input.destination;
  const kind = kindNamed(destination.type)!;
  const { replaces } = kind.traits;
  if (!replaces && input.filter_leave === 'delete') {
    const remedy = 'Remove it: only a search index deletes what leaves the filters.';
    refuse(context, ['filter_leave'], { message: 'is for search indexes', remedy });
  }
  const tables = tablesOf(input, source.include_tables, context);
  if (!input.message_grouping && tables.length > 0) {
    const at = input.group_column_names === undefined ? 'tables' : 'group_column_names';
    const remedy = 'Remove it, or set `message_grouping: true`.';
    refuse(context, [at], { message: 'has no effect with `message_grouping: false`', remedy });
  }
  return {
    kind,
    settings: {
      name: input.name,
      database: input.database,
      status: input.status,
      source,
      actions: input.actions,
      filters: input.filters,
      filter_leave: input.filter_leave ?? (replaces ? 'delete' : 'keep'),
      filter: input.filter,
      transform: input.transform,
      routing: input.routing,
      message_grouping: input.message_grouping,
      tables,
      annotations: input.annotations,
      max_retry_count: input.max_retry_count,
      ...initialBackfillOf(
        { status: input.status, source, initial_backfill: input.initial_backfill ?? false },
        context,
      ),
      destination,
    },
    secret,
    notes: [...batchSizeNotes(input, kind), ...notes.map((note) => ({ ...note, path: ['destination', ...note.path] }))],
  };
}

function sourceOf(input: Input, context: z.core.$RefinementCtx): SinkSettings['source'] {
  const given = (['source', 'table', 'schema'] as const).filter((key) => input[key] !== undefined);
  for (const key of given.slice(1)) {
    refuse(context, [key], { message: `is given together with \`${given[0]}\``, remedy: 'Keep `source`.' });
  }
  const none = { include_schemas: null, exclude_schemas: null, include_tables: null, exclude_tables: null };
  if (input.table !== undefined) return { ...none, include_tables: [input.table] };
  if (input.schema !== undefined) return { ...none, include_schemas: [input.schema] };
  return input.source ?? none;
}

function tablesOf(input: Input, included: string[] | null, context: z.core.$RefinementCtx): SinkSettings['tables'] {
  if (input.group_column_names !== undefined) {
    if (input.table !== undefined) return [{ name: input.table, group_column_names: input.group_column_names }];
    const remedy = 'Write `tables: [{ name: public.orders, group_column_names: [customer_id] }]`.';
    refuse(context, ['group_column_names'], { message: 'names columns of no table', remedy });
  }
  const seen = new Set<string>();
  const known = included === null ? undefined : new Set(included);
  input.tables.forEach((table, index) => {
    if (seen.has(table.name)) {
      refuse(context, ['tables', index, 'name'], { message: 'is listed twice', remedy: 'Remove one of the two.' });
    }
    seen.add(table.name);
    if (known?.has(table.name) === false) {
      const remedy = 'Add the table to `source.include_tables`, or remove it here.';
      refuse(context, ['tables', index, 'name'], { message: 'is not a table of this sink', remedy });
    }
  });
  return input.tables.flatMap(({ name, group_column_names: names }) =>
    names === null || names.length === 0 ? [] : [{ name, group_column_names: names }],
  );
}

/** A `batch_size` beside a destination that has such a key is read as if it stood there. */
function withBatchSize(raw: unknown): unknown {
  if (!isObject(raw) || raw.batch_size === undefined || !isObject(raw.destination)) return raw;
  const kind = kindNamed(raw.destination.type);
  if (!kind || !hasBatchSize(kind) || raw.destination.batch_size !== undefined) return raw;
  return { ...raw, destination: { ...raw.destination, batch_size: raw.batch_size } };
}

/** Sequin's export has both, and the one of the destination counts there too. */
function batchSizeNotes({ batch_size: size, destination: { settings } }: Input, kind: SinkKind): Finding[] {
  if (size === undefined) return [];
  if (!hasBatchSize(kind)) {
    const remedy = kind.traits.receivable ? 'Remove it; each receive says how many it wants.' : 'Remove it.';
    return [{ path: ['batch_size'], message: `has no effect on ${kind.title}`, remedy }];
  }
  if (!('batch_size' in settings) || settings.batch_size === size) return [];
  const message = 'has no effect beside `destination.batch_size`';
  return [{ path: ['batch_size'], message, remedy: 'Keep the one under `destination`.' }];
}

const hasBatchSize = (kind: SinkKind): boolean => Object.hasOwn(sectionOf(kind).keys, 'batch_size');

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
