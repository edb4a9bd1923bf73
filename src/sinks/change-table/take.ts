/**
 * The straight path of a change table in the message database: one statement copies the next messages into it from where
 * they lie, so that no row travels to the worker and back. It copies nothing when one of them needs to be looked at, and
 * fails as a whole when one is refused: then they are read, and written by write.ts.
 */
import { takesAnnotations } from '../../db/annotations-column.ts';
import { USERS_PATH } from '../../db/session-settings.ts';
import type { Above, SinkTransaction, Taken } from '../../model/sink.ts';
import type { Target } from './target.ts';

const TAKE_ROWS = 5_000;
const TAKE_BYTES = 8 * 1024 * 1024;
/** Less than these is surely all that there was: whatever comes later wakes the lane. */
const SMALL_ROWS = 100;
const SMALL_BYTES = 1024 * 1024;

interface Next {
  /** Null: there was none. */
  hi: number | null;
  count: number;
  /** Bytes of all but the last. */
  before: number;
  straight: boolean;
  /** Null: there was none. */
  first_ms: number | null;
  last_ms: number | null;
}

/**
 * In order of their ids. The transaction goes on under the path of the role, for triggers that are deferred to its end: what
 * follows in it must be qualified.
 * Undefined: nothing was written, they are to be read. Throws what Postgres says.
 */
export async function takeRows(tx: SinkTransaction, target: Target, above: Above): Promise<Taken | undefined> {
  const statement = (await takesAnnotations(tx, target.wanted.table)) ? target.takeAnnotated : target.take;
  await tx.query(`${target.begin}; ${USERS_PATH}`);
  const values = [above.sinkNo, above.lane, above.cursor, TAKE_ROWS, TAKE_BYTES, target.writing.sourceDatabaseId];
  const { rows } = await tx.query<Next>(statement, values);
  const { hi, count, before, straight, first_ms: first, last_ms: last } = rows[0]!;
  if (!straight) return undefined;
  const taken = { hi: hi ?? above.cursor, count, more: count >= SMALL_ROWS || before >= SMALL_BYTES };
  return first === null || last === null ? taken : { ...taken, committedMs: { first, last } };
}
