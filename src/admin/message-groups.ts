/** Why messages are parked, at a glance: the newest of them by stage and error, whatever the numbers in it. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const GROUPS = statement('admin/message-groups');

const LOOKED = 50_000;
const ERROR_CHARACTERS = 1_000;

export interface MessageGroup {
  /** Its name in a filter: tells nothing of the error. */
  group: string;
  stage: string | null;
  count: number;
  first_at: Date;
  last_at: Date;
  /** `schema.table` */
  tables: string[];
  /** The newest. */
  sample_id: number;
  /** A value of its row. */
  record_pk: string | null;
  /** Its error, in the destination's own words: they may quote a row. */
  error: string | null;
}

export interface MessageGroups {
  /** The largest first, 100 at most. */
  groups: MessageGroup[];
  looked: number;
  /** There are parked messages that were not looked at. */
  is_estimate: boolean;
}

type Row = Pick<MessageGroups, 'looked' | 'is_estimate'> & (MessageGroup | { sample_id: null });

export async function groupMessages(db: Queryable, sinkNo: number): Promise<MessageGroups> {
  const { rows } = await db.query<Row>(GROUPS, [sinkNo, LOOKED, ERROR_CHARACTERS]);
  const groups = rows.flatMap(({ looked: _, is_estimate: __, ...row }) => (row.sample_id === null ? [] : [row]));
  return { groups, looked: rows[0]?.looked ?? 0, is_estimate: rows[0]?.is_estimate ?? false };
}
