/** Runs a function on samples, when typing has stopped for a moment. */
import { useEffect, useState } from 'react';
import { type ApiError, type Body, call, type Schemas } from '../../api/client.ts';
import { untilSaid } from '../../api/until-said.ts';
import { isJson, messageOf, type Sample } from './samples.ts';
import { type Asked, stillSo } from './still-so.ts';
import type { FnType } from './types.ts';

export type Result = Schemas['FunctionResult'];

export interface Run {
  /** By the place of the sample; undefined: nobody knows yet. */
  results: readonly (Result | undefined)[];
  error: ApiError | null;
  /** They are of the code as it was before. */
  isOld: boolean;
}

interface Answered {
  asked: Asked<Sample>;
  results: readonly Result[];
  error: ApiError | null;
}

const STILL_MS = 300;
const NOTHING: Run = { results: [], error: null, isOld: false };

export function useRun(
  fn: { type: FnType; code: string; sink?: string | undefined },
  samples: readonly Sample[],
  enabled: boolean,
): Run {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const { type, code, sink } = fn;
  const wanted = JSON.stringify({ type, code, sink, samples, enabled });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` is all of it
  useEffect(() => {
    const good = samples.every(({ record, changes }) => isJson(record) && (changes === null || isJson(changes)));
    if (!enabled || samples.length === 0 || !good) return;
    const asked: Asked<Sample> = { type, code, sink, samples };
    const text = type === 'path' ? { path: code.trim() } : { code };
    const on = { messages: samples.map(messageOf) };
    const body = { type, ...text, ...(sink === undefined ? {} : { sink }), on } as Body<'/api/functions/run', 'post'>;
    return untilSaid({
      ask: (signal) => call('post', '/api/functions/run', { body, signal }),
      onAnswer: ({ results }) => setAnswered({ asked, results, error: null }),
      onError: (error) => setAnswered({ asked, results: [], error }),
      afterMs: STILL_MS,
    });
  }, [wanted]);
  if (answered === null || !enabled) return NOTHING;
  const { asked, error } = answered;
  return {
    results: stillSo(asked, { type, code, sink, samples }, answered.results),
    error,
    isOld: asked.code !== code,
  };
}
