/** A table of a source as it is there now: its key and its columns. */
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';

/** `table`: as a sink names it, `schema.table`. Undefined while it is not known, and of one that is not there. */
export function useTable(database: string, table: string | undefined): Schemas['Table'] | undefined {
  const at = table?.indexOf('.') ?? -1;
  const [schema = '', name = ''] = table === undefined ? [] : [table.slice(0, at), table.slice(at + 1)];
  const { data } = useGet(
    '/api/postgres_databases/{database}/tables',
    { path: { database }, query: { schema, q: name, expand: 'columns' } },
    { enabled: table !== undefined && database !== '' },
  );
  return data?.data.find((one) => one.schema === schema && one.name === name);
}
