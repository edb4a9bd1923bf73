/** What may follow `record.`, for whoever writes a function: columns of the table, or fields of the message that it is tried on. */
import { useGet } from '../../api/queries.ts';
import type { Name } from '../../parts/editor.tsx';
import { fieldsOf, type Sample, type Source } from './samples.ts';

const METADATA: readonly Name[] = [
  { name: 'table_schema', type: 'string' },
  { name: 'table_name', type: 'string' },
  { name: 'commit_timestamp', type: 'string' },
  { name: 'commit_lsn', type: 'number' },
  { name: 'database_name', type: 'string' },
];

export function useNames(source: Source | null, samples: readonly Sample[]): Record<string, readonly Name[]> {
  const rows = source?.from === 'rows' ? source : null;
  const [schema = '', table = ''] = rows?.table.split('.') ?? [];
  const { data } = useGet(
    '/api/postgres_databases/{database}/tables',
    { path: { database: rows?.database ?? '' }, query: { schema, q: table, expand: 'columns', limit: 20 } },
    { enabled: rows !== null },
  );
  const columns = rows === null ? fieldsOf(samples[0]) : (data?.data.find(({ name }) => name === table)?.columns ?? []);
  return { record: columns, changes: columns, metadata: METADATA };
}
