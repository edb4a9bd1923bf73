/**
 * What the user declared, after validation and with every default filled in: the shape in which the catalog stores it
 * (`settings` columns) and in which every other room reads it. Keys keep the spelling of millrace.yaml.
 */
export interface DatabaseSettings {
  name: string;
  /** How changes are read; absent: `replication`. Asked by `capturesByTriggers`. */
  capture?: CaptureWay;
  /** What becomes of a statement whose change could not be noted; absent: `fail`. */
  trigger_errors?: TriggerErrors;
  slot: { name: string; create_if_not_exists: boolean };
  publication: { name: string; create_if_not_exists: boolean; init_sql: string | null };
  /** `verify: 'ca'`: who issued the certificate, not the name in it. */
  ssl: 'prefer' | false | true | { ca: string | null; verify: boolean | 'ca'; channel_binding?: true };
  pool_size: number;
  /** At most MOST_ROW_BYTES. */
  max_row_bytes: number;
  /** Bytes of a row that are no UTF-8 become U+FFFD, or park the row's message. */
  invalid_utf8: 'replace' | 'park';
  await_database: { timeout_ms: number; interval_ms: number };
  annotations: Record<string, string>;
}

export type CaptureWay = 'replication' | 'triggers';
export type TriggerErrors = 'fail' | 'skip';

/** Its changes are noted by triggers in tables of its own, not read from a replication slot. */
export const capturesByTriggers = ({ capture }: Pick<DatabaseSettings, 'capture'>): boolean => capture === 'triggers';

export const MOST_ROW_BYTES = 268_435_456;

/** Where a database is, sealed at rest: never in `settings`, logs or errors. */
export interface DatabaseAddress {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

export type FunctionType = 'transform' | 'routing' | 'filter' | 'path';

export interface FunctionSettings {
  name: string;
  /** For people. Absent: none. */
  description?: string;
  type: FunctionType;
  sink_type: string | null;
  /** JavaScript or TypeScript; null for a path. */
  code: string | null;
  /** `record.id`; null for code. */
  path: string | null;
}

export type FilterOperator = '=' | '!=' | '>' | '<' | '>=' | '<=' | 'in' | 'not_in' | 'is_null' | 'not_null';
export type FilterValue = string | number | boolean | null | (string | number | boolean)[];

export interface ColumnFilter {
  column_name: string;
  /** Dotted path inside a json or jsonb column. */
  field_path: string | null;
  /** How the value at `field_path` is compared. */
  field_type: 'string' | 'number' | 'boolean' | 'datetime' | null;
  operator: FilterOperator;
  comparison_value: FilterValue;
}

/** Which tables feed a sink. Null: no such condition. Table names are `schema.table`, or `table` for schema public. */
export interface SourceSettings {
  include_schemas: string[] | null;
  exclude_schemas: string[] | null;
  include_tables: string[] | null;
  exclude_tables: string[] | null;
}

/** Where a sink delivers to: what else there is of it, its kind alone knows (`sinks/<kind>/section.ts`). */
export interface Destination {
  /** As the file names it, or the first of the names that the kind has there. */
  type: string;
}

export type DeclaredAction = 'insert' | 'update' | 'delete';

/** A sink of `sinks:` or an entry of `change_retentions:` (which is a sink with a change table as its destination). */
export interface SinkSettings {
  name: string;
  database: string;
  status: 'active' | 'paused' | 'disabled';
  source: SourceSettings;
  actions: DeclaredAction[];
  filters: ColumnFilter[];
  filter_leave: 'delete' | 'keep';
  /** Names of functions; null for none. */
  filter: string | null;
  transform: string | null;
  routing: string | null;
  message_grouping: boolean;
  tables: { name: string; group_column_names: string[] }[];
  annotations: Record<string, string>;
  /** Deliveries after the first; null without end. */
  max_retry_count: number | null;
  /** Rows that are sent when the sink is created; true: those of all its tables. Absent: none. */
  initial_backfill?: true | TableBackfill[];
  destination: Destination;
}

/** A table's rows, all of them, or those from a value of a column on. */
export interface TableBackfill {
  /** `schema.table` */
  table: string;
  sort_column: string | null;
  /** As Postgres writes the column's type. */
  start_position: string | null;
}
