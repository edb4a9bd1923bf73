/**
 * How the reader's turn ends where somebody else needs it: another reader, because this one stalls; or whoever drops the schema, who
 * waits for the turn while others wait for what he has locked already.
 */
import type { Connection } from '../../db/pool.ts';
import { MillraceError } from '../../model/errors.ts';
import { isLockTimeout } from '../../model/sqlstate.ts';
import { isTurnWanted } from '../../source/read-changes.ts';

/**
 * Of the reader's session. A reader that gives no sign of life keeps others from reading for no longer than one of a slot does. And its turn
 * is given up before Postgres looks for a deadlock with somebody who has locked the notes.
 */
export const GIVING_WAY = `select set_config('lock_timeout', '500ms', false),
    set_config('idle_in_transaction_session_timeout', case s.ms when '0' then '60s' else s.ms end, false)
  from (select current_setting('wal_sender_timeout') as ms) s`;

const wanted = (cause?: unknown): MillraceError =>
  new MillraceError('unavailable', 'somebody is about to drop, or has locked, what is in schema millrace_capture', {
    remedy: 'Nothing: capture goes on as soon as he is done.',
    cause,
  });

/** @throws MillraceError unavailable: whoever waits for the turn gets it. */
export async function giveWay(client: Connection): Promise<void> {
  if (await isTurnWanted(client)) throw wanted();
}

/** What a look throws that has waited for a lock. */
export const givenWay = (error: unknown): unknown => (isLockTimeout(error) ? wanted(error) : error);
