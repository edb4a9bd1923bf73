/** Two clients of Postgres, step by step: who waits for whom is asked, never guessed from the time that passes. */
import type pg from 'pg';
import type { Database, Queryable } from '../../../src/db/pool.ts';
import { until } from '../until.ts';

export interface Session extends Queryable {
  readonly pid: number;
  readonly client: pg.PoolClient;
  close(): Promise<void>;
}

/** A connection of its own; `close` rolls back what is open. */
export async function openSession(db: Database): Promise<Session> {
  const client = await db.pool.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    client,
    pid: rows[0]!.pid,
    async query<Row>(statement: { name: string; text: string } | string, values: readonly unknown[] = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const result = await client.query(text, [...values]);
      return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
    },
    async close() {
      await client.query('rollback').catch(() => undefined);
      client.release(true);
    },
  };
}

/** Until `session` waits for a lock that `holder` has. */
export async function untilBlocked(db: Database, session: Session, holder: Session): Promise<void> {
  await until('one session waits for the other', async () => {
    const { rows } = await db.query<{ blocked: boolean }>('select $1::int = any (pg_blocking_pids($2)) as blocked', [
      holder.pid,
      session.pid,
    ]);
    return rows[0]!.blocked;
  });
}
