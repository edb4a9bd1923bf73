/** How far a verification is: for whoever watches, and for whoever goes on from there. */
import type { Gathered, Walked } from './findings.ts';

export interface Progress {
  phase: 'rows' | 'index' | 'recheck' | 'repair';
  /** The table or index. */
  name: string;
  /** 0..1; undefined when it cannot be told. */
  part: number | undefined;
  /** Rows or documents. */
  count: number;
}

/** Tables that were compared, and what was found. Of no use once the catalog is another one. */
export interface Kept {
  generation: number;
  tables: readonly string[];
  gathered: Gathered;
  /** The indexes were walked through, too: nothing is left but to repair. */
  walked?: Walked | undefined;
}

/** With more drifts nothing is kept: whoever begins again finds them again. */
export const KEPT_DRIFTS = 1_000;
