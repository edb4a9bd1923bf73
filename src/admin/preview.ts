/**
 * Messages of a sink on their way, with their steps: kept while somebody looks, one a second at most and the last 50, and gone an
 * hour after the last look. Lanes write them (`deliver/sample.ts`); of a consumer that has no lane, looking itself does.
 */
import { recordChange } from '../catalog/audit.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { membersOf } from '../model/json-scan.ts';
import type { Action, FunctionInput } from '../model/message.ts';

const START = statement('admin/start-preview');
const LOOK = statement('admin/look-at-preview');
const SAMPLE = statement('admin/sample-pending');
const RECENT = statement('admin/recent-messages');

export interface RecentMessage {
  /** Rises; of the sample, not of the message. */
  id: number;
  message_id: number;
  at: Date;
  action: Action;
  table_schema: string;
  table_name: string;
  record_pk: string | null;
  /** ISO 8601, microseconds, UTC. */
  committed_at: string;
  /** Bytes of its JSON texts. */
  size: number;
  /** JSON text, as it was captured; null: too large. */
  message: string | null;
  /** Null: the sink has no functions. */
  shape_ms: number | null;
  kept: boolean | null;
  /** Null: nothing was sent. */
  sent_at: Date | null;
  send_ms: number | null;
  /** Null: it is not settled, or was in one with what was sent. */
  settle_ms: number | null;
  /** JSON text of the deliveries. */
  sent: string | null;
  outcome: string;
  stage: string | null;
  status: number | null;
  type: string | null;
  text: string | null;
}

export interface Preview {
  /** Null: it does not run. */
  until: Date | null;
  /** Newest first. */
  messages: RecentMessage[];
}

/** For so many seconds, and for as many after each look. */
export async function startPreview(
  db: Transacting,
  sink: { no: number; name: string },
  seconds: number,
): Promise<Preview> {
  return await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ is_new: boolean }>(START, [sink.no, seconds]);
    if (rows[0]!.is_new)
      await recordChange(tx, { action: 'preview', subject: `sink ${sink.name}`, after: { seconds } });
    return await look(tx, sink.no, 0);
  });
}

/** Those behind `after`. It goes on, if it runs. */
export async function lookAtPreview(db: Transacting, sinkNo: number, after: number): Promise<Preview> {
  return await db.transaction(async (tx) => {
    await tx.query(LOOK, [sinkNo]);
    return await look(tx, sinkNo, after);
  });
}

async function look(tx: Queryable, sinkNo: number, after: number): Promise<Preview> {
  await tx.query(SAMPLE, [sinkNo]);
  const { rows } = await tx.query<RecentMessage & { id: number | null; until: Date | null }>(RECENT, [sinkNo, after]);
  const messages = rows.flatMap(({ until: _, ...message }) => (message.id === null ? [] : [message]));
  return { until: rows[0]?.until ?? null, messages };
}

/** The newest that were kept, as functions see them. */
export async function recentInputs(db: Queryable, sinkNo: number, limit: number): Promise<FunctionInput[]> {
  const { rows } = await db.query<RecentMessage>(RECENT, [sinkNo, 0]);
  const inputs = rows.flatMap(({ message, action }): FunctionInput[] => {
    const { record, changes = 'null', metadata } = Object.fromEntries(membersOf(message ?? '') ?? []);
    if (record === undefined || metadata === undefined) return [];
    return [{ action, record, changes: changes === 'null' ? null : changes, metadata }];
  });
  return inputs.slice(0, limit);
}
