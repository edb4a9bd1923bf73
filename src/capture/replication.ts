/**
 * Does the source's address let a replication connection through? Asked before a slot is made: one that nobody can read
 * from would keep WAL for ever.
 */
import { openPool, type PoolOptions } from '../db/pool.ts';
import { MillraceError, messageOf } from '../model/errors.ts';

/** Connects for a moment. @throws MillraceError bad_source for a pooler; else what the connection says. */
export async function tryReplication(source: PoolOptions): Promise<void> {
  const replication = openPool({ ...source, replication: 'database', max: 1, queryTimeoutMs: 15_000 });
  try {
    await replication.query('IDENTIFY_SYSTEM');
  } catch (error) {
    throw withoutReplication(error) ?? error;
  } finally {
    await replication.close();
  }
}

/**
 * A pooler refuses the startup packet of a replication connection, or drops that word from it: then a session like any other
 * does not know the command.
 */
export function withoutReplication(error: unknown): MillraceError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== '08P01' && code !== '42601') return undefined;
  const message = `the address leads to a connection pooler that passes no replication on: ${messageOf(error)}`;
  return new MillraceError('bad_source', message, {
    remedy: 'Declare the address of Postgres itself: changes are read over a replication connection.',
    cause: error,
  });
}
