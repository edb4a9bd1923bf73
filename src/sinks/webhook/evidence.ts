/**
 * Is it the endpoint that fails, or a message? Kept while the sink is open, and may be forgotten. One message that fails says
 * nothing of the endpoint; two in a row do, which never failed before, and so do ten in a row, whatever was before. Of
 * messages that fail together it is not known which of them it is: the next time fewer travel together.
 */
import type { Load } from './encode.ts';

export interface Evidence {
  /** The endpoint has taken something, or answered for it. */
  accepted(): void;
  failed(load: Load): void;
  /** Does the endpoint fail as a whole, as far as that is known? */
  isDown(): boolean;
  /** Messages that may go in one request. */
  company(): number;
}

const FRESH = 2;
const REQUESTS = 10;

export function openEvidence(): Evidence {
  /** Since the endpoint took something last: messages that had never failed before, and what was the first of a request. */
  const fresh = new Set<number>();
  const requests = new Set<number>();
  let company = Number.POSITIVE_INFINITY;
  return {
    accepted() {
      fresh.clear();
      requests.clear();
      company *= 2;
    },
    failed(load) {
      if (load.length > 1) company = Math.min(company, load.length >> 1);
      if (requests.size >= REQUESTS) return;
      requests.add(load[0]!.id);
      for (const { id, attempts } of load) if (attempts === 0 && fresh.size < FRESH) fresh.add(id);
    },
    isDown: () => requests.size >= REQUESTS || fresh.size >= FRESH,
    company: () => company,
  };
}
