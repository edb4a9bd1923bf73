/** What is made in a source whose changes triggers note, as SQL; the same, whether we run it or a person does. */
import { createHash } from 'node:crypto';
import { statement } from '../../db/statement.ts';
import { quoteIdentifier, quoteLiteral, quoteTable } from '../../model/quote.ts';

/**
 * Of schema millrace_capture, but for what is made for one table: one higher with each change of these files that capture of a release
 * before cannot do with, for it does not begin then.
 */
export const VERSION = 2;

const DEFINITIONS = ['schema', 'token', 'look', 'texts', 'missed', 'message'].map(
  (name) => statement(`source/triggers/${name}`).text,
);
const TABLE = statement('source/triggers/table').text;

const MOST_ROW_BYTES = 64 * 1024 * 1024;

export interface TriggeredTable {
  oid: number;
  schema: string;
  name: string;
}

/** What the functions that note have in common. */
export interface Noting {
  /** What becomes of a write whose change cannot be noted. */
  onError: 'fail' | 'skip';
  /** As our own sessions have it: how amounts of type money look. */
  lcMonetary: string;
  /** Of a row with a longer text only the key is noted; 64 MB if absent. */
  mostBytes?: number;
}

/** Everything but the schema itself, and what is made for one table. */
export const schemaSql = (): string =>
  `${DEFINITIONS.map((text) => text.replace(/;$/, '')).join(';\n\n')};

insert into millrace_capture.about (version)
select ${VERSION} where not exists (select from millrace_capture.about);
update millrace_capture.about set version = ${VERSION} where version <> ${VERSION};`;

/** `shapes`: numbers of what the table is like, that are committed. */
export function functionSql(
  { oid }: Pick<TriggeredTable, 'oid'>,
  { onError, lcMonetary, mostBytes = MOST_ROW_BYTES }: Noting,
  shapes: readonly number[],
): { sql: string; mark: string } {
  const skips = onError === 'skip';
  const filled: Record<string, string> = {
    rel: `${oid}`,
    money: quoteLiteral(lcMonetary),
    known: `{${shapes.join(',')}}`,
    most: `${mostBytes}`,
    begin: skips ? '  begin' : '',
    end: skips
      ? `  exception when others then
    begin
      perform millrace_capture.missed('${oid}', 'error', sqlstate);
    exception when others then
      raise warning 'millrace could not note a change of %.%', tg_table_schema, tg_table_name using errcode = sqlstate;
    end;
  end;`
      : '',
  };
  const text = TABLE.replaceAll(/:(rel|money|known|most|begin|end):/g, (_, name: string) => filled[name]!).replaceAll(
    /\n\n/g,
    '\n',
  );
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return { sql: text.replace(':mark:', mark), mark };
}

/** Its name says whose it is: a table that has one can become a partition of another one that has. */
export const triggerName = ({ oid }: Pick<TriggeredTable, 'oid'>): string => `!millrace_${oid}`;
const TRUNCATE = quoteIdentifier('!millrace_truncate');

/** Postgres makes it on each partition too, also on those to come. */
export function rowTriggerSql(table: TriggeredTable): string[] {
  const name = quoteIdentifier(triggerName(table));
  const target = quoteTable(table);
  return [
    `create or replace trigger ${name} after insert or update or delete on ${target} for each row execute function millrace_capture.table_${table.oid}()`,
    `alter table ${target} enable always trigger ${name}`,
  ];
}

/** `store`: the table, or one of its partitions, by its name in SQL. */
export const truncateTriggerSql = ({ oid }: Pick<TriggeredTable, 'oid'>, store: string): string[] => [
  `create or replace trigger ${TRUNCATE} after truncate on ${store} for each statement execute function millrace_capture.table_${oid}()`,
  `alter table ${store} enable always trigger ${TRUNCATE}`,
];
