/** Some rows of a table, and what would be sent of each. */
import { useEffect, useState } from 'react';
import { type Answer, ApiError, call, type Schemas } from '../../../api/client.ts';
import { JsonText } from '../../../api/json-text.ts';
import { usePerson } from '../../../api/person.ts';
import { useGet } from '../../../api/queries.ts';
import { Loaded, Note } from '../../../parts/places.tsx';

type Row = Answer<'/api/postgres_databases/{database}/tables/{table}/rows', 'get'>['data'][number];
type Result = Schemas['FunctionResult'];

const SHOWN = 3;
const STILL_MS = 300;

interface SamplesProps {
  database: string;
  table: string;
  transform: string;
  /** What is being written counts before what is picked. */
  code?: string | undefined;
}

export function Samples(props: SamplesProps) {
  const { may } = usePerson();
  const { database, table } = props;
  const query = useGet(
    '/api/postgres_databases/{database}/tables/{table}/rows',
    { path: { database, table }, query: { limit: SHOWN } },
    { enabled: may('read:data') },
  );
  if (!may('read:data')) return <p className="text-sm text-muted">Rows are shown to whoever has read:data.</p>;
  return (
    <Loaded query={query} lines={2}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="text-sm text-muted">{table} has no row to show.</p>
        ) : (
          <Results rows={data} {...props} />
        )
      }
    </Loaded>
  );
}

function Results({ rows, ...wanted }: SamplesProps & { rows: readonly Row[] }) {
  const { results, error, isOld } = useResults(wanted);
  const isShaped = wanted.code !== undefined || wanted.transform !== 'none';
  return (
    <div>
      <p className="mb-1 text-sm text-muted">
        What is sent of {rows.length === 1 ? 'a row' : `${rows.length} rows`} of {wanted.table}
      </p>
      {error && <Note tone="danger">{error.message}</Note>}
      <ul
        aria-busy={isOld || undefined}
        className={`divide-y divide-line rounded-md border border-line font-mono text-sm ${isOld ? 'opacity-60' : ''}`}
      >
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
  if (result === undefined) return <span className="text-muted">...</span>;
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
  /** They are of the code as it was before. */
  isOld: boolean;
}

/** Once nobody has typed for a moment. Of another table or function nothing is known until then. */
function useResults({ database, table, transform, code }: SamplesProps): Found {
  const asked = JSON.stringify([database, table, transform, code === undefined]);
  const [found, setFound] = useState<Omit<Found, 'isOld'> & { asked?: string; code?: string | undefined }>({});
  useEffect(() => {
    if (code === undefined && transform === 'none') return;
    const stop = new AbortController();
    const shaping = code === undefined ? { function: transform } : { type: 'transform' as const, code };
    const timer = setTimeout(() => {
      const body = { ...shaping, on: { rows: { database, table } } };
      call('post', '/api/functions/run', { body, signal: stop.signal }).then(
        ({ results }) => setFound({ asked, code, results }),
        (error: unknown) => error instanceof ApiError && !stop.signal.aborted && setFound({ asked, code, error }),
      );
    }, STILL_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked, database, table, transform, code]);
  return found.asked === asked ? { ...found, isOld: found.code !== code } : { isOld: false };
}
