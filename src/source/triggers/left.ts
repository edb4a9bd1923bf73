/**
 * Triggers of a database whose reader has gone over to replication: they would note changes for nobody, and fill the disk. He says so
 * where they are, and whoever streams by replication then removes them and what they have noted. The schema stays: somebody
 * may still call `millrace_capture.message`, or the database may go back to capture by triggers.
 */
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { quoteLiteral } from '../../model/quote.ts';
import { isLockTimeout, isNotPermitted } from '../../model/sqlstate.ts';
import { takeTurn } from '../read-changes.ts';
import { removeTriggers } from './ensure.ts';
import { truncateRead } from './truncate-read.ts';

const LEFT = statement('source/triggers/left');
const FUNCTIONS = statement('source/triggers/functions');
const NOW = 'select pg_current_snapshot()::text as snapshot';
const SAID = 'left by its reader: millrace removes its triggers';

/** Said before the position is another one: he who reads on has not gone over, and removes nothing. */
export async function sayLeft(source: Database): Promise<void> {
  await source.query(`comment on schema millrace_capture is ${quoteLiteral(SAID)}`);
}

/** Before anything is made by whoever is about to read: he needs it all. Where it is not his, that is told elsewhere, and nothing removes it. */
export async function sayNeeded(source: Database): Promise<void> {
  if (!(await readLeft(source))?.is_left) return;
  await source.query('comment on schema millrace_capture is null').catch((error: unknown) => {
    if (!isNotPermitted(error)) throw error;
  });
}

interface Left {
  is_left: boolean;
  has_triggers: boolean;
  has_changes: boolean;
}

const readLeft = async (source: Database): Promise<Left | undefined> =>
  (await source.query<Left>(LEFT, [SAID])).rows[0];

/** Those that note the changes of a table each, of any list. */
export const readFunctions = async (source: Queryable): Promise<string[]> =>
  (await source.query<{ name: string }>(FUNCTIONS)).rows.map(({ name }) => name);

interface Removing {
  /** A further session, for the turn. */
  beside(): Database;
  /** Asked when we have the turn. */
  mayRemove(): Promise<boolean>;
}

/**
 * Returns the functions of triggers that are still there: somebody has their tables locked, or they are not our role's. The reader's turn
 * is taken meanwhile, so nobody begins to read.
 */
export async function removeLeft(source: Database, { beside, mayRemove }: Removing): Promise<string[]> {
  const left = await readLeft(source);
  if (!left?.is_left || !(left.has_triggers || left.has_changes)) return [];
  const other = beside();
  try {
    return await other.session(async (turn) => {
      await takeTurn(turn);
      // There may be thousands of them.
      await turn.query('set local idle_in_transaction_session_timeout = 0');
      if (!(await mayRemove())) return [];
      // Another entry may have come meanwhile, and have made them.
      if (!(await readLeft(source))?.is_left) return [];
      if (left.has_triggers) await removeTriggers(source);
      const { snapshot } = (await source.query<{ snapshot: string }>(NOW)).rows[0]!;
      await truncateRead(source, { snapshot, currentBytes: 0 });
      return await readFunctions(source);
    });
  } catch (error) {
    // Somebody reads.
    if (isLockTimeout(error)) return [];
    throw error;
  } finally {
    await other.close();
  }
}
