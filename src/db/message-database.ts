/** How a process reaches the message database: a role, a command, a person who types SQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionFault, MESSAGE_DATABASE } from '../model/connection-fault.ts';
import { type AddressFault, isFault, readAddress, tlsOf } from '../model/database-address.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { isMomentary } from '../model/sqlstate.ts';
import { backoffMs, RECONNECT } from '../runtime/backoff.ts';
import type { Log } from '../runtime/log.ts';
import type { Settings } from '../runtime/settings.ts';
import type { PoolOptions } from './pool.ts';
import { refuseSharedSessions } from './pooler.ts';
import { optionsOf, reached } from './tls.ts';

/** A statement is cancelled by Postgres after 30 s: who has not answered by then is gone. */
const QUERY_TIMEOUT_MS = 40_000;

type Addressed = Pick<Settings, 'databaseUrl' | 'databaseCaCert'>;

/** What a process needs that waits for a connection rather than to end. */
export interface Waiting {
  log: Log;
  /** It need not wait any longer: what the server said last is thrown. */
  signal: AbortSignal;
  /** Called once, before the first wait. */
  onWait?: () => Promise<void>;
}

/**
 * How the message database is reached, by DATABASE_URL and DATABASE_CA_CERT. With `waiting`, a server that has no connection
 * to spare, or is starting or stopping, is waited for.
 * @throws MillraceError unavailable, naming DATABASE_URL, with what the server or the network said; bad_setting for a wrong
 * address, and for a pooler that shares sessions.
 */
export async function messageDatabase(settings: Addressed, role: string, waiting?: Waiting): Promise<PoolOptions> {
  const options = addressOf(settings, role);
  return await explained(() =>
    patiently(waiting, async () => {
      const reachable = await optionsOf(options.declared, options.base);
      await refuseSharedSessions(reachable, 'DATABASE_URL');
      return reachable;
    }),
  );
}

/** Does it again as long as the server gives no connection. Without `waiting`: once. Throws what else `work` throws. */
export async function patiently<Result>(waiting: Waiting | undefined, work: () => Promise<Result>): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (waiting === undefined || waiting.signal.aborted || !isMomentary(error)) throw error;
      if (failures === 1) await waiting.onWait?.();
      waiting.log.warn({ err: error }, 'the message database gives no connection now: this process waits for one');
      const wait = backoffMs(failures, RECONNECT, Math.random());
      await sleep(wait, undefined, { signal: waiting.signal }).catch(() => undefined);
    }
  }
}

/** The same for a person who types SQL, to whom a pooler may lend any session. Query without a deadline. */
export async function databaseOfPerson(settings: Addressed): Promise<PoolOptions & { database: string }> {
  const { declared, base } = addressOf(settings, 'sql');
  const { queryTimeoutMs: _, ...patient } = base;
  const options = await explained(async () => await reached(await optionsOf(declared, patient)));
  return { ...options, database: declared.address.database };
}

function addressOf(settings: Addressed, role: string) {
  const read = readAddress(settings.databaseUrl);
  if (isFault(read)) throw badAddress(read);
  const ssl = tlsOf(read, { ca: settings.databaseCaCert, name: 'DATABASE_CA_CERT' });
  if (isFault(ssl)) throw badAddress(ssl);
  const { host, port, database, user = '', password = '' } = read;
  return {
    declared: { address: { host, port, database, user, password }, settings: { ssl }, reach: null },
    base: { max: 1, applicationName: `millrace ${role}`, queryTimeoutMs: QUERY_TIMEOUT_MS },
  };
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  const field = 'DATABASE_URL';
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    const found = connectionFault(cause, MESSAGE_DATABASE);
    const message = `the database cannot be used: ${found?.message ?? messageOf(cause)}`;
    const fault = { field, message, ...(found ? { remedy: found.remedy } : {}) };
    throw new MillraceError('unavailable', `${field}: ${message}`, { faults: [fault], cause });
  }
}

function badAddress(fault: AddressFault): MillraceError {
  const field = 'DATABASE_URL';
  return new MillraceError('bad_setting', `${field} ${fault.message}`, { faults: [{ field, ...fault }] });
}

export const lostConnection =
  (log: Log) =>
  (error: Error): void =>
    log.warn({ err: error }, 'a connection to the message database was lost');

/** What a pool on the message database hears of a limit. */
export const fullServer =
  (log: Log) =>
  (error: unknown, connections: number): void =>
    log.warn(
      { err: error, connections },
      'the message database gives no further connection: those that are there are shared',
    );
