/** Makes a sink, and before it the functions that were written for it. */
import { useRef, useState } from 'react';
import { ApiError, type Body, call } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { bodyOf, type SinkEntry } from '../form/entry.ts';
import type { functionsOf, Use } from '../form/uses.ts';

interface Wanted {
  entry: SinkEntry;
  functions: ReturnType<typeof functionsOf>;
}

interface Told {
  /** It is stored from now on, whatever becomes of the sink. */
  onFunction(use: Use, name: string): void;
  onDone(name: string): Promise<void>;
}

interface State {
  isPending: boolean;
  isTried: boolean;
  error: ApiError | null;
  /** The function that `error` is about; null: the sink itself. */
  within: Use | null;
}

export function useCreate({ onFunction, onDone }: Told) {
  const [state, setState] = useState<State>({ isPending: false, isTried: false, error: null, within: null });
  const last = useRef<Wanted>(null);
  const run = async (wanted: Wanted, test: 'true' | 'false'): Promise<void> => {
    let { entry } = wanted;
    let [making = null, ...rest] = wanted.functions;
    last.current = wanted;
    setState({ isPending: true, isTried: true, error: null, within: null });
    try {
      while (making !== null) {
        const { use, name, code } = making;
        await call('post', '/api/functions', { body: { name, code, type: use } });
        entry = { ...entry, [use]: name };
        last.current = { entry, functions: rest };
        onFunction(use, name);
        [making = null, ...rest] = rest;
      }
      const body = bodyOf(entry) as Body<'/api/sinks', 'post'>;
      const { name } = await call('post', '/api/sinks', { query: { test }, body });
      await queryClient.invalidateQueries();
      await onDone(name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState({ isPending: false, isTried: true, error, within: making?.use ?? null });
    }
  };
  return {
    ...state,
    start: (wanted: Wanted) => void run(wanted, 'true'),
    /** Its destination did not answer: delivery begins with a try. */
    startUntested: () => void (last.current && run(last.current, 'false')),
  };
}
