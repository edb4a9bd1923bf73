/** Which sink a message waits for, or failed in, by its id: each that has any is asked, one after the other. */
import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../api/client.ts';
import { useOverview } from '../api/overview.ts';

/** All ids have so many digits: they begin with the time at which something was captured first, in microseconds. */
const ID = /^[1-9]\d{15}$/;

const LISTS = {
  sinks: '/api/sinks/{sink}/messages/{id}',
  'change-retentions': '/api/change_retentions/{sink}/messages/{id}',
} as const;

interface Owner {
  list: keyof typeof LISTS;
  name: string;
}

export interface MessageSearch {
  id: string;
  /** Those that have it. */
  owners: readonly Owner[];
  isLooking: boolean;
  /** Some, or all, could not be asked: what is not among `owners` may have it. */
  error: ApiError | null;
}

/** Null: the text is no id of a message. */
export function useMessageSearch(text: string): MessageSearch | null {
  const { data, error } = useOverview();
  const id = text.trim();
  const having = (list: Owner['list'], all: readonly { name: string; pending: number; parked: number }[]): Owner[] =>
    all.filter(({ pending, parked }) => pending + parked > 0).map(({ name }) => ({ list, name }));
  const asked = [...having('sinks', data?.sinks ?? []), ...having('change-retentions', data?.change_retentions ?? [])];
  const isId = ID.test(id);
  const found = useQuery<Pick<MessageSearch, 'owners' | 'error'>>({
    queryKey: ['message', id],
    queryFn: ({ signal }) => search(asked, id, signal),
    enabled: isId && data !== undefined,
  });
  if (!isId) return null;
  if (found.data !== undefined) return { id, ...found.data, isLooking: false };
  // Without the overview nobody knows whom to ask.
  return { id, owners: [], isLooking: data !== undefined || error === null, error: data === undefined ? error : null };
}

/** What one of them cannot say is no reason to forget what others said. */
async function search(
  asked: readonly Owner[],
  id: string,
  signal: AbortSignal,
): Promise<Pick<MessageSearch, 'owners' | 'error'>> {
  const owners: Owner[] = [];
  let failed: ApiError | null = null;
  for (const owner of asked) {
    try {
      if (await hasMessage(owner, id, signal)) owners.push(owner);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed = error;
    }
  }
  return { owners, error: failed };
}

async function hasMessage({ list, name }: Owner, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await call('get', LISTS[list], { path: { sink: name, id }, signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
