/**
 * Documents whose request failed while the engine answered for others: one of them may be what no request survives (some
 * proxy cuts every connection that brings it, say). Each time they travel in half the company, until the one at fault
 * fails alone and the others are through. Whether a document that failed alone is at fault, or the engine, shows when
 * the engine has answered for others since. What is forgotten here costs a few requests.
 */
import type { Operation } from './encode.ts';

export interface Suspects {
  /** How many documents may travel in a request with this one. */
  company(index: string, operation: Operation): number;
  /** The engine has answered for each of these. */
  answered(index: string, operations: readonly Operation[]): void;
  /** They failed in one request, while others went through. */
  failedTogether(index: string, operations: readonly Operation[]): void;
  failedAlone(index: string, operation: Operation): void;
  /** Of one that failed alone: has the engine answered for others since it failed before this? Ask once each time. */
  isGuilty(index: string, operation: Operation): boolean;
}

interface Suspect {
  company: number;
  /** How many answers there were when it failed alone. */
  answers: number | undefined;
}

/** Beyond that, all are forgotten. */
const MOST = 20_000;

export function openSuspects(): Suspects {
  const suspects = new Map<string, Suspect>();
  let answers = 0;
  const keyOf = (index: string, { documentId }: Operation): string => `${index}\n${documentId}`;
  const put = (key: string, suspect: Suspect): void => {
    if (suspects.size >= MOST) suspects.clear();
    suspects.set(key, suspect);
  };
  return {
    company(index, operation) {
      if (suspects.size === 0) return Number.POSITIVE_INFINITY;
      return suspects.get(keyOf(index, operation))?.company ?? Number.POSITIVE_INFINITY;
    },
    answered(index, operations) {
      answers += 1;
      if (suspects.size === 0) return;
      for (const operation of operations) suspects.delete(keyOf(index, operation));
    },
    failedTogether(index, operations) {
      const company = Math.max(1, operations.length >> 1);
      for (const operation of operations) put(keyOf(index, operation), { company, answers: undefined });
    },
    failedAlone(index, operation) {
      const key = keyOf(index, operation);
      if (suspects.get(key)?.answers === undefined) put(key, { company: 1, answers });
    },
    isGuilty(index, operation) {
      const key = keyOf(index, operation);
      const since = suspects.get(key)?.answers;
      put(key, { company: 1, answers });
      return since !== undefined && answers > since;
    },
  };
}
