/** The tables of a source as they are there now, page by page, with what keeps their changes from coming. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { type Answer, type ApiError, call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { bytes, count, plural } from '../../lib/format.ts';
import { tableName } from '../../lib/sql.ts';
import { Button } from '../../parts/button.tsx';
import { Mono } from '../../parts/code.tsx';
import { SearchField } from '../../parts/field.tsx';
import { State } from '../../parts/icons.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/places.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { kindOfTable, NotFound, type SourceTable } from '../../parts/table-tree.tsx';
import { say } from '../../parts/toast.tsx';
import { useDatabase } from './use-database.ts';

const PAGE = 200;
const PATH = '/api/postgres_databases/{database}/tables';

function useTables(database: string, q: string) {
  return useInfiniteQuery<Answer<typeof PATH, 'get'>, ApiError, SourceTable[] | undefined, string[], string | null>({
    queryKey: [PATH, database, q],
    queryFn: ({ pageParam, signal }) =>
      call('get', PATH, {
        path: { database },
        query: {
          expand: 'capture',
          limit: PAGE,
          ...(q === '' ? {} : { q }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
}

export function Tables() {
  const { name } = useDatabase();
  const { q = '' } = useSearch({ from: '/inside/databases/$database/tables' });
  const navigate = useNavigate({ from: '/databases/$database/tables' });
  const query = useTables(name, useDeferredValue(q));
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search tables"
          value={q}
          onChange={(text) => void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false })}
        />
        <Refresh database={name} />
      </div>
      <Loaded query={query} lines={6}>
        {(tables) => (
          <>
            <List tables={tables} q={q} />
            {query.hasNextPage && (
              <p className="mt-2">
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show {PAGE} more
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** Reads them again, and takes what is new into our publication. */
function Refresh({ database }: { database: string }) {
  const refresh = useCall('post', '/api/postgres_databases/{database}/refresh_tables');
  const told = (added: readonly string[], tables: number): string =>
    added.length > 0 ? `Now published: ${added.join(', ')}` : `No new tables; ${plural(tables, 'table')} published`;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-3">
      <Button
        needs="operate"
        busy={refresh.isPending}
        onClick={() =>
          refresh.mutate({ path: { database } }, { onSuccess: ({ added, tables }) => say(told(added, tables)) })
        }
      >
        Refresh
      </Button>
      {refresh.error && <ErrorNote error={refresh.error} />}
    </div>
  );
}

function List({ tables, q }: { tables: readonly SourceTable[]; q: string }) {
  if (tables.length === 0) {
    return q === '' ? (
      <Empty title="No tables can be captured">
        There are no tables yet, or this role cannot see them. Create a table, then refresh.
      </Empty>
    ) : (
      <NotFound q={q} />
    );
  }
  return (
    <>
      {q === '' && tables.every(({ capture }) => capture?.comes === false) && (
        <p className="mb-2 font-medium text-warn">None of these tables can be captured. Each says why.</p>
      )}
      <Table label="Tables" columns={COLUMNS} rows={tables} keyOf={({ oid }) => String(oid)} isPaged />
      <p className="mt-2 text-sm text-muted">
        Messages of updates and deletes include the previous values if the replica identity is full:{' '}
        <Mono>alter table … replica identity full</Mono>.
      </p>
    </>
  );
}

const IDENTITIES: Record<SourceTable['identity'], string> = {
  default: 'key',
  nothing: 'nothing',
  full: 'full',
  index: 'index',
};

const COLUMNS: readonly Column<SourceTable>[] = [
  {
    key: 'name',
    heading: 'Table',
    cell: (table) => (
      <span className="inline-block break-all md:min-w-48">
        <Mono>{tableName(table)}</Mono>
        <span className="ml-2 text-muted">{kindOfTable(table)}</span>
      </span>
    ),
  },
  { key: 'changes', heading: 'Capture', cell: (table) => <Changes table={table} /> },
  {
    key: 'key',
    heading: 'Key',
    cell: ({ key }) => (key.length === 0 ? <span className="text-muted">none</span> : <Mono>{key.join(', ')}</Mono>),
  },
  {
    key: 'identity',
    heading: 'Replica identity',
    cell: ({ kind, identity }) => (kind === 'table' ? IDENTITIES[identity] : '–'),
  },
  { key: 'published', heading: 'Published', cell: ({ published }) => (published ? 'yes' : 'no') },
  {
    key: 'rows',
    heading: 'Rows (about)',
    isFigure: true,
    cell: ({ estimated_rows: rows }) => (rows === null ? '–' : count(rows)),
  },
  { key: 'size', heading: 'Size', isFigure: true, cell: ({ size_bytes }) => bytes(size_bytes) },
  { key: 'sinks', heading: 'Sinks', cell: ({ sinks }) => <Sinks names={sinks} /> },
];

function Changes({ table: { capture, published } }: { table: SourceTable }) {
  const finding = capture?.finding ?? null;
  const word = capture?.comes ? (published ? 'Captured' : 'Captured once a sink reads it') : 'Not captured';
  if (finding === null) return <State state={published ? 'ok' : 'notice'} word={word} />;
  return (
    <details>
      <summary className="flex cursor-pointer items-center gap-2 max-sm:justify-end">
        <State state={finding.status === 'error' ? 'check_error' : finding.status} word={word} />
        <span className="text-accent">why</span>
      </summary>
      <div className="max-w-xl py-1 text-left">
        <Remedy finding={finding} />
      </div>
    </details>
  );
}

const SHOWN = 3;

function Sinks({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span className="text-muted">none</span>;
  return (
    <span className="break-words">
      {names.slice(0, SHOWN).map((name, place) => (
        <span key={name}>
          {place > 0 && ', '}
          <Link to="/sinks/$sink" params={{ sink: name }} className="inline-block text-accent hover:underline">
            {name}
          </Link>
        </span>
      ))}
      {names.length > SHOWN && ` and ${count(names.length - SHOWN)} more`}
    </span>
  );
}
