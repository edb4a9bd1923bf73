/** All jobs that somebody asked for, under way and ended. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useGet } from '../../api/queries.ts';
import { type Filter, FilterBar } from '../../parts/filter-bar.tsx';
import { shapeOf } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { OperationTable } from './table.tsx';
import { KINDS, kindWord, STATES } from './words.ts';

const FILTERS: readonly Filter[] = [
  { key: 'kind', label: 'Kind', choices: KINDS.map((value) => ({ value, label: kindWord(value) })) },
  { key: 'state', label: 'State', choices: STATES.map((value) => ({ value, label: shapeOf(value).word })) },
  { key: 'sink', label: 'Sink', hint: 'Its whole name' },
  { key: 'database', label: 'Database', hint: 'Its whole name' },
];

export function Operations() {
  const search = useSearch({ from: '/inside/operations' });
  const navigate = useNavigate({ from: '/operations' });
  const query = useGet('/api/operations', { query: { ...search, limit: 100 } }, { every: 2_000 });
  const look = (change: typeof search): void =>
    void navigate({ search: { ...search, cursor: undefined, ...change }, resetScroll: false });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Operations">
      <FilterBar filters={FILTERS} values={search} onChange={(key, value) => look({ [key]: value })} />
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title={isFiltered ? 'No matching operations' : 'No operations yet'}>
              Long-running work is an operation: backfills, replays, verifications, rebuilds, resyncs, and retrying or
              discarding many messages. It continues when this tab is closed.
            </Empty>
          ) : (
            <>
              <OperationTable rows={data} />
              <Pager next={next_cursor} cursor={search.cursor} onGo={(cursor) => look({ cursor })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
