/** How patient and how thorough a verification is. */

export interface VerifyOptions {
  /** What was written is found by a search after so long. */
  refreshMs: number;
  /** A sink that makes no progress for so long is given up. */
  patienceMs: number;
  /** With so many drifts the search for more ends. */
  mostDrifts: number;
}

export const VERIFY: VerifyOptions = { refreshMs: 1_500, patienceMs: 60_000, mostDrifts: 100_000 };
