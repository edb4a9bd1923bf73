/**
 * Is a session ours alone? Prepared statements, LISTEN, settings and session locks live in a session, and a pooler in
 * transaction or statement mode lends the same one to everybody. Which pooler it is, and what it says of itself, does not
 * matter: two clients mark their sessions and look, in turns, whether each still finds its own mark. One server connection
 * that both share is found by the other's mark, several that go round by a session without a mark.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { MillraceError } from '../model/errors.ts';
import { isFull } from '../model/sqlstate.ts';
import { endConnection } from './drop-connection.ts';
import { openClient, type PoolOptions } from './pool.ts';

const SET = `select pg_catalog.set_config('millrace.mark', $1, false)`;
const GET = `select pg_catalog.current_setting('millrace.mark', true) as mark`;

/**
 * Whose turn it is. Two in a row of one client find sessions that go round, whatever their number; one of each, a session
 * that is handed back and forth.
 */
const TURNS = [0, 0, 1, 0, 1, 1, 0, 1] as const;

const POOLER_REMEDY =
  'Use the address of Postgres itself, or the pooler in session mode (pgbouncer: pool_mode = session).';

/**
 * Connects twice, for a moment; where the server has no second connection to spare, what one of them shows must do. `place`
 * is whose address it is, as a person knows it. Throws what the connections say.
 * @throws SharedSessions when sessions are shared.
 */
export async function refuseSharedSessions(options: PoolOptions, place: string): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    clients.push(await openClient(options));
    const second = await openClient(options).catch((error: unknown) => {
      if (isFull(error)) return undefined;
      throw error;
    });
    if (second) clients.push(second);
    if (await isShared(clients)) throw new SharedSessions(place);
  } finally {
    await Promise.all(clients.map(endConnection));
  }
}

async function isShared(clients: readonly pg.Client[]): Promise<boolean> {
  const marks = clients.map(() => randomUUID());
  for (const [index, client] of clients.entries()) await client.query(SET, [marks[index]]);
  for (const turn of TURNS) {
    const index = turn % clients.length;
    const { rows } = await clients[index]!.query<{ mark: string | null }>(GET);
    if (rows[0]?.mark !== marks[index]) return true;
  }
  return false;
}

/** Sessions at this address are not ours alone. */
export class SharedSessions extends MillraceError {
  constructor(place: string) {
    super(
      'bad_setting',
      `${place} leads to a connection pooler in transaction or statement mode, and Millrace needs sessions of its own`,
      { remedy: POOLER_REMEDY },
    );
  }
}
