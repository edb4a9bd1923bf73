/** After a gap: what each sink misses, what a resync sends it, and what stays lost. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useOverview } from '../../api/overview.ts';
import { plural } from '../../lib/format.ts';
import { allPages } from '../../lib/pages.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { kindOf } from '../sinks/kinds.ts';

export interface MissingSink {
  name: string;
  kind: string;
  /** That a resync sends; null: nobody knows. */
  rows: number | null;
}

const AT_ONCE = 1_000;

/** Of the source's tables the rows as they were last counted, by the sinks that take them in. The source is asked if `enabled`. */
export function useMissing(database: string, enabled = true): { sinks: readonly MissingSink[]; isKnown: boolean } {
  const { data: overview } = useOverview();
  const { data: tables } = useQuery({
    queryKey: ['rows of sinks', database],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        call('get', '/api/postgres_databases/{database}/tables', {
          path: { database },
          query: { limit: AT_ONCE, ...(cursor === undefined ? {} : { cursor }) },
          signal,
        }),
      ),
    enabled,
    retry: false,
    staleTime: 30_000,
  });
  const rowsOf = (sink: string): number | null =>
    tables
      ?.filter(({ sinks }) => sinks.includes(sink))
      .reduce((sum, { estimated_rows }) => sum + (estimated_rows ?? 0), 0) ?? null;
  const own = [...(overview?.sinks ?? []), ...(overview?.change_retentions ?? [])].filter(
    (sink) => sink.database === database && sink.status !== 'disabled',
  );
  return {
    sinks: own.map(({ name, kind }) => ({ name, kind, rows: kindOf(kind).isRetention ? 0 : rowsOf(name) })),
    isKnown: tables !== undefined,
  };
}

const rowsText = ({ kind, rows }: MissingSink): string =>
  kindOf(kind).isRetention ? 'none' : rows === null ? 'not known' : `about ${plural(rows, 'row')}`;

const COLUMNS: readonly Column<MissingSink>[] = [
  { key: 'sink', heading: 'Sink', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { key: 'kind', heading: 'Kind', cell: ({ kind }) => kindOf(kind).title },
  { key: 'rows', heading: 'Sent by a resync', isFigure: true, cell: rowsText },
  { key: 'lost', heading: 'Remains lost', cell: ({ kind }) => kindOf(kind).lost },
];

export function Missed({ sinks }: { sinks: readonly MissingSink[] }) {
  return <Table label="What each sink misses" columns={COLUMNS} rows={sinks} keyOf={({ name }) => name} />;
}
