/** What verification finds, and how it is told. Names and keys only: never a row's other values. */

export type DriftKind = 'missing' | 'extra' | 'different';

/** A document that is not what the table says, with everything settled that was committed before it was looked at. */
export interface Drift {
  kind: DriftKind;
  index: string;
  id: string;
  /** `schema.table`; null when no row of any table has this `_id`. */
  table: string | null;
  /** The row's key values as text; null when there is no row. */
  key: readonly string[] | null;
  /** Top-level fields that differ. */
  fields: readonly string[];
  /** Why it is so, as far as that is known: what a parked message or a function says. */
  reason: string | null;
  /** Sending the row again would change nothing. */
  hopeless: boolean;
}

export interface Report {
  sink: string;
  tables: readonly string[];
  rows: number;
  /** Documents of the indexes that were looked through; null: extra ones were not looked for. */
  listed: number | null;
  missing: number;
  extra: number;
  different: number;
  /** Rows that changed again and again while they were looked at. */
  changing: number;
  drifts: readonly Drift[];
  /** What was not compared, and why. */
  notes: readonly string[];
}

export const isDrifting = ({ missing, extra, different }: Report): boolean => missing + extra + different > 0;
