/** What a stored function is tried on at first: messages of the sink that the address names, else of the first one that uses it. */
import { useRef } from 'react';
import { useOverview } from '../../api/overview.ts';
import { useGet } from '../../api/queries.ts';
import type { Source } from './samples.ts';
import { firstSource } from './sink-functions.tsx';
import type { Fn } from './types.ts';

interface First {
  source: Source | null;
  /** Whose messages can be chosen, and are tried again once it is saved. */
  sink?: string;
}

/** Undefined: nobody knows yet. Once known it stays, whatever becomes of that sink: somebody may be writing. */
export function useFirstSource(
  fn: Fn | undefined,
  { sink, message }: { sink?: string | undefined; message?: string | undefined },
): First | undefined {
  const known = useRef<{ of: string; first: First }>(null);
  const { data: overview, isError } = useOverview();
  // A change retention may use it, too: it has no rows or messages for it here.
  const user = fn?.used_by.find((name) => overview?.sinks.some((one) => one.name === name));
  const asked = useGet('/api/sinks/{sink}', { path: { sink: user ?? '' } }, { enabled: user !== undefined });
  if (fn === undefined) return undefined;
  if (sink !== undefined)
    return {
      sink,
      source: { from: 'messages', sink, ...(message === undefined ? { state: 'parked' } : { id: message }) },
    };
  if (known.current?.of === fn.id) return known.current.first;
  const first = ((): First | undefined => {
    if (overview === undefined) return isError ? { source: null } : undefined;
    if (user === undefined || asked.isError) return { source: null };
    return asked.data?.name === user ? { sink: user, source: firstSource(asked.data) } : undefined;
  })();
  if (first !== undefined) known.current = { of: fn.id, first };
  return first;
}
