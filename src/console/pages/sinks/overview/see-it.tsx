/** Something to run that shows the sink at work: what has arrived, and a change that will. */
import { JsonText, parseKeeping } from '../../../api/json-text.ts';
import { usePerson } from '../../../api/person.ts';
import { useGet } from '../../../api/queries.ts';
import { quoted } from '../../../lib/shell.ts';
import { quoteIdentifier, quoteTable, tablePart, valueLiteral } from '../../../lib/sql.ts';
import { Code } from '../../../parts/code.tsx';
import type { SinkEntry } from '../form/entry.ts';
import { optionsOf } from '../form/index-command.ts';
import { kindOf } from '../kinds.ts';
import type { Sink } from '../use-sink.ts';
import { useTable } from '../use-table.ts';

function searchCommand({ destination }: Sink): string {
  const url = `${destination.endpoint_url}/${destination.index_name}/_search?size=3`;
  return `curl${optionsOf(destination)} ${quoted(url)}`;
}

export function SeeIt({ sink }: { sink: Sink }) {
  const [table] = ((sink.source ?? {}) as SinkEntry['source']).include_tables ?? [];
  const { isIndex, seen } = kindOf(sink.kind);
  return (
    <>
      {isIndex && (
        <>
          <p>See what has arrived:</p>
          <Code text={searchCommand(sink)} name="curl" />
        </>
      )}
      {seen !== undefined && <p>{seen}</p>}
      {table !== undefined && <ChangeARow database={sink.database} table={table} />}
    </>
  );
}

/** A row is set to what it is: that is a change too. */
function ChangeARow({ database, table }: { database: string; table: string }) {
  const { may } = usePerson();
  const found = useTable(database, table);
  const { data: rows } = useGet(
    '/api/postgres_databases/{database}/tables/{table}/rows',
    { path: { database, table: tablePart(table) }, query: { limit: 1 } },
    { enabled: may('read:data') },
  );
  if (found === undefined || found.key.length === 0) return null;
  const { key, columns = [] } = found;
  const row = rows?.data[0]?.record;
  const values = row instanceof JsonText ? (parseKeeping(row.text, new Set(key)) as Record<string, unknown>) : {};
  const other = columns.find(({ name: column, generated }) => !key.includes(column) && generated === null)?.name;
  const set = quoteIdentifier(other ?? key[0]!);
  const where = key.map((column) => `${quoteIdentifier(column)} = ${literal(values[column])}`).join(' and ');
  return (
    <>
      <p className="mt-3">
        Change a row of <bdi>{table}</bdi>; it arrives a moment later:
      </p>
      <Code text={`update ${quoteTable(found)}\n   set ${set} = ${set}\n where ${where};`} name="SQL" />
    </>
  );
}

/** Of a key; without a row, a word to replace. */
const literal = (value: unknown): string => (value === undefined || value === null ? "'...'" : valueLiteral(value));
