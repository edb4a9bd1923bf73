/**
 * Are two connections in the same database? Names, ports and even system identifiers can deceive (a restored copy has
 * the same ones), and writing into the wrong one would lose changes. So the one takes an advisory lock under a random
 * key, and the other looks whether it sees that very process hold it: locks are shared by exactly one database of one running
 * server.
 */
import { randomInt } from 'node:crypto';
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';

const MARK_DATABASE = statement('sinks/change-table/mark-database');
const SEE_MARK = statement('sinks/change-table/see-mark');

/** `there` must be inside a transaction, with whose end the lock goes. */
export async function isSameDatabase(here: Queryable, there: Queryable): Promise<boolean> {
  const key = [randomInt(2 ** 31), randomInt(2 ** 31)];
  const marked = await there.query<{ pid: number }>(MARK_DATABASE, key);
  const { rows } = await here.query<{ here: boolean }>(SEE_MARK, [...key, marked.rows[0]!.pid]);
  return rows[0]!.here;
}
