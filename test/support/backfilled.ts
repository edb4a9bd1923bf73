/** Backfills as a person asks for them, in tests. */
import type { Database } from '../../src/db/pool.ts';
import { until } from './until.ts';

export interface BackfillStatus {
  id: string;
  kind: string;
  table_schema: string | null;
  table_name: string | null;
  state: string;
  reason: string | null;
  remedy: string | null;
  rows_done: number;
  rows_sent: number;
  rows_total: number | null;
}

/** Every backfill, oldest first. */
export async function backfillsOf(messages: Database): Promise<BackfillStatus[]> {
  const { rows } = await messages.query<BackfillStatus>(
    'select * from millrace.backfill_status order by created_at, kind',
  );
  return rows;
}

/** Calls `millrace.backfill` with these arguments, and waits until it has ended. */
export async function backfilled(messages: Database, args: string): Promise<BackfillStatus> {
  const { rows } = await messages.query<{ id: string }>(`select millrace.backfill(${args}) as id`);
  let status: BackfillStatus | undefined;
  await until('the backfill has ended', async () => {
    status = (await backfillsOf(messages)).find(({ id }) => id === rows[0]!.id);
    return ['done', 'failed', 'cancelled'].includes(status!.state);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(status)}`);
  });
  return status!;
}
