/** Tables by a part of their name: each database is asked, once somebody has stopped typing for a moment. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, call } from '../api/client.ts';
import { useOverview } from '../api/overview.ts';
import { tableName } from '../lib/sql.ts';

export interface FoundTable {
  database: string;
  /** With its schema. */
  table: string;
}

const FEWEST = 2;
/** Of each database. */
const MOST = 10;
const PAUSE_MS = 300;

export function useTableSearch(text: string): readonly FoundTable[] {
  const { data } = useOverview();
  const q = useSettled(text.trim());
  const databases = data?.databases.map(({ name }) => name) ?? [];
  const found = useQuery<FoundTable[]>({
    queryKey: ['tables named', q, databases],
    queryFn: async ({ signal }) => (await Promise.all(databases.map((one) => tablesOf(one, q, signal)))).flat(),
    enabled: q.length >= FEWEST && q === text.trim(),
  });
  return text.trim().length >= FEWEST ? (found.data ?? []) : [];
}

/** A database that cannot be reached has none: the others are found. */
async function tablesOf(database: string, q: string, signal: AbortSignal): Promise<FoundTable[]> {
  try {
    const query = { q, limit: MOST };
    const { data } = await call('get', '/api/postgres_databases/{database}/tables', {
      path: { database },
      query,
      signal,
    });
    return data.map((table) => ({ database, table: tableName(table) }));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
