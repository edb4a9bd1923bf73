/** What a change table holds, the newest first; new entries come by themselves while one looks at its top. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePerson } from '../../api/person.ts';
import { plural } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Code, Mono } from '../../parts/code.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { Beside, focusBack } from '../../parts/drawer.tsx';
import { type Filter, FilterBar } from '../../parts/filter-bar.tsx';
import { Empty, ErrorNote, Note, Skeleton } from '../../parts/places.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { EntryDrawer } from './entry.tsx';
import { entryCard, entryColumns } from './entry-columns.tsx';
import { type EntriesSearch, type EntryFilter, filterOf, useEntries, useLive } from './use-entries.ts';
import { newestOf, useRetention } from './use-retention.ts';

export function Entries() {
  const { may } = usePerson();
  const { name } = useRetention();
  const search = useSearch({ from: '/inside/change-retentions/$retention/entries' });
  const navigate = useNavigate({ from: '/change-retentions/$retention/entries' });
  if (!may('read:data')) return <Note tone="idle">Seeing entries needs the scope read:data.</Note>;
  const go = (more: Partial<EntriesSearch>, replace = false): void =>
    void navigate({ search: { ...search, ...more }, replace, resetScroll: false });
  const filter = filterOf(search);
  const close = (): void => {
    go({ seq: undefined }, true);
    focusBack('entry', search.seq);
  };
  return (
    <>
      <div className={search.seq && 'max-lg:hidden'}>
        <FilterBar filters={FILTERS} values={filter} onChange={(key, value) => go({ [key]: value })} />
      </div>
      <Beside drawer={search.seq && <EntryDrawer key={search.seq} name={name} seq={search.seq} onClose={close} />}>
        {/* With another filter it begins anew, at its top. */}
        <List key={JSON.stringify(filter)} name={name} filter={filter} openSeq={search.seq} />
      </Beside>
    </>
  );
}

const FILTERS: readonly Filter[] = [
  { key: 'record_pk', label: 'Key', hint: 'The whole key. Join the values of several columns with -.' },
  {
    key: 'action',
    label: 'Action',
    choices: ['insert', 'update', 'delete'].map((value) => ({ value, label: value })),
  },
  { key: 'since', label: 'Since', isTime: true },
  { key: 'until', label: 'Until', isTime: true },
];

interface ListProps {
  name: string;
  filter: EntryFilter;
  openSeq: string | undefined;
}

function List({ name, filter, openSeq }: ListProps) {
  const { query, rows, newer, isGap, show, problem } = useEntries(name, filter);
  useLive(newer, openSeq !== undefined, show);
  if (query.data === undefined)
    return query.error ? <ErrorNote error={query.error} again={query.refetch} /> : <Skeleton lines={8} />;
  const error = query.error ?? problem;
  return (
    <>
      <p className="mb-2 flex min-h-8 flex-wrap items-center gap-2 text-sm text-muted">
        <Spoken text={newer === 0 ? '' : isGap ? 'Many new entries' : `New entries: ${newer}`} />
        {newer > 0 ? (
          <>
            {isGap ? 'Many newer entries' : plural(newer, 'newer entry', 'newer entries')}
            <Button onClick={show}>Show</Button>
          </>
        ) : (
          'Newest first, by seq. New entries appear by themselves.'
        )}
      </p>
      {error && (
        <div className="mb-2">
          <ErrorNote error={error} again={query.refetch} />
        </div>
      )}
      {rows.length === 0 ? (
        <Nothing isFiltered={Object.keys(filter).length > 0} />
      ) : (
        <DataList
          label={`Entries of ${name}`}
          columns={entryColumns}
          card={entryCard}
          rows={rows}
          keyOf={({ id }) => String(id)}
          isOpen={({ seq }) => String(seq) === openSeq}
          // Another page would end what is asked for anew.
          onEnd={() => query.hasNextPage && !query.isFetching && !query.error && void query.fetchNextPage()}
        />
      )}
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const retention = useRetention();
  if (isFiltered) return <Empty title="No matching entries" />;
  return (
    <Empty title="No entries yet">
      <p>
        Each change of <Mono>{retention.source_table_name}</Mono> becomes a row of the change table, where SQL finds it:
      </p>
      <div className="text-left">
        <Code text={newestOf(retention)} name="SQL" />
      </div>
    </Empty>
  );
}
