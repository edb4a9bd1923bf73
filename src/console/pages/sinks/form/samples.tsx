/** Some rows of a table, and what would be sent of each. */
import { useEffect, useState } from 'react';
import { type Answer, type ApiError, call, type Schemas } from '../../../api/client.ts';
import { JsonText } from '../../../api/json-text.ts';
import { usePerson } from '../../../api/person.ts';
import { useGet } from '../../../api/queries.ts';
import { untilSaid } from '../../../api/until-said.ts';
import { tablePart } from '../../../lib/sql.ts';
import { Loaded, Note } from '../../../parts/places.tsx';

type Row = Answer<'/api/postgres_databases/{database}/tables/{table}/rows', 'get'>['data'][number];
type Result = Schemas['FunctionResult'];

const SHOWN = 3;

interface SamplesProps {
  database: string;
  table: string;
  transform: string;
}

export function Samples(props: SamplesProps) {
  const { may } = usePerson();
  const { database, table } = props;
  const query = useGet(
    '/api/postgres_databases/{database}/tables/{table}/rows',
    { path: { database, table: tablePart(table) }, query: { limit: SHOWN } },
    { enabled: may('read:data') },
  );
  if (!may('read:data')) return <p className="text-sm text-muted">Seeing rows needs the scope read:data.</p>;
  return (
    <Loaded query={query} lines={2}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="text-sm text-muted">
            <bdi>{table}</bdi> has no row to show.
          </p>
        ) : (
          <Results rows={data} {...props} />
        )
      }
    </Loaded>
  );
}

function Results({ rows, ...wanted }: SamplesProps & { rows: readonly Row[] }) {
  const { results, error } = useResults(wanted);
  const isShaped = wanted.transform !== 'none';
  return (
    <div>
      <p className="mb-1 text-sm text-muted">
        What is sent for {rows.length === 1 ? 'a row' : `${rows.length} rows`} of {wanted.table}
      </p>
      {error && <Note tone="danger">{error.message}</Note>}
      <ul className="divide-y divide-line rounded-md border border-line font-mono text-sm">
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
          <li key={place} className="px-3 py-1.5">
            <Document result={isShaped ? results?.[place] : { ok: true, result: row.record, took_ms: 0 }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Document({ result }: { result: Result | undefined }) {
  if (result === undefined) return <span className="text-muted">…</span>;
  if (result.ok) return <span className="break-words whitespace-pre-wrap">{textOf(result.result)}</span>;
  const { message = '', line, column } = result.error ?? {};
  return (
    <span className="break-words whitespace-pre-wrap text-danger">
      {message}
      {line != null && ` (line ${line}, column ${column})`}
    </span>
  );
}

/** Digits stay as they came. */
const textOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));

interface Found {
  results?: readonly Result[];
  error?: ApiError;
}

/** Of another table or function nothing is known until it has answered. */
function useResults({ database, table, transform }: SamplesProps): Found {
  const asked = JSON.stringify([database, table, transform]);
  const [found, setFound] = useState<Found & { asked?: string }>({});
  useEffect(() => {
    if (transform === 'none') return;
    const body = { function: transform, on: { rows: { database, table: tablePart(table) } } };
    return untilSaid({
      ask: (signal) => call('post', '/api/functions/run', { body, signal }),
      onAnswer: ({ results }) => setFound({ asked, results }),
      onError: (error) => setFound({ asked, error }),
    });
  }, [asked, database, table, transform]);
  return found.asked === asked ? found : {};
}
