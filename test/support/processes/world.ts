/**
 * The databases of an end-to-end test, on the shared cluster: a message database, a source that is captured, and a third
 * one, each with a connection of the test's own; and the head of the millrace.yaml that declares them.
 */
import { type Database, openPool } from '../../../src/db/pool.ts';
import { BY_TRIGGERS } from '../postgres/capture-way.ts';
import { type MessageDatabase, messageDatabase } from '../postgres/message-database.ts';
import { AS_PLAIN, asPlainDestination, asPlainSource } from '../postgres/plain-role.ts';
import { type Cluster, sharedSource } from '../postgres/postgres.ts';
import { until } from '../until.ts';

export interface World {
  /** The message database. */
  messages: Database;
  messagesUrl: string;
  /** The source, `shop` in the declaration. */
  shop: Database;
  shopUrl: string;
  /** A database that is only a destination, `archive` in the declaration. */
  archive: Database;
  slot: string;
  /** `api_tokens` and `databases`: shop, archive, and home, which is the message database. */
  yaml: string;
  /** Until everything that was committed in the source before the call is persisted in the message table. */
  captured(): Promise<void>;
  /** Until everything that was committed before the call is settled by these sinks. */
  settled(sinks: readonly string[], deadlineMs?: number): Promise<void>;
  /** Time passes: lanes of the worker that died (of all, when it was the only one) can be taken over, and are looked for. */
  endLaneLeases(worker?: string): Promise<void>;
  /** The workers that have lanes right now. */
  laneOwners(): Promise<string[]>;
  drop(): Promise<void>;
}

export const TOKEN = 'b8f4c1d09e7a4f6d8a3c5e2b7f019d64';

/**
 * Fresh databases; `schema` is run in the source. `messages`: a message database of your own, which `drop` drops; `as`: how
 * the service reaches the others (plain-role.ts); `capture`: how the source is captured, where it is not as in all suites.
 */
export async function createWorld(
  schema: string,
  given: { messages?: MessageDatabase; cluster?: Cluster; as?: 'superuser' | 'plain'; capture?: 'triggers' } = {},
): Promise<World> {
  const cluster = given.cluster ?? (await sharedSource());
  const messages = given.messages ?? (await messageDatabase());
  const [source, third] = [await cluster.createDatabase(), await cluster.createDatabase()];
  const open = (address: string): Database => openPool({ address, max: 6, applicationName: 'test', path: 'role' });
  const shop = open(source.url);
  const archive = open(third.url);
  const [shopUrl, archiveUrl] =
    (given.as ?? (AS_PLAIN ? 'plain' : 'superuser')) === 'plain'
      ? [await asPlainSource(source), await asPlainDestination(third)]
      : [source.url, third.url];
  await shop.query(schema);
  const captured = (): Promise<void> => untilCaptured(messages.db, shop);
  const slot = `slot_of_${source.name}`;
  return {
    messages: messages.db,
    messagesUrl: messages.url,
    shop,
    shopUrl: source.url,
    archive,
    slot,
    yaml: `
api_tokens:
  - { name: tests, token: ${TOKEN} }
databases:
  - name: shop
    url: ${shopUrl}
    ssl: false
    ${BY_TRIGGERS || given.capture ? 'capture: triggers' : '# by replication'}
    slot: { name: ${slot}, create_if_not_exists: true }
    publication: { name: of_the_test, create_if_not_exists: true }
  - { name: archive, url: "${archiveUrl}", ssl: false }
  - { name: home, url: "${messages.url}", ssl: false }
`,
    captured,
    async settled(sinks, deadlineMs) {
      await captured();
      await untilSettled(messages.db, sinks, deadlineMs);
    },
    async endLaneLeases(worker) {
      await messages.db.query(
        `update millrace_private.lanes l set until = clock_timestamp()
          where l.owner is not null and left(l.owner, 36) = coalesce($1::text, left(l.owner, 36))`,
        [worker ?? null],
      );
      await messages.db.query("select pg_notify('millrace_messages', '')");
    },
    async laneOwners() {
      const { rows } = await messages.db.query<{ worker: string }>(
        'select distinct left(l.owner, 36) as worker from millrace_private.lanes l where l.owner is not null',
      );
      return rows.map(({ worker }) => worker);
    },
    async drop() {
      await Promise.all([shop.close(), archive.close()]);
      await source.drop();
      await third.drop();
      await messages.drop();
    },
  };
}

/** Until everything that was committed in the source `shop` before the call is persisted. */
export async function untilCaptured(messages: Database, shop: Database, deadlineMs?: number): Promise<void> {
  const { rows } = await shop.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  // A commit that lies behind that place, with nothing in it.
  await shop.query("select pg_logical_emit_message(true, 'test', 'captured up to here')");
  const sql = "select confirmed_lsn >= $1::pg_lsn as done from millrace.database_status where database_name = 'shop'";
  const isThere = async (): Promise<boolean> =>
    (await messages.query<{ done: boolean | null }>(sql, [rows[0]!.lsn])).rows[0]?.done === true;
  await until('what was committed is persisted', isThere, deadlineMs);
}

/** Until these sinks have nothing pending. */
export async function untilSettled(messages: Database, sinks: readonly string[], deadlineMs?: number): Promise<void> {
  let states: object[] = [];
  const done = async (): Promise<boolean> => {
    const found = await messages.query<{ sink_name: string; pending: number }>(
      `select sink_name, health, pending, retrying, parked, error from millrace.sink_status
        where sink_name = any ($1::text[])`,
      [[...sinks]],
    );
    states = found.rows;
    return found.rows.length === sinks.length && found.rows.every(({ pending }) => pending === 0);
  };
  await until('nothing is pending', done, deadlineMs).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${JSON.stringify(states)}`);
  });
}
