/** What of a sink's messages failed for good because of a function, and whether the sink was paused for it. */
import type { Schemas } from '../../api/client.ts';
import { useOverview } from '../../api/overview.ts';
import { useGet } from '../../api/queries.ts';
import { failedFunction } from '../messages/failed-function.ts';

export type Group = Schemas['MessageGroup'];

/** Further ones may fail while one looks. */
const GROUPS_MS = 10_000;

/** Groups of a sink's messages that were parked while they were shaped: by this function, as far as one may know. */
export function useParked(sink: string | undefined, fn: string): readonly Group[] {
  const { data } = useGet(
    '/api/sinks/{sink}/messages/groups',
    { path: { sink: sink ?? '' } },
    { enabled: sink !== undefined, every: GROUPS_MS },
  );
  if (sink === undefined) return [];
  return (data?.data ?? []).filter(({ stage, error }) => stage === 'shape' && (failedFunction(error) ?? fn) === fn);
}

/** Its functions brought their process down three times: until somebody resumes it, nothing goes on. */
export function useHalted(sink: string | undefined): boolean {
  const { data } = useOverview(sink !== undefined);
  const known = data?.sinks.find(({ name }) => name === sink);
  return known?.status === 'paused' && known.reasons.includes('function_kills');
}
