/**
 * Where a server that was promoted left the history that was captured. Every promotion begins a timeline, and the server
 * keeps from which place of which older one. What lies before that place is the same for both; what was captured beyond it
 * never happened on the promoted server.
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES
 */
import { openPool, type PoolOptions } from '../db/pool.ts';
import { parseLsn } from '../model/lsn.ts';
import { isMissingFile, isSyntaxError } from '../model/sqlstate.ts';

/** Undefined when timeline `to` does not come from timeline `from`, or the server does not tell. */
export async function readBranch(
  source: PoolOptions,
  between: { from: number; to: number },
): Promise<bigint | undefined> {
  if (between.to <= between.from) return undefined;
  // Only the replication protocol gives the history to a role that may not read the server's files.
  const replication = openPool({ ...source, replication: 'database', max: 1, queryTimeoutMs: 15_000 });
  try {
    const { rows } = await replication.query<{ content: unknown }>(`TIMELINE_HISTORY ${between.to}`);
    return branchOf(String(rows[0]?.content), between.from);
  } catch (error) {
    // It does not have the file any more, or does not know the command.
    if (isMissingFile(error) || isSyntaxError(error)) return undefined;
    throw error;
  } finally {
    await replication.close();
  }
}

/** From the text of a history file: a line for each older timeline, with the place where it was left. */
export function branchOf(history: string, timeline: number): bigint | undefined {
  for (const line of history.split('\n')) {
    const [, id, lsn] = /^\s*(\d+)\s+([\dA-F]+\/[\dA-F]+)/i.exec(line) ?? [];
    if (lsn !== undefined && Number(id) === timeline) return parseLsn(lsn);
  }
  return undefined;
}
