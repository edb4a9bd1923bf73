/** What a backfill reads from: rows of a table, listed rows, or entries of a change table. Its loop is the same for all. */

import type { PagePlace } from '../capture/windows.ts';
import type { Connection } from '../db/pool.ts';
import type { DeclaredAction } from '../model/declared.ts';
import type { Pending } from '../routing/pending.ts';

export interface Part {
  /** Where the next one begins; JSON. */
  position: unknown;
  /** Nothing follows. */
  ended: boolean;
  /** Rows that were looked at. */
  read: number;
  /** What it sends is not counted: it follows from what was sent before. */
  uncounted?: boolean;
  /** As `Page.put`. */
  put(pending: Pending, place: PagePlace): number | undefined;
}

export interface Reader {
  /** The table whose changes supersede what is read; undefined when none does. */
  oid: number | undefined;
  /** Of the changes that the sink gets. */
  actions: ReadonlySet<DeclaredAction>;
  /** How much there is to read, about; null: it is known already. */
  total(client: Connection): Promise<number | null>;
  /** Comes before each `read`, outside of a transaction: what is read elsewhere than in the source. */
  prepare?(position: unknown, signal: AbortSignal): Promise<void>;
  /** Reads what follows `position`, in the transaction of `client` on the source, which ends with the watermark. */
  read(client: Connection, position: unknown): Promise<Part>;
  /** Nothing is read any more. */
  close?(): Promise<void>;
}
