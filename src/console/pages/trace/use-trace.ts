/** Messages of a sink on their way, while somebody looks: asking keeps it going, and only what is new is sent. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from '../../api/client.ts';
import { usePaused } from '../../api/paused.ts';
import { lookAtPreview, type Recent } from '../../api/preview.ts';
import { untilNext } from '../../api/rest.ts';

export type Traced = Recent;

const EVERY_MS = 2_000;
/** As many as the service keeps. */
const MOST = 50;

interface Trace {
  /** Newest first. */
  messages: Traced[];
}

export function useTrace(sink: string, isOn: boolean) {
  const known = useQueryClient();
  const paused = usePaused();
  const key = ['trace', sink];
  return useQuery<Trace, ApiError>({
    queryKey: key,
    async queryFn({ signal }) {
      const before = known.getQueryData<Trace>(key)?.messages ?? [];
      const [newest] = before;
      // It may have been seen before it was settled.
      const isOpen = newest !== undefined && newest.steps.settled === null;
      const newer = await lookAtPreview(sink, (newest?.id ?? 0) - (isOpen ? 1 : 0), signal);
      const seen = new Set(newer.map(({ id }) => id));
      return { messages: [...newer, ...before.filter(({ id }) => !seen.has(id))].slice(0, MOST) };
    },
    enabled: isOn && !paused,
    refetchInterval: ({ state }) => untilNext(state, EVERY_MS),
    // Nothing is sampled any more when a page is opened again.
    gcTime: 60_000,
  });
}

export const hasFailed = ({ steps: { answer } }: Traced): boolean =>
  answer.text !== null || answer.outcome === 'park' || answer.outcome === 'retry' || answer.outcome === 'circuit';
