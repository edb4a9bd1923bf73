/**
 * The SQL that the console and the command line show for making an event table by hand, with the policy that deletes old
 * entries: our own job (the table is the same that we make), a job of pg_cron, or partitions of pg_partman. Names come
 * from the user: they are quoted, as identifiers and as texts, and nothing in them is read as SQL.
 */
import { type Statement, statement } from '../../../db/statement.ts';
import { MillraceError } from '../../../model/errors.ts';
import { type QuotedTable, quoteIdentifier, quoteLiteral, quoteTable } from '../../../model/quote.ts';
import { onTable } from '../table-name.ts';

const CREATE_TABLE = statement('sinks/change-table/create-table');
const CREATE_PARTITIONED = statement('sinks/change-table/create-partitioned-table');
const INDEX_SEQ = statement('sinks/change-table/index-seq');
const INDEX_TABLE = statement('sinks/change-table/index-table');
const DELETE_OLD = statement('sinks/change-table/delete-old');
const SCHEDULE = statement('sinks/change-table/schedule-cron');
const SCHEDULE_ELSEWHERE = statement('sinks/change-table/schedule-cron-elsewhere');
const CREATE_PARENT = {
  4: statement('sinks/change-table/create-parent-4'),
  5: statement('sinks/change-table/create-parent-5'),
};
const DROP_DEFAULT = statement('sinks/change-table/drop-default-partition');
const KEEP_PARTITIONS = statement('sinks/change-table/keep-partitions');

export type InstructionsRequest =
  /** `plain`: the table. `job`: and the index that our own retention job wants. */
  { table: QuotedTable; variant: 'plain' | 'job' } | CronRequest | PartmanRequest;

export interface CronRequest {
  table: QuotedTable;
  variant: 'pg_cron';
  /** How long entries are kept: a Postgres interval. */
  keep: string;
  /** How often, as cron writes it; every 10 minutes without. */
  schedule?: string;
  /** Given when pg_cron lives in another database of the server: that one, and the event table's. */
  elsewhere?: { cronDatabase: string; database: string };
}

export interface PartmanRequest {
  table: QuotedTable;
  variant: 'pg_partman';
  keep: string;
  /** The size of a partition: a Postgres interval. */
  interval: string;
  /** Major version of the extension. */
  version: 4 | 5;
  /** Where the extension is, or goes. */
  schema?: string;
}

/** A statement, or a line for the reader. */
type Part = string | { note: string };

/** Statements to run in the destination database, each ended by a semicolon. @throws MillraceError for a name that pg_partman cannot take. */
export function instructions(request: InstructionsRequest): string {
  const parts = partsOf(request);
  return parts.map((part) => (typeof part === 'string' ? `${part};\n` : `${asComment(part.note)}\n`)).join('\n');
}

function partsOf(request: InstructionsRequest): Part[] {
  switch (request.variant) {
    case 'plain':
      return plainParts(request.table);
    case 'job':
      return [...plainParts(request.table), onTable(INDEX_TABLE, request.table).text];
    case 'pg_cron':
      return cronParts(request);
    case 'pg_partman':
      return partmanParts(request);
  }
}

const plainParts = (table: QuotedTable): string[] =>
  [CREATE_TABLE, INDEX_SEQ].map((template) => onTable(template, table).text);

function cronParts(request: CronRequest): Part[] {
  const { table, elsewhere } = request;
  const made = [...plainParts(table), onTable(INDEX_TABLE, table).text];
  const job = cronJob(request);
  const values = {
    command: dollarQuoted(job.command),
    job_name: quoteLiteral(job.name),
    schedule: quoteLiteral(job.schedule),
  };
  if (elsewhere === undefined) {
    return [...made, 'create extension if not exists pg_cron', filled(SCHEDULE, table, values)];
  }
  const { cronDatabase, database } = elsewhere;
  return [
    { note: `In database ${database}:` },
    ...made,
    { note: `In database ${cronDatabase}, which has pg_cron:` },
    filled(SCHEDULE_ELSEWHERE, table, { ...values, database: quoteLiteral(database) }),
  ];
}

