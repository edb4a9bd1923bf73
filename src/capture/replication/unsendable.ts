/**
 * A change that Postgres cannot send: larger as text than its answers may be, one on which a row filter of the publication fails, or
 * one of a table that was truncated or rewritten while the slot was made. It comes again with every try, so only whoever gives up what
 * lies behind it gets on.
 */
import type { DatabaseSettings } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { millrace, quoteLiteral } from '../../model/quote.ts';
import { withoutValues } from '../../model/refusal.ts';
import { isUnconvertible, isUnsendable } from '../../model/sqlstate.ts';

/** Is that what ended a stream? As long as it is, each further try ends soon after it began. */
export const isStuck = (error: unknown): boolean => error instanceof MillraceError && isUnsendable(error.cause);

/**
 * The slot's view of the catalog lacks a transaction that was committed while the slot was made: Postgres keeps no record of those
 * until it has seen all that were open at the beginning end (snapbuild.c). `elog`, so never translated.
 */
const LOST_FILE = /^could not map filen/;
const MADE_BADLY =
  'If it stays so, a table was truncated or rewritten while the slot was made, and Postgres cannot read this slot.';
const REFUSED =
  'If it stays so, a row of it is larger than 1 GB as text, or a row filter of the publication fails on it: correct that first.';

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
    const message = withoutValues(error);
    throw new MillraceError('bad_source', `Postgres cannot send the next change: ${message}`, {
      remedy:
        `It is tried again. ${LOST_FILE.test(message) ? MADE_BADLY : REFUSED} ` +
        `The change itself is skipped by a resync: select pg_drop_replication_slot(${quoteLiteral(slot.name)}); ` +
        `then ${millrace('resync', name)}, which sends all rows as they are then.`,
      cause: error,
    });
  }
}
