/** The samples of a source: read once, or as they pass. What somebody writes over one stays until another source is chosen. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import type { ApiError } from '../../api/client.ts';
import { usePerson } from '../../api/person.ts';
import { untilNext } from '../../api/rest.ts';
import { MOST, readPassing, readSamples, type Sample, type Source } from './samples.ts';

const EVERY_MS = 2_000;

interface Known {
  samples: readonly Sample[];
  setSamples: Dispatch<SetStateAction<readonly Sample[]>>;
  error: ApiError | null;
  isLoading: boolean;
}

export function useSamples(source: Source | null): Known {
  const { may } = usePerson();
  const known = useQueryClient();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const queryKey = ['samples', source];
  const query = useQuery<readonly Sample[], ApiError>({
    queryKey,
    queryFn: ({ signal }) =>
      source?.from === 'passing'
        ? readPassing(source.sink, known.getQueryData<readonly Sample[]>(queryKey) ?? [], signal)
        : readSamples(source!, signal),
    enabled: source !== null && may('read:data'),
    refetchInterval({ state }) {
      const isDue = source?.from === 'passing' ? (state.data?.length ?? 0) < MOST : state.status === 'error';
      return isDue && untilNext(state, EVERY_MS);
    },
    // Not asked anew when something is saved: that would replace what somebody writes.
    staleTime: 'static',
    gcTime: 0,
  });
  const { data } = query;
  const asked = JSON.stringify(source);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another source there are others
  useEffect(() => setSamples([]), [asked]);
  useEffect(() => setSamples((before) => [...before, ...(data ?? []).slice(before.length)]), [data]);
  return { samples, setSamples, error: query.error, isLoading: query.isLoading };
}
