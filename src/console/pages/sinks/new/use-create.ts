/** Makes a sink, and before it the function that was written for it. */
import { useRef, useState } from 'react';
import { ApiError, type Body, call } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { bodyOf, type SinkEntry } from '../form/entry.ts';
import type { Written } from '../form/function-part.tsx';

interface Wanted {
  entry: SinkEntry;
  written: Written | null;
}

interface Told {
  /** It is stored from now on, whatever becomes of the sink. */
  onFunction(name: string): void;
  onDone(name: string): Promise<void>;
}

export function useCreate({ onFunction, onDone }: Told) {
  const [state, setState] = useState<{ isPending: boolean; isTried: boolean; error: ApiError | null }>({
    ...{ isPending: false, isTried: false, error: null },
  });
  const last = useRef<Wanted>(null);
  const run = async (wanted: Wanted, test: 'true' | 'false'): Promise<void> => {
    last.current = wanted;
    setState({ isPending: true, isTried: true, error: null });
    try {
      const { entry, written } = wanted;
      if (written !== null) {
        await call('post', '/api/functions', { body: { ...written, type: 'transform' } });
        last.current = { entry: { ...entry, transform: written.name }, written: null };
        onFunction(written.name);
      }
      const body = bodyOf(last.current.entry) as Body<'/api/sinks', 'post'>;
      const { name } = await call('post', '/api/sinks', { query: { test }, body });
      await queryClient.invalidateQueries();
      await onDone(name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState({ isPending: false, isTried: true, error });
    }
  };
  return {
    ...state,
    start: (wanted: Wanted) => void run(wanted, 'true'),
    /** Its destination did not answer: delivery begins with a try. */
    startUntested: () => void (last.current && run(last.current, 'false')),
  };
}
