/** What a statement costs, whatever the machine is busy with. */
import type { Database } from '../../../src/db/pool.ts';

/** Rows of one table of ours, or of all, that a statement and its functions read. It is rolled back. `db` must have one connection. */
export async function rowsRead(
  db: Database,
  statement: { sql: string; values?: readonly unknown[]; table?: string },
): Promise<number> {
  const { sql, values = [], table = null } = statement;
  return await db.transaction(async (tx) => {
    const count = async (): Promise<number> => {
      const { rows } = await tx.query<{ rows: number }>(
        `select coalesce(sum(coalesce(idx_tup_fetch, 0) + seq_tup_read), 0)::integer as rows from pg_stat_xact_all_tables
          where schemaname = 'millrace_private' and relname = coalesce($1, relname)`,
        [table],
      );
      return rows[0]!.rows;
    };
    const before = await count();
    await tx.query(sql, values);
    const after = await count();
    await tx.query('rollback; begin');
    return after - before;
  });
}
