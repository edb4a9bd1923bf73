/** The change table as a sink: in a database of its own through `send`, in the message database through `within`. */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { joinedKey } from '../../src/model/joined-key.ts';
import type { Delivery } from '../../src/model/sink.ts';
import { createChangeTable } from '../../src/sinks/change-table/table.ts';
import { changeTableBench, PLAIN, writeWithin } from '../support/fixtures/change-table.ts';
import { delivery } from '../support/fixtures/delivery.ts';
import { startPostgresRelay } from '../support/postgres/postgres-relay.ts';
import { type Condition, type SinkHarness, sinkConformance } from './sink-conformance.ts';

const TABLE = { schema: PLAIN.table_schema, name: PLAIN.table_name };
const SECRET = 'c2VjcmV0LXBhc3N3b3Jk';

/** The table holds exactly these, in order of their ids within each batch and of the batches. */
async function expectEntries(db: Database, delivered: readonly Delivery[]): Promise<void> {
  const { rows } = await db.query('select seq, record_pk, record, changes, action from orders_events order by id');
  const entries = delivered.map((row) => ({
    seq: row.id,
    record_pk: joinedKey(row.recordPks),
    record: JSON.parse(row.record),
    changes: row.changes === null ? null : JSON.parse(row.changes),
    action: row.action,
  }));
  expect(rows).to.deep.equal(entries);
}

const COMMON = {
  poison: (id: number) => delivery(id, `k${id}`, { record: '{"a":"\\u0000"}' }),
  missing: 'bad_destination',
  reads: false,
} as const;

async function elsewhere(condition: Condition): Promise<SinkHarness> {
  const bench = await changeTableBench('other');
  const { destination } = bench;
  if (condition !== 'missing') await destination.transaction((tx) => createChangeTable(tx, TABLE));
  // Roles belong to the whole cluster: one for each database.
  const role = `conformance_${new URL(bench.destinationUrl).pathname.slice(1)}`;
  const setPassword = (password: string) => destination.query(`alter role ${role} password '${password}'`);
  await destination.query(`create role ${role} superuser login`);
  await setPassword(condition === 'refused' ? 'another' : SECRET);
  const relay = await startPostgresRelay(bench.destinationUrl);
  if (condition === 'down') await relay.leave();
  const url = new URL(relay.url);
  url.username = role;
  url.password = SECRET;
  const pool = openPool({ address: url.href, max: 2, applicationName: 'millrace test' });
  const sink = await bench.open({ create_if_not_exists: false }, { pool });
  relay.loseCommits(condition === 'lost');
  return {
    ...COMMON,
    sink,
    send: (batch, signal) => sink.send(batch, signal),
    holds: (delivered) => expectEntries(destination, delivered),
    repeats: true,
    secret: SECRET,
    async fix() {
      await setPassword(SECRET);
      await destination.transaction((tx) => createChangeTable(tx, TABLE));
      relay.loseCommits(false);
      if (condition === 'down') await relay.comeBack();
    },
    async close() {
      await pool.close();
      await relay.close();
      await destination.query(`reassign owned by ${role} to postgres; drop role ${role}`);
      await bench.drop();
    },
  };
}

/** What reaches the settling transaction is up; only the table in it can be at fault. */
async function atHome(condition: Condition): Promise<SinkHarness | undefined> {
  if (condition !== 'ready' && condition !== 'missing') return undefined;
  const bench = await changeTableBench('same');
  const create = () => bench.destination.transaction((tx) => createChangeTable(tx, TABLE));
  if (condition === 'ready') await create();
  const sink = await bench.open({ create_if_not_exists: false });
  return {
    ...COMMON,
    sink,
    // A settling transaction is not begun when the service is stopping.
    send: async (batch, signal) =>
      signal.aborted
        ? { outcomes: batch.map(() => ({ kind: 'wait', error: 'stopping', retryAfterMs: 0 })) }
        : await writeWithin(bench, sink, batch),
    holds: (delivered) => expectEntries(bench.destination, delivered),
    repeats: false,
    secret: undefined,
    fix: create,
    close: () => bench.drop(),
  };
}

sinkConformance('the change table in another database', elsewhere);
sinkConformance('the change table in the message database', atHome);
