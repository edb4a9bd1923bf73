/** A message as a lane reads it, and its way out. */
import type { Action } from '../model/message.ts';
import type { Delivery } from '../model/sink.ts';

export interface LaneRow {
  id: number;
  action: Action;
  /** 0: none. */
  group_key: number;
  group_key2: number;
  /** JSON array of text. */
  record_pks: string;
  oid: number;
  schema_name: string;
  table_name: string;
  record: string;
  changes: string | null;
  metadata: string;
  committed_at: string;
  /** The same where only bodies are read, of some rows: milliseconds since 1970. */
  committed_ms?: number | null;
  /** An unchanged TOAST value is missing: the record is not the whole row. */
  partial: boolean;
  attempts: number;
  /** Its delivery state; null on the straight path. */
  state: string | null;
  error: string | null;
  /** An earlier message of its group has left the straight path. */
  behind: boolean;
}

/** The delivery of a message without functions. */
export function deliveryOf(row: LaneRow): Delivery {
  return {
    id: row.id,
    action: row.action,
    recordPks: keyOf(row.record_pks),
    tableOid: row.oid,
    tableSchema: row.schema_name,
    tableName: row.table_name,
    record: row.record,
    changes: row.changes,
    metadata: row.metadata,
    committedAt: row.committed_at,
    body: row.record,
    indexName: undefined,
    groups: groupsOf(row),
    attempts: row.attempts,
  };
}

const NO_GROUP: readonly number[] = [];

export function groupsOf({ group_key: one, group_key2: other }: LaneRow): readonly number[] {
  if (other !== 0) return one === 0 ? [other] : [one, other];
  return one === 0 ? NO_GROUP : [one];
}

/** The texts of a JSON array; the usual one, a plain text alone, is only cut out. */
function keyOf(json: string): string[] {
  const end = json.length - 2;
  if (json.startsWith('["') && json.indexOf('"', 2) === end && !json.includes('\\')) return [json.slice(2, end)];
  return JSON.parse(json);
}
