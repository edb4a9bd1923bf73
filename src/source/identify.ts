/**
 * Does the source's address let a replication connection through, and whom does it lead to? Asked before a slot is made: one
 * that nobody can read from would keep WAL for ever.
 */
import { openPool, type PoolOptions } from '../db/pool.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { isProtocolViolation, isSyntaxError } from '../model/sqlstate.ts';

/** What a server is known by. */
export interface SystemIdentity {
  systemIdentifier: string;
  timeline: number;
}

/** Of a server whose control file our role may not read, and that is asked for no replication. */
export const UNIDENTIFIED: SystemIdentity = { systemIdentifier: '', timeline: 0 };

/**
 * As the replication protocol tells it, which asks for no other right. Connects for a moment. @throws MillraceError bad_source
 * for a pooler; else what the connection says.
 */
export async function identifySystem(source: PoolOptions): Promise<SystemIdentity> {
  const replication = openPool({ ...source, replication: 'database', max: 1, queryTimeoutMs: 15_000 });
  try {
    const { rows } = await replication.query<{ systemid: string; timeline: number }>('IDENTIFY_SYSTEM');
    return { systemIdentifier: rows[0]!.systemid, timeline: Number(rows[0]!.timeline) };
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
  if (!isProtocolViolation(error) && !isSyntaxError(error)) return undefined;
  const message = `the address leads to a connection pooler that passes no replication on: ${messageOf(error)}`;
  return new MillraceError('bad_source', message, {
    remedy: 'Declare the address of Postgres itself: changes are read over a replication connection.',
    cause: error,
  });
}
