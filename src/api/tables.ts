/** The routes of a source's tables: read now, over a connection of their own. */
import { z } from 'zod';
import { type ListedTable, listTables, readRows, refreshTables, showRecordType } from '../admin/source-tables.ts';
import { LISTED_KINDS } from '../model/published-table.ts';
import { int } from '../model/scalars.ts';
import { tableInPath } from '../model/table-in-path.ts';
import { CheckShape } from './check-shape.ts';
import { cursors, PAGE } from './page.ts';
import { RawJson } from './raw-json.ts';
import { NO_BODY, REF, type Route, route, writing } from './route.ts';

const PATH = '/api/postgres_databases/:database';

const Table = z
  .looseObject({
    oid: z.number(),
    schema: z.string(),
    name: z.string(),
    kind: z.enum(LISTED_KINDS),
    partitioned: z.boolean(),
    identity: z.enum(['default', 'nothing', 'full', 'index']),
    key: z.array(z.string()),
    published: z.boolean(),
    size_bytes: z.number(),
    estimated_rows: z.number().nullable(),
    sinks: z.array(z.string()),
    columns: z
      .array(
        z.looseObject({
          name: z.string(),
          type: z.string(),
          not_null: z.boolean(),
          generated: z.enum(['stored', 'virtual']).nullable(),
        }),
      )
      .optional(),
    capture: z
      .looseObject({
        comes: z.boolean(),
        finding: CheckShape.pick({
          id: true,
          status: true,
          summary: true,
          remedy: true,
          sql: true,
          run_on: true,
        }).nullable(),
      })
      .optional(),
  })
  .meta({ id: 'Table' });

const EXPAND = ['columns', 'capture'] as const;

function shownTable({ columns, capture, ...table }: ListedTable, database: string): z.input<typeof Table> {
  const { finding } = capture ?? { finding: null };
  const shown = finding && {
    ...{ id: finding.id, status: finding.status, summary: finding.summary, remedy: finding.remedy, sql: finding.sql },
    run_on: finding.sql === null ? null : `database ${database}`,
  };
  return {
    ...table,
    ...(columns === null ? {} : { columns }),
    ...(capture === null ? {} : { capture: { comes: capture.comes, finding: shown } }),
  };
}

const TABLE = z
  .string()
  .transform((text, { addIssue }) => {
    const table = tableInPath(text);
    if (table !== undefined) return table;
    addIssue({ code: 'custom', message: 'must be schema.table, or table of schema public' });
    return z.NEVER;
  })
  .meta({ type: 'string' });

const listRoute = route({
  method: 'GET',
  path: `${PATH}/tables`,
  scope: 'read',
  summary:
    'Tables of a source as they are now: key, identity, whether they are published, and which sinks include them',
  input: z.strictObject({
    database: REF,
    schema: z.string().min(1, 'is empty').optional(),
    q: z.string().min(1, 'is empty').optional(),
    expand: z.enum(EXPAND, 'must be columns or capture').optional(),
    ...PAGE,
  }),
  answer: z.looseObject({ data: z.array(Table), next_cursor: z.string().nullable() }),
  sql: null,
  async run({ outside }, { database, limit, cursor, expand, ...filter }) {
    const places = cursors(z.tuple([z.string(), z.string()]), { database, ...filter });
    const after = places.read(cursor);
    const request = { after, limit, ...filter, columns: expand === 'columns', capture: expand === 'capture' };
    const found = await outside((on) => listTables(on, database, request));
    const last = found.length > limit ? found[limit - 1]! : undefined;
    return {
      data: found.slice(0, limit).map((table) => shownTable(table, database)),
      next_cursor: places.write(last ? [last.schema, last.name] : null),
    };
  },
});

const typeRoute = route({
  method: 'GET',
  path: `${PATH}/tables/:table/record_type`,
  scope: 'read',
  summary: "The TypeScript type of a table's rows, for writing functions",
  input: z.strictObject({ database: REF, table: TABLE }),
  answer: z.looseObject({ record: z.string(), changes: z.string(), typescript: z.string() }),
  sql: null,
  run: async ({ outside }, { database, table }) => ({
    ...(await outside((on) => showRecordType(on, database, table))),
  }),
});

const rowsRoute = route({
  method: 'GET',
  path: `${PATH}/tables/:table/rows`,
  scope: 'read:data',
  summary: 'The last rows of a table by key, as messages of a backfill',
  input: z.strictObject({ database: REF, table: TABLE, limit: int(1, 10).default(10) }),
  answer: z.looseObject({
    data: z.array(
      z.looseObject({
        action: z.literal('read'),
        record: z.unknown(),
        changes: z.null(),
        metadata: z.unknown(),
      }),
    ),
  }),
  sql: null,
  async run({ outside }, { database, table, limit }) {
    const rows = await outside((on) => readRows(on, database, { table, limit }));
    return {
      data: rows.map(({ record, metadata }) => ({
        ...{ action: 'read' as const, record: new RawJson(record), changes: null, metadata: new RawJson(metadata) },
      })),
    };
  },
});

const refreshRoute = writing({
  method: 'POST',
  path: `${PATH}/refresh_tables`,
  scope: 'operate',
  summary: 'Reads the tables of a source again, and updates the publication that Millrace made',
  input: z.strictObject({ database: REF }),
  body: NO_BODY,
  answer: z.looseObject({ success: z.literal(true), tables: z.number(), added: z.array(z.string()) }),
  sql: null,
  async run({ outside }, { database }) {
    const { tables, added } = await outside((on) => refreshTables(on, database));
    return { success: true as const, tables, added };
  },
});

export const TABLE_ROUTES: readonly Route[] = [listRoute, typeRoute, rowsRoute, refreshRoute];
