/**
 * How large a request may be, learned from answers and remembered while the sink is open.
 * A 413 teaches for good, and every refusal makes the ceiling smaller than what was refused, so splitting always ends.
 * Pressure (429) and lost connections teach for a while: an engine that is full, or a proxy that cuts a long upload
 * instead of answering 413, gets smaller requests at once and the old size back step by step.
 */
export interface Ceiling {
  bytes: number;
  documents: number;
}

export interface Limits {
  readonly ceiling: Ceiling;
  /** 413 for a request of so many bytes. */
  tooLarge(bytes: number): void;
  /** Some or all of `documents` were turned away for want of room. */
  pushedBack(documents: number): void;
  /** The connection ended while a request of so many bytes had no answer. */
  dropped(bytes: number): void;
  accepted(bytes: number): void;
}

const SMALLEST_BYTES = 256 * 1024;
const SMALLEST_DOCUMENTS = 10;

export function learnLimits(configured: Ceiling): Limits {
  let refusedBytes = Number.POSITIVE_INFINITY;
  let acceptedBytes = 0;
  let softBytes = configured.bytes;
  let softDocuments = configured.documents;

  function hardBytes(): number {
    if (refusedBytes === Number.POSITIVE_INFINITY) return configured.bytes;
    return Math.min(configured.bytes, Math.max(acceptedBytes, Math.floor(refusedBytes / 2)));
  }

  return {
    get ceiling() {
      return { bytes: Math.min(hardBytes(), softBytes), documents: softDocuments };
    },
    tooLarge(bytes) {
      refusedBytes = Math.min(refusedBytes, bytes);
      if (acceptedBytes >= refusedBytes) acceptedBytes = 0;
    },
    pushedBack(documents) {
      softDocuments = Math.max(Math.min(SMALLEST_DOCUMENTS, configured.documents), Math.floor(documents / 2));
    },
    dropped(bytes) {
      if (bytes > SMALLEST_BYTES) softBytes = Math.min(softBytes, Math.max(SMALLEST_BYTES, Math.floor(bytes / 2)));
    },
    accepted(bytes) {
      if (bytes < refusedBytes) acceptedBytes = Math.max(acceptedBytes, bytes);
      if (bytes >= softBytes / 2) softBytes = Math.min(configured.bytes, Math.ceil(softBytes * 1.25));
      softDocuments = Math.min(configured.documents, Math.ceil(softDocuments * 1.25));
    },
  };
}
