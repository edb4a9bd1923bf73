/** Deliveries and shapings that failed, of one message or of a whole sink. What went well leaves no trace. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { showMessage } from './list-messages.ts';

const OF_MESSAGE = statement('admin/message-attempts');
const OF_SINK = statement('admin/sink-attempts');

export interface Attempt {
  /** Rises with the time; of the attempt, not of its message. */
  id: number;
  message_id: number;
  /** Deliveries until then, since somebody last put the message back. */
  attempt: number;
  at: Date;
  stage: string;
  /** The request, or the call of the functions, that it was part of. */
  took_ms: number | null;
  status: number | null;
  type: string | null;
  /** The destination's own words: they may quote a row. */
  text: string;
}

/** In order; also of one that has gone since. @throws MillraceError not_found: nothing is known of it. */
export async function messageAttempts(db: Queryable, sinkNo: number, id: number): Promise<Attempt[]> {
  const { rows } = await db.query<Attempt>(OF_MESSAGE, [sinkNo, id]);
  if (rows.length === 0) await showMessage(db, sinkNo, { id, texts: false });
  return rows;
}

/** Newest first: those behind `before`, newer than `after`. */
export async function sinkAttempts(
  db: Queryable,
  sinkNo: number,
  { before, after = 0, limit }: { before?: number | undefined; after?: number | undefined; limit: number },
): Promise<{ attempts: Attempt[]; next: number | null }> {
  const { rows } = await db.query<Attempt>(OF_SINK, [sinkNo, before ?? null, after, limit + 1]);
  const attempts = rows.slice(0, limit);
  return { attempts, next: rows.length > limit ? attempts.at(-1)!.id : null };
}
