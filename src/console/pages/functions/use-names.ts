/** The columns of what a function is tried on, for whoever writes it. */
import { useGet } from '../../api/queries.ts';
import type { Name } from '../../parts/editor.tsx';
import type { Source } from './samples.ts';

const METADATA: readonly Name[] = [
  { name: 'table_schema', type: 'string' },
  { name: 'table_name', type: 'string' },
  { name: 'commit_timestamp', type: 'string' },
  { name: 'commit_lsn', type: 'number' },
  { name: 'database_name', type: 'string' },
];

export function useNames(source: Source | null): Record<string, readonly Name[]> {
  const rows = source?.from === 'rows' ? source : null;
  const [schema = '', table = ''] = rows?.table.split('.') ?? [];
  const { data } = useGet(
    '/api/postgres_databases/{database}/tables',
    { path: { database: rows?.database ?? '' }, query: { schema, q: table, expand: 'columns', limit: 20 } },
    { enabled: rows !== null },
  );
  const columns = rows === null ? [] : (data?.data.find(({ name }) => name === table)?.columns ?? []);
  return { record: columns, changes: columns, metadata: METADATA };
}