/** The job of pg_cron that deletes the table's old entries. */
export function cronJob({ table, keep, schedule, elsewhere }: Omit<CronRequest, 'variant'>) {
  return {
    name: jobName(table, elsewhere?.database),
    schedule: schedule ?? '*/10 * * * *',
    command: filled(DELETE_OLD, table, { keep: quoteLiteral(keep) }),
  };
}

/** Scheduling a name again replaces the job of that name, so two tables must never share one. */
function jobName(table: QuotedTable, database: string | undefined): string {
  return ['millrace', ...(database === undefined ? [] : [JSON.stringify(database)]), quoteTable(table)].join(' ');
}

function partmanParts(request: PartmanRequest): Part[] {
  const schema = schemaName(request.schema);
  const calls = partmanCalls(request);
  return [
    { note: BACKGROUND },
    `create schema if not exists ${schema}`,
    `create extension if not exists pg_partman schema ${schema}`,
    onTable(CREATE_PARTITIONED, request.table).text,
    onTable(INDEX_SEQ, request.table).text,
    ...Object.values(calls).flat(),
  ];
}

/** The statements that put a partitioned table into pg_partman's care, and that set how long it keeps partitions. */
export function partmanCalls({ table, keep, interval, version, schema }: Omit<PartmanRequest, 'variant'>): {
  create: string[];
  keep: string[];
} {
  // It splits `schema.table` at the dot, and its maintenance fails for every table when one's name has an apostrophe.
  for (const part of [table.schema, table.name]) {
    const mark = /[.']/.exec(part)?.[0];
    if (mark === undefined) continue;
    const what = mark === '.' ? 'a dot' : 'an apostrophe';
    throw new MillraceError('bad_request', `pg_partman takes no name with ${what} in it: ${JSON.stringify(part)}`, {
      remedy: 'Choose another name for the change table, or the variant pg_cron or job.',
    });
  }
  const parent = quoteLiteral(`${table.schema}.${table.name}`);
  const values = { parent, partman: schemaName(schema) };
  return {
    create: [
      filled(CREATE_PARENT[version], table, { ...values, interval: quoteLiteral(interval) }),
      ...(version === 4 ? [`do ${dollarQuoted(withoutDefault(table))}`] : []),
    ],
    keep: [filled(KEEP_PARTITIONS, table, { ...values, keep: quoteLiteral(keep) })],
  };
}

/** Quoted only when it must be: this is read by people. */
function schemaName(schema = 'partman'): string {
  return /^[a-z_][a-z0-9_]*$/.test(schema) ? schema : quoteIdentifier(schema);
}

/** pg_partman 4 always makes a default partition, where entries would collect that no retention drops. */
function withoutDefault(table: QuotedTable): string {
  return `\n${filled(DROP_DEFAULT, table, { event_regclass: quoteLiteral(quoteTable(table)) })}\n`;
}

const BACKGROUND = `Partitions are made and dropped by pg_partman's background worker: the server needs
shared_preload_libraries = 'pg_partman_bgw', and this database's name in pg_partman_bgw.dbname.`;

/** `template` with the table's name and these values, which are SQL already. */
function filled(template: Statement, table: QuotedTable, values: Record<string, string>): string {
  // In one pass, so that nothing in a value is taken for a place.
  return template.text.replace(/<([a-z_]+)>/g, (place, name: string) =>
    name === 'event_table' ? quoteTable(table) : (values[name] ?? place),
  );
}

/** With standard_conforming_strings, the default since Postgres 9.1, a backslash means nothing. */

function dollarQuoted(text: string): string {
  let tag = '$$';
  for (let n = 1; text.includes(tag) || `${text}$`.includes(tag); n += 1) tag = `$q${n}$`;
  return `${tag}${text}${tag}`;
}

/** A line break in a database's name must not end the comment. */
function asComment(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => `-- ${line}`)
    .join('\n');
}
