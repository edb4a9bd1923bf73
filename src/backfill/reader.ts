/** What a backfill reads from: rows of a table, listed rows, or entries of a change table. Its loop is the same for all. */
import type pg from 'pg';
import type { Pending } from '../capture/pending.ts';
import type { PagePlace } from '../capture/windows.ts';
import type { DeclaredAction } from '../model/declared.ts';

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
  total(client: pg.ClientBase): Promise<number | null>;
  /** Comes before each `read`, outside of a transaction: what is read elsewhere than in the source. */
  prepare?(position: unknown, signal: AbortSignal): Promise<void>;
  /** Reads what follows `position`, in the transaction of `client` on the source, which ends with the watermark. */
  read(client: pg.ClientBase, position: unknown): Promise<Part>;
  /** Nothing is read any more. */
  close?(): Promise<void>;
}

/** Its table changed its columns, or its sink what it gets, since the reader was made: make another one, nothing is lost. */
export class ReloadError extends Error {}
