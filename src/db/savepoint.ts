/** Work that may fail without the transaction that it is part of: what it did is undone, and the transaction goes on. */
import { isServerError, isUnavailable } from '../model/sqlstate.ts';

/** A session with a transaction open. */
interface Session {
  query(sql: string): Promise<unknown>;
}

const UNDO = 'rollback to savepoint millrace; release savepoint millrace';

/**
 * What `work` does stays when it returns. When it throws, it is undone and the error comes out. `along`: SQL that travels
 * with the savepoint (and is undone with it), and with its release.
 */
export async function inSavepoint<Result>(
  session: Session,
  work: () => Promise<Result>,
  along: { begin?: string; end?: string } = {},
): Promise<Result> {
  const { begin = '', end = '' } = along;
  await session.query(`savepoint millrace; ${begin}`);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // No answer came: asking more of this connection would only take longer.
    if (!isServerError(error) && isUnavailable(error)) throw error;
    // Should it fail, it is the first error that tells why.
    await session.query(UNDO).catch(() => undefined);
    throw error;
  }
  await session.query(`release savepoint millrace; ${end}`);
  return result;
}

/** Does `work` only to see what comes of it: nothing of it stays. */
export async function undone<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  await session.query('savepoint millrace');
  const result = await work();
  await session.query(UNDO);
  return result;
}
