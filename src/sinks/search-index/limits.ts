/**
 * How large a request may be, learned from answers and remembered while the sink is open.
 * Every refusal makes the ceiling smaller than what was refused, so splitting always ends; and nothing that was learned
 * holds for good: what made a proxy or an engine refuse may be gone, or may have been about one document alone. After
 * some requests that passed, a larger one is tried; each time that one is refused, it takes twice as many.
 * Failures (429, 503, a lost connection) halve the requests down to a single document, which tells one document that
 * no engine survives from an engine that is down; sizes grow back with every request that is answered.
 */
export interface Ceiling {
  bytes: number;
  documents: number;
}

export interface Limits {
  readonly ceiling: Ceiling;
  /** 413 for a request of so many bytes. */
  tooLarge(bytes: number): void;
  /** A request of so many documents was turned away, or has no clear answer. */
  failed(documents: number): void;
  /** The connection ended while a request of so many bytes had no answer. */
  dropped(bytes: number): void;
  accepted(bytes: number): void;
}

const SMALLEST_BYTES = 256 * 1024;
const GROWTH = 1.5;
/** Requests that must pass before a larger one is tried after a 413. */
const FIRST_PATIENCE = 8;
const MOST_PATIENCE = 1024;

export function learnLimits(configured: Ceiling): Limits {
  let hardBytes = configured.bytes;
  let refusedBytes = Number.POSITIVE_INFINITY;
  let acceptedBytes = 0;
  let patience = FIRST_PATIENCE;
  let passed = 0;
  let isTrying = false;
  let softBytes = configured.bytes;
  let softDocuments = configured.documents;

  function grow(bytes: number): void {
    if (bytes >= refusedBytes) {
      hardBytes = configured.bytes;
      refusedBytes = Number.POSITIVE_INFINITY;
      patience = FIRST_PATIENCE;
      isTrying = false;
    }
    if (hardBytes >= configured.bytes) return;
    hardBytes = Math.min(configured.bytes, Math.max(hardBytes, bytes));
    if (bytes < hardBytes / 2) return;
    passed += 1;
    if (passed < patience) return;
    passed = 0;
    isTrying = true;
    hardBytes = Math.min(configured.bytes, hardBytes * 2);
  }

  return {
    get ceiling() {
      return { bytes: Math.min(hardBytes, softBytes), documents: softDocuments };
    },
    tooLarge(bytes) {
      if (bytes > hardBytes) return;
      if (isTrying) patience = Math.min(MOST_PATIENCE, patience * 2);
      if (acceptedBytes >= bytes) acceptedBytes = 0;
      hardBytes = Math.max(acceptedBytes, Math.floor(bytes / 2));
      refusedBytes = bytes;
      passed = 0;
      isTrying = false;
    },
    failed(documents) {
      softDocuments = Math.max(1, Math.min(softDocuments, Math.floor(documents / 2)));
    },
    dropped(bytes) {
      if (bytes > SMALLEST_BYTES) softBytes = Math.min(softBytes, Math.max(SMALLEST_BYTES, Math.floor(bytes / 2)));
    },
    accepted(bytes) {
      acceptedBytes = Math.max(acceptedBytes, bytes);
      grow(bytes);
      if (bytes >= softBytes / 2) softBytes = Math.min(configured.bytes, Math.ceil(softBytes * GROWTH));
      softDocuments = Math.min(configured.documents, Math.ceil(softDocuments * GROWTH));
    },
  };
}
