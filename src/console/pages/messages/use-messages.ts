/** The messages of a filter, page after page. What is shown stays as it is until somebody asks for it anew. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { type ApiError, call } from '../../api/client.ts';
import { usePaused } from '../../api/paused.ts';
import type { MessageFilter, Order } from './filter.ts';
import type { Message, MessagePage, Place } from './place.ts';

const AT_ONCE = 200;
const EMPTY_MS = 2_000;
/** Pages that are looked at without a word: most were looked through with nothing found. */
export const LOOKED_AT_ONCE = 1_000_000;

type Cursor = string | undefined;

export function useMessages({ paths, name }: Place, filter: MessageFilter, order: Order) {
  const paused = usePaused();
  return useInfiniteQuery<MessagePage, ApiError, InfiniteData<MessagePage, Cursor>, unknown[], Cursor>({
    queryKey: [paths.list, name, filter, order],
    queryFn: ({ pageParam, signal }) =>
      call('get', paths.list, {
        path: { sink: name },
        query: {
          ...filter,
          ...(order && { order }),
          limit: AT_ONCE,
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    // Where nothing is, what comes first is shown by itself: no row can jump.
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages;
      const isNothing = pages?.length === 1 && pages[0]!.data.length === 0 && pages[0]!.next_cursor === null;
      return isNothing && !paused ? EMPTY_MS : false;
    },
  });
}

export type Messages = ReturnType<typeof useMessages>;

export const shownMessages = (query: Messages): Message[] => query.data?.pages.flatMap(({ data }) => data) ?? [];
export const lookedThrough = (query: Messages): number =>
  query.data?.pages.reduce((sum, { scanned }) => sum + scanned, 0) ?? 0;
