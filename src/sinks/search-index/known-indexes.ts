/**
 * Which routed indexes are known to be there. The engine creates a missing index silently, with a guessed mapping, so
 * the first use of each name is preceded by `_search`. A missing one is not asked for again for half a minute, but for deletes:
 * it is taken for one without documents only when the engine has said so just now, for others may have made it.
 */
import type { Circuit, Outcome } from '../../model/sink.ts';
import type { SearchClient } from './client.ts';
import { decodeSearch, INDEX_WAIT_MS, type IndexFault } from './decode.ts';

/** What every message for this index gets instead of being sent. `isMissing`: but deletes, for it has no documents. */
export interface Held {
  kind: 'held';
  outcome: Outcome;
  isMissing?: boolean;
}

export type Route =
  | { kind: 'ready' }
  | Held
  /** The answer says nothing about the index, as a 503 does. */
  | { kind: 'unclear'; circuit: Circuit }
  | { kind: 'circuit'; circuit: Circuit };

export interface Routes {
  check(index: string, on: { signal: AbortSignal; hasDeletes: boolean }): Promise<Route>;
  /** The index has failed since: ask again before its next use. */
  forget(index: string): void;
}

/** Routing functions make names from data: beyond this many, what is known is dropped and asked for again. */
const MOST_NAMES = 10_000;

export function openRoutes({ client, now }: { client: Pick<SearchClient, 'search'>; now: () => number }): Routes {
  const ready = new Set<string>();
  const missing = new Map<string, { error: string; until: number; isMissing: boolean }>();

  async function ask(index: string, signal: AbortSignal): Promise<Route> {
    const readiness = decodeSearch(await client.search(index, signal));
    switch (readiness.kind) {
      case 'ready':
        missing.delete(index);
        ready.add(index);
        return { kind: 'ready' };
      case 'circuit':
        return { kind: 'circuit', circuit: readiness.circuit };
      case 'index': {
        const { isMissing } = readiness;
        missing.set(index, { error: readiness.circuit.error, until: now() + INDEX_WAIT_MS, isMissing });
        return heldFor(index, readiness);
      }
      case 'name':
        return { kind: 'held', outcome: { kind: 'park', error: readiness.circuit.error } };
      case 'unclear':
        return { kind: 'unclear', circuit: readiness.circuit };
      case 'aborted':
        return { kind: 'held', outcome: { kind: 'untried' } };
    }
  }

  return {
    async check(index, { signal, hasDeletes }) {
      if (ready.has(index)) return { kind: 'ready' };
      const known = missing.get(index);
      const leftMs = known === undefined ? 0 : known.until - now();
      if (known !== undefined && leftMs > 0 && !(hasDeletes && known.isMissing)) {
        return { kind: 'held', outcome: waitFor(index, known.error, leftMs) };
      }
      if (ready.size + missing.size >= MOST_NAMES) {
        ready.clear();
        missing.clear();
      }
      return ask(index, signal);
    },
    forget(index) {
      ready.delete(index);
    },
  };
}

/** What messages get whose index is at fault. The error names it, for the sink shows it too. */
export const heldFor = (index: string, { circuit, isMissing }: IndexFault): Held => ({
  kind: 'held',
  outcome: waitFor(index, circuit.error, INDEX_WAIT_MS),
  isMissing,
});

function waitFor(index: string, error: string, retryAfterMs: number): Outcome {
  const named = error.includes(index) ? error : `index ${index}: ${error}`;
  return { kind: 'wait', error: named, retryAfterMs, isForIndex: true };
}
