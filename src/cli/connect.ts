/**
 * How a command reaches the message database: by DATABASE_URL, else the embedded server of this folder. What Postgres
 * refuses by our own rules comes as a sentence with its remedy.
 */
import { userInfo } from 'node:os';
import { messageDatabase } from '../db/message-database.ts';
import { type Database, openPool } from '../db/pool.ts';
import { actorOf, type By } from '../model/by.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { isBadRequest, isConflict, isOtherSchema, isUnavailable, isUnknown } from '../model/sqlstate.ts';
import { readCaCert } from '../runtime/settings.ts';
import { sqlAddress } from './sql-prompt.ts';
import type { Place } from './terminal.ts';

/** Whoever opens it closes it. @throws MillraceError unavailable: no server. */
export async function openMessages(place: Place): Promise<Database> {
  const databaseUrl = await sqlAddress(place);
  const databaseCaCert = readCaCert(place.env);
  const options = await messageDatabase({ databaseUrl, databaseCaCert }, 'operator').catch((error: unknown) => {
    if (place.env.DATABASE_URL) throw error;
    throw new MillraceError('unavailable', 'The embedded server does not answer', {
      remedy: 'Run `bin/millrace start` in this folder, and leave it running.',
      cause: messageOf(error).replace(/^DATABASE_URL: /, ''),
    });
  });
  return openPool({ ...options, actor: actorOf(operator()), max: 2, onError: () => undefined });
}

/** Who runs the command. */
export const operator = (): By => ({ kind: 'cli', name: osUser() });

/** A container may have no name for it. */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** What went wrong there, in a sentence with its remedy where we know one. */
export function told(error: unknown): unknown {
  if (isUnavailable(error)) {
    return new MillraceError('unavailable', 'The message database cannot be used any more', {
      remedy: 'What was begun continues without this command. Run it again when the database is back.',
      cause: error,
    });
  }
  if (isUnknown(error) || isBadRequest(error) || isConflict(error)) {
    const remedy = error.hint === undefined ? {} : { remedy: error.hint };
    return new MillraceError(isUnknown(error) ? 'not_found' : 'bad_request', error.message, remedy);
  }
  if (!isOtherSchema(error)) return error;
  return new MillraceError('unavailable', 'The message database is not of this release', {
    remedy: 'Run `bin/millrace start`, or `bin/millrace migrate`, of this release first.',
    cause: error,
  });
}
