/**
 * Texts that cross between this process and an isolate lie outside of the heap of whoever gets them. V8 leaves 64 MB of them in
 * each heap before it looks which are garbage: so it is told to look sooner. A heap has a few megabytes besides, which takes it
 * some milliseconds.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type ivm from 'isolated-vm';

/** Of texts in one heap; a call that gives more is the exception. */
export const GARBAGE_BYTES = 16_777_216;

/**
 * Only contexts that are made meanwhile know a function `gc`: freeze.ts takes it away again, should another thread make one of
 * the user's just now.
 */
function exposed<Made>(make: () => Made): Made {
  setFlagsFromString('--expose-gc');
  try {
    return make();
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

/** Collects the garbage of this process' own heap. */
export const collectHere = exposed(() => runInNewContext('gc') as () => void);

/** Collects the garbage of an isolate in which nothing has run yet. Throws when there is no room in it. */
export function collectorOf(isolate: ivm.Isolate): () => Promise<unknown> {
  const context = exposed(() => isolate.createContextSync());
  const gc = context.global.getSync('gc', { reference: true });
  return () => gc.apply(undefined, []);
}
