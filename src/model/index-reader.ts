/**
 * How verification reads a search index: by `_id`, and all of its `_id`s. Beside the contract of sinks (sink.ts), because
 * only a destination that keeps documents by id can be read back. A reader writes nothing, and throws MillraceError
 * `bad_destination` or `unavailable`, with the destination's own words, when it cannot be sure of having read everything.
 */

/** A document as a search finds it: what was written since the index was last refreshed is not seen yet. */
export interface IndexedDocument {
  /** Changes with every write of the document. */
  version: string;
  /** JSON text, digit by digit as it was indexed; undefined when the index does not keep it. */
  source: string | undefined;
}

export interface IndexedIds {
  documents: { id: string; version: string }[];
  /** How much of the index was looked through by now, 0..1. */
  part: number;
}

/** Safe to close twice. */
export interface IndexReader {
  /** Index of the documents that no routing function places. */
  readonly indexName: string;
  /** The `_id` of a row with this key. */
  documentId(recordPks: readonly string[]): string;
  /** The documents with these ids; those that are not there are left out. */
  fetch(index: string, ids: readonly string[], signal: AbortSignal): Promise<Map<string, IndexedDocument>>;
  /**
   * Every document that a search found at the first call, in pieces: those that are written meanwhile may be left out or
   * come twice.
   */
  list(index: string, signal: AbortSignal): AsyncIterable<IndexedIds>;
  close(): Promise<void>;
}
