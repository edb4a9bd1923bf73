/** The SQL that makes a change table with what deletes its old entries, as a form has it. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { type Body, call } from '../../../api/client.ts';
import { useAll } from '../../../api/queries.ts';
import { Code, Mono } from '../../../parts/code.tsx';
import { Field, Select } from '../../../parts/field.tsx';
import { filled } from '../../../parts/form/values.ts';
import type { RetentionEntry } from './entry.ts';

/** Keys that mean something to whom. */
const USED: Readonly<Record<string, readonly ('keep' | 'every' | 'interval')[]>> = {
  pg_cron: ['keep', 'every'],
  pg_partman: ['keep', 'interval'],
};

interface TableSqlProps {
  entry: RetentionEntry;
  /** What stands under it. */
  children: (sql: string | undefined) => ReactNode;
}

export function TableSql({ entry, children }: TableSqlProps) {
  const [cron, setCron] = useState('');
  const [partman, setPartman] = useState('5');
  const { retention } = entry;
  const variant = retention?.by ?? 'plain';
  const databases = useAll('/api/postgres_databases');
  // As its server calls it.
  const database = databases.data?.data.find(({ name }) => name === entry.destination_database)?.database;
  const policy = Object.fromEntries((USED[variant] ?? []).map((key) => [key, retention?.[key]]));
  const body = useDeferredValue(
    JSON.stringify(
      filled({
        ...{ destination_database: database, variant, ...policy },
        ...{ destination_table_schema: entry.destination_table_schema },
        ...{ destination_table_name: entry.destination_table_name },
        ...(variant === 'pg_cron' ? { cron_database: cron } : {}),
        ...(variant === 'pg_partman' ? { partman_version: partman } : {}),
      }),
    ),
  );
  const { data, error } = useQuery({
    queryKey: ['retention_sql', body],
    queryFn: ({ signal }) => {
      const wanted = JSON.parse(body) as Body<'/api/change_retentions/sql', 'post'>;
      return call('post', '/api/change_retentions/sql', { body: wanted, signal });
    },
    enabled: database !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="mt-3">
      {variant === 'pg_cron' && (
        <div className="max-w-md">
          <Field
            label="Database that has pg_cron"
            hint="If it is another database of the same server"
            value={cron}
            onChange={({ target }) => setCron(target.value)}
          />
        </div>
      )}
      {variant === 'pg_partman' && (
        <div className="max-w-xs">
          <Select label="Version of pg_partman" value={partman} onChange={({ target }) => setPartman(target.value)}>
            <option>5</option>
            <option>4</option>
          </Select>
        </div>
      )}
      {error !== null && <p className="mt-2 text-sm text-danger">{error.message}</p>}
      {data !== undefined && error === null && (
        <>
          <p className="mt-2 text-sm text-muted">
            {entry.create_if_not_exists ? 'Millrace runs this on' : 'Run this on'} {data.run_on} of{' '}
            <Mono>{entry.destination_database}</Mono>:
          </p>
          <Code text={data.sql.trimEnd()} name="SQL" />
          {entry.create_if_not_exists && USED[variant] !== undefined && (
            <p className="text-sm text-muted">
              The extension is not created: if it is missing, entries are written anyway, and a notice says what a
              superuser runs.
            </p>
          )}
        </>
      )}
      {children(error === null ? data?.sql : undefined)}
    </div>
  );
}
