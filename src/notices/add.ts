/** Notices of what has happened: they stay until it is made good, or somebody dismisses them. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { noticesAsJson, type SinkNotice } from './notice.ts';

const ADD = statement('notices/add');

/** `again`: what was said before has happened once more; otherwise it keeps its time. A sink that is gone is passed over. */
export async function addNotices(
  db: Queryable,
  notices: readonly SinkNotice[],
  { again = true }: { again?: boolean } = {},
): Promise<void> {
  await db.query(ADD, [noticesAsJson(notices), again]);
}

/** Changes or rows of a table did not come to these sinks. */
export async function noteMissed(
  db: Queryable,
  sinks: readonly number[],
  missed: { code: MissedCode; table: string; message: string },
): Promise<void> {
  await addNotices(
    db,
    sinks.map((sinkNo) => ({ ...missed, sinkNo, remedy: null, catchUp: true })),
  );
}

export type MissedCode =
  | 'truncated'
  | 'table_detached'
  | 'added_late'
  | 'changes_left_out'
  | 'capture_switched_off'
  | 'values_left_out';
