/**
 * `change_retentions:`. A retention is a sink with one source table and a change table as its destination; it is read
 * into the same shape, so that everything that knows sinks knows retentions.
 */
import { Name, TablePart, Text } from '../../model/scalars.ts';
import { section } from '../../model/section.ts';
import { KINDS } from '../../sinks/kinds.ts';
import { sectionOf } from './destination.ts';
import { type SinkDeclared, Status } from './sink.ts';
import { Actions, Filters } from './source.ts';

const LIST = 'change_retentions';
const kind = KINDS.find(({ list }) => list?.key === LIST)!;
const own = sectionOf(kind);

/** One entry of `change_retentions:`. */
export const DeclaredRetention = section(
  `${LIST}[]`,
  {
    name: Name,
    status: Status,
    source_database: Text,
    source_table_schema: TablePart.default('public'),
    source_table_name: TablePart,
    actions: Actions,
    filters: Filters,
    ...own.keys,
  },
  {
    initial_backfill: {
      message: 'is for sinks: a change table takes changes only, not rows that are there already',
      remedy: 'Remove it; `insert into ... select` fills a table of your own.',
    },
  },
).transform((input, context): SinkDeclared => {
  const { settings: destination } = own.read(input, context);
  return {
    settings: {
      name: input.name,
      database: input.source_database,
      status: input.status,
      source: {
        include_schemas: null,
        exclude_schemas: null,
        include_tables: [`${input.source_table_schema}.${input.source_table_name}`],
        exclude_tables: null,
      },
      actions: input.actions,
      filters: input.filters,
      filter_leave: 'keep',
      filter: null,
      transform: null,
      routing: null,
      message_grouping: true,
      tables: [],
      annotations: {},
      max_retry_count: null,
      destination,
    },
    kind,
    secret: null,
    notes: [],
  };
});
