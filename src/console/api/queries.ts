/**
 * Asking again and again: while a tab is seen, with the last answer kept and its age known. After a failure it asks more and more
 * seldom, and goes on by itself.
 */
import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { allPages } from '../lib/pages.ts';
import { type Answer, type ApiError, type Call, call, callAny, type PathsWith } from './client.ts';
import { usePaused } from './paused.ts';
import { acceptedSeconds, untilNext } from './rest.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 1_000, gcTime: 300_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

export interface Asking {
  /** Milliseconds; absent: it is asked once. */
  every?: number;
  enabled?: boolean;
}

/** What a GET answers, kept up to date. `error` stands beside the old answer, with `dataUpdatedAt` as its age. */
export function useGet<Path extends PathsWith<'get'>>(path: Path, given: Call<Path, 'get'> = {}, asking: Asking = {}) {
  const paused = usePaused();
  const { every, enabled = true } = asking;
  return useQuery<Answer<Path, 'get'>, ApiError>({
    ...queryOf(path, given, every),
    enabled,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: !paused && every !== undefined,
    refetchInterval: ({ state }) => (every === undefined || paused ? false : untilNext(state, every)),
  });
}

/** Asked before the page that shows it is there, unless it was asked before. */
export function askAhead<Path extends PathsWith<'get'>>(path: Path, every: number): void {
  const query = queryOf(path, {}, every);
  if (queryClient.getQueryState(query.queryKey) === undefined) void queryClient.prefetchQuery(query);
}

const queryOf = <Path extends PathsWith<'get'>>(path: Path, given: Call<Path, 'get'>, every: number | undefined) =>
  queryOptions<Answer<Path, 'get'>, ApiError>({
    queryKey: [path, given.path ?? null, given.query ?? null],
    queryFn: ({ signal, client, queryKey }) =>
      call('get', path, {
        ...given,
        acceptSeconds: acceptedSeconds(client.getQueryState(queryKey), every),
        signal: patient(signal, every),
      }),
  });

/** What is asked each few seconds and has no answer after so long has none: else an old one would stand there as if it were new. */
const SOON_MS = 3_000;
const PATIENCE_MS = 15_000;

const patient = (signal: AbortSignal, every = Number.POSITIVE_INFINITY): AbortSignal =>
  every > SOON_MS ? signal : AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);

type Writing = 'post' | 'patch' | 'put' | 'delete';

/** Changes something. Whatever is shown is asked anew after it. */
export function useCall<Method extends Writing, Path extends PathsWith<Method>>(method: Method, path: Path) {
  const known = useQueryClient();
  return useTold(
    useMutation<Answer<Path, Method>, ApiError, Call<Path, Method>>({
      mutationFn: (given) => call(method, path, given),
      onSettled: () => known.invalidateQueries(),
    }),
  );
}

/** Does what the API itself offers, such as the `act` of something that needs attention. */
export function useAct() {
  const known = useQueryClient();
  return useTold(
    useMutation<unknown, ApiError, { path: string; body: object }>({
      mutationFn: ({ path, body }) => callAny('post', path, { body }),
      onSettled: () => known.invalidateQueries(),
    }),
  );
}

interface Told<Value> {
  onSuccess?: (answer: Value) => unknown;
  onError?: (error: ApiError) => unknown;
}

/** Its success is told also where the button that was pressed is gone by then, because what it did is done. */
function useTold<Value, Given>(mutation: UseMutationResult<Value, ApiError, Given>) {
  const { mutateAsync } = mutation;
  const mutate = useCallback(
    (given: Given, { onSuccess, onError }: Told<Value> = {}): void => {
      let isTold = false;
      const tell = (answer: Value): void => {
        if (!isTold) void onSuccess?.(answer);
        isTold = true;
      };
      mutateAsync(given, { onSuccess: tell, ...(onError && { onError }) }).then(tell, () => undefined);
    },
    [mutateAsync],
  );
  return { ...mutation, mutate };
}

/** Lists of things, which come page by page. */
type Listed = '/api/api_keys' | '/api/users' | '/api/functions' | '/api/postgres_databases' | '/api/change_retentions';
type Whole<Path extends Listed> = Pick<Answer<Path, 'get'>, 'data'>;

const AT_ONCE = 1_000;

/** A list, whole, however long it is. */
export function useAll<Path extends Listed>(path: Path, { every, enabled = true }: Asking = {}) {
  const paused = usePaused();
  return useQuery<Whole<Path>, ApiError>({
    queryKey: [path, 'all'],
    queryFn: async ({ signal }) => {
      const read = (cursor: string | undefined) =>
        callAny('get', path, { query: { limit: AT_ONCE, cursor }, signal }) as Promise<Answer<Path, 'get'>>;
      return { data: await allPages<unknown>(read) } as Whole<Path>;
    },
    enabled,
    refetchOnWindowFocus: !paused && every !== undefined,
    refetchInterval: ({ state }) => (every === undefined || paused ? false : untilNext(state, every)),
  });
}
