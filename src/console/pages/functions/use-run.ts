/** Runs a function on samples, when typing has stopped for a moment. */
import { useEffect, useState } from 'react';
import { type ApiError, type Body, call, type Schemas } from '../../api/client.ts';
import { isJson, messageOf, type Sample } from './samples.ts';
import type { FnType } from './types.ts';

export type Result = Schemas['FunctionResult'];

export interface Run {
  results: readonly Result[];
  error: ApiError | null;
}

const STILL_MS = 300;

export function useRun(
  fn: { type: FnType; code: string; sink?: string | undefined },
  samples: readonly Sample[],
  enabled: boolean,
): Run {
  const [run, setRun] = useState<Run>({ results: [], error: null });
  const { type, code, sink } = fn;
  const wanted = JSON.stringify({ type, code, sink, samples, enabled });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` is all of it
  useEffect(() => {
    const good = samples.every(({ record, changes }) => isJson(record) && (changes === null || isJson(changes)));
    if (!enabled || samples.length === 0 || !good) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const text = type === 'path' ? { path: code.trim() } : { code };
      const body = { type, ...text, ...(sink === undefined ? {} : { sink }), on: { messages: samples.map(messageOf) } };
      try {
        const answer = await call('post', '/api/functions/run', {
          body: body as Body<'/api/functions/run', 'post'>,
          signal: stop.signal,
        });
        setRun({ results: answer.results, error: null });
      } catch (error) {
        if (!stop.signal.aborted) setRun({ results: [], error: error as ApiError });
      }
    }, STILL_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted]);
  return run;
}
