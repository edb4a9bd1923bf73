/**
 * A change that Postgres cannot send: larger as text than its answers may be, or one on which a row filter of the publication
 * fails. It comes again with every try, so only whoever gives up what lies behind it gets on.
 */
import type { DatabaseSettings } from '../../model/declared.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { millrace, quoteLiteral } from '../../model/quote.ts';
import { isUnconvertible, isUnsendable } from '../../model/sqlstate.ts';

/** Is that what ended a stream? As long as it is, each further try ends soon after it began. */
export const isStuck = (error: unknown): boolean => error instanceof MillraceError && isUnsendable(error.cause);

/** Settles as the stream does. @throws MillraceError bad_source when that is what ended it. */
export async function explained(
  ended: Promise<void>,
  { name, slot }: Pick<DatabaseSettings, 'name' | 'slot'>,
): Promise<void> {
  try {
    await ended;
  } catch (error) {
    // What cannot be converted is asked for as it is stored.
    if (!isUnsendable(error) || isUnconvertible(error)) throw error;
    throw new MillraceError('bad_source', `Postgres cannot send the next change: ${messageOf(error)}`, {
      remedy:
        'It is tried again. If it stays so, a row of it is larger than 1 GB as text, or a row filter of the publication fails on it: correct that first. ' +
        `The change itself is skipped by a resync: select pg_drop_replication_slot(${quoteLiteral(slot.name)}); ` +
        `then ${millrace('resync', name)}, which sends all rows as they are then.`,
      cause: error,
    });
  }
}
