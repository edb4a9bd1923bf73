/** The change retention of a page: asked by its frame each two seconds, for all its tabs. */
import { createContext, useContext } from 'react';
import type { Schemas } from '../../api/client.ts';
import { quoteTable } from '../../lib/sql.ts';

export type Retention = Schemas['ChangeRetention'];

export const RetentionContext = createContext<Retention | null>(null);

/** In a tab of a change retention: it is known there. */
export function useRetention(): Retention {
  const retention = useContext(RetentionContext);
  if (retention === null) throw new Error('useRetention outside of the frame of a change retention');
  return retention;
}

export const sourceOf = (of: Retention): string => `${of.source_table_schema}.${of.source_table_name}`;
/** A query that is run as it stands, on the database of the change table. */
export const newestOf = (of: Retention): string =>
  [
    'select committed_at, action, record_pk, changes, record',
    `  from ${quoteTable({ schema: of.destination_table_schema, name: of.destination_table_name })}`,
    ' order by seq desc limit 10;',
  ].join('\n');

export const destinationOf = (of: Retention): string => `${of.destination_table_schema}.${of.destination_table_name}`;

const POLICIES: Readonly<Record<string, string>> = {
  none: 'Nothing: entries are kept forever',
  job: 'A Millrace job',
  pg_cron: 'pg_cron',
  pg_partman: 'pg_partman',
};

export const policyTitle = (by: string): string => POLICIES[by] ?? by;
