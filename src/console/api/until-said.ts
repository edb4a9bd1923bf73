/** A question whose answer is told once there is one. */
import { ApiError } from './client.ts';

const AGAIN_MS = 3_000;

interface Question<T> {
  ask: (signal: AbortSignal) => Promise<T>;
  onAnswer: (answer: T) => void;
  onError: (error: ApiError) => void;
  /** Milliseconds before it is asked. */
  afterMs?: number;
}

/** Asks; while nobody can say, asks again 3 s later. Calling what it returns ends that. */
export function untilSaid<T>({ ask, onAnswer, onError, afterMs = 0 }: Question<T>): () => void {
  const stop = new AbortController();
  const once = (): void =>
    void ask(stop.signal).then(onAnswer, (error: unknown) => {
      if (!(error instanceof ApiError) || stop.signal.aborted) return;
      onError(error);
      if (error.status === 0 || error.status >= 500) timer = setTimeout(once, AGAIN_MS);
    });
  let timer = setTimeout(once, afterMs);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
