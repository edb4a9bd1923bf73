/** A search sink against an address, with short deadlines. */

import type { Sink } from '../../../src/model/sink.ts';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { openSearchSink } from '../../../src/sinks/search-index/sink.ts';

export function searchDestination(url: string, changed: Partial<SearchDestination> = {}): SearchDestination {
  return {
    type: 'elasticsearch',
    endpoint_url: url,
    index_name: 'products',
    auth_type: 'none',
    batch_size: 1000,
    batch_bytes: 8_388_608,
    compression: 'none',
    versioning: 'external',
    tls: { ca: null, verify: true },
    ...changed,
  };
}

export interface OpenOptions {
  authValue?: string;
  answerTimeoutMs?: number;
  connectTimeoutMs?: number;
  now?: () => number;
}

export function openTestSearchSink(destination: SearchDestination, options: OpenOptions = {}): Sink {
  const { authValue = null, now = Date.now, ...timeouts } = options;
  return openSearchSink({ log: { info: () => undefined }, now }, { destination, authValue }, timeouts);
}

/** A port on which nobody listens: nothing ever does on the discard port of a test machine's loopback. */
export const NOBODY = 'http://127.0.0.1:9';
export const NEVER = new AbortController().signal;
