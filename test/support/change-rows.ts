/** What a change table holds, and what a table's rows are when its changes are applied one after the other. */
import type { Queryable } from '../../src/db/pool.ts';

export interface ChangeRow {
  seq: number;
  record_pk: string;
  record: Record<string, unknown>;
  changes: Record<string, unknown> | null;
  action: 'insert' | 'update' | 'delete';
}

/** In `seq` order. */
export async function changeRows(db: Queryable, table: string): Promise<ChangeRow[]> {
  const { rows } = await db.query<ChangeRow>(
    `select seq, record_pk, record, changes, action from ${table} order by seq, id`,
  );
  return rows;
}

/** The rows that are left, by key: `id` is the key column. */
export function foldChanges(rows: readonly ChangeRow[]): Map<unknown, Record<string, unknown>> {
  const table = new Map<unknown, Record<string, unknown>>();
  for (const { action, record, changes } of rows) {
    if (action === 'delete') table.delete(record.id);
    else {
      if (changes !== null && 'id' in changes) table.delete(changes.id);
      table.set(record.id, record);
    }
  }
  return table;
}

/** The rows of a table as `to_jsonb` prints them, by `id`. */
export async function tableRows(db: Queryable, table: string): Promise<Map<unknown, Record<string, unknown>>> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from ${table} t`);
  return new Map(rows.map(({ row }) => [row.id, row]));
}
