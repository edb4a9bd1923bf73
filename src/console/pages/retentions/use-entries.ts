/** The newest entries of a change table, page after page, and those that come meanwhile. */
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Answer, type ApiError, call, type Schemas } from '../../api/client.ts';
import { usePaused } from '../../api/paused.ts';
import { untilNext } from '../../api/rest.ts';
import { withNewer } from '../../lib/pages.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';

export type Entry = Schemas['ChangeEntry'];
type Page = Answer<'/api/change_retentions/{sink}/entries', 'get'>;
type Cursor = string | undefined;
type Pages = InfiniteData<Page, Cursor>;

const CONDITIONS = {
  record_pk: text,
  action: oneOf('insert', 'update', 'delete'),
  since: text,
  until: text,
};

/** `seq`: of the entry that is open. */
export const entriesSearch = searchOf({ ...CONDITIONS, seq: text });
export type EntriesSearch = ReturnType<typeof entriesSearch>;

/** What the API is asked for. */
export const filterOf = searchOf(CONDITIONS);
export type EntryFilter = ReturnType<typeof filterOf>;

const PATH = '/api/change_retentions/{sink}/entries';
const AT_ONCE = 100;
const EVERY_MS = 2_000;
const MOST_NEW = 500;
/** Shown at once while new ones come; more than that is asked for again by whoever goes on to the end. */
const MOST = 1_000;
/** Lanes settle side by side: an entry may come after some of a higher seq. Among so many it is still seen, and where there are fewer, anywhere. */
const OVERLAP = 20;

const behind = (one: Entry, other: Entry): number => other.seq - one.seq || other.id - one.id;

export function useEntries(name: string, filter: EntryFilter) {
  const known = useQueryClient();
  const paused = usePaused();
  const queryKey = [PATH, name, filter];
  const query = useInfiniteQuery<Page, ApiError, Pages, unknown[], Cursor>({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      call('get', PATH, {
        path: { sink: name },
        query: {
          ...filter,
          order: 'newest',
          limit: AT_ONCE,
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const from = rows[OVERLAP - 1]?.seq;
  const fresh = useQuery<Page, ApiError>({
    // Where it begins is no part of the key: another key would be asked for at once, each time that entries have come.
    queryKey: [PATH, name, 'newer', filter],
    queryFn: ({ signal }) =>
      call('get', PATH, {
        path: { sink: name },
        query: {
          ...filter,
          order: 'newest',
          limit: MOST_NEW,
          ...(from === undefined ? {} : { from_seq: String(from) }),
        },
        signal,
      }),
    enabled: query.data !== undefined,
    refetchOnWindowFocus: !paused,
    refetchInterval: ({ state }) => (paused ? false : untilNext(state, EVERY_MS)),
  });
  const shown = new Set(rows.map(({ id }) => id));
  const isOf = ({ seq }: Entry): boolean => from === undefined || seq >= from;
  // While the list is read anew, nothing is known to be newer.
  const newer =
    query.data === undefined ? [] : (fresh.data?.data ?? []).filter((entry) => isOf(entry) && !shown.has(entry.id));
  // More than one answer holds: what lies between is not known, so it begins anew.
  const isGap = newer.length > 0 && fresh.data?.next_cursor != null;
  const show = (): void => {
    if (isGap) return void known.resetQueries({ queryKey });
    const after = known.setQueryData<Pages>(queryKey, (before) => {
      if (before === undefined) return before;
      const pages = withNewer(before.pages, newer, { most: MOST, order: behind });
      return { pages, pageParams: before.pageParams.slice(0, pages.length) };
    });
    // The first page has grown too large: it is read anew, while what it has is still shown.
    if ((after?.pages[0]?.data.length ?? 0) > MOST) void query.refetch();
  };
  return { query, rows, newer: newer.length, isGap, show, problem: fresh.error };
}

/** Shows what comes at once, where no row moves that somebody looks at. */
export function useLive(newer: number, isOpen: boolean, show: () => void): void {
  useEffect(() => {
    if (newer > 0 && !isOpen && window.scrollY === 0) show();
  });
}
