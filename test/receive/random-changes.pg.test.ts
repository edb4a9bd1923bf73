/**
 * Random changes of two rows, and clients that receive what becomes of them in a random order: whoever applies each message
 * before he acknowledges it has the table in the end, and messages of a group come in the order of their commits.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { CHANGES, type Change, LAST, make, SCHEMA, SEQUENCES } from '../support/fixtures/random-changes.ts';
import { type Batch, type Pull, pullFrom } from '../support/pull/pull.ts';

const CLIENTS = 3;

const ACTS = fc.array(
  fc.record({
    client: fc.nat(CLIENTS - 1),
    size: fc.integer({ min: 1, max: 5 }),
    answer: fc.constantFrom('ack', 'ack', 'nack', 'release', 'expire'),
  }),
  { maxLength: 12 },
);
const MAX_PER_GROUP = fc.constantFrom(1, 3);
const STEPS = fc.array(fc.record({ changes: CHANGES, acts: ACTS }), { minLength: 1, maxLength: 6 });

interface Row {
  id: number;
  /** A delete may carry the key alone. */
  name?: string;
  price?: number;
}

interface Message {
  id: number;
  action: string;
  record: Row;
  changes: Partial<Row> | null;
}

const CASES = [
  { identity: 'default', columns: [], rekeyed: true },
  { identity: 'default', columns: ['name'], rekeyed: true },
  { identity: 'full', columns: [], rekeyed: true },
  // A change of the key has no room for both rows' groups beside that of the columns.
  { identity: 'full', columns: ['name'], rekeyed: false },
];

describe('receive: random changes', function () {
  this.timeout(60_000 + SEQUENCES * 2_000);
  let on: Captured;
  afterEach(async () => await on.close());

  for (const { identity, columns, rekeyed } of CASES) {
    const title = `replica identity ${identity}, grouped by ${columns[0] ?? 'row'}`;
    it(`come in an order that leads to the table: ${title}`, async () => {
      on = await captured(`${SCHEMA}; alter table products replica identity ${identity}`);
      const { db } = on.messages;
      const tables = columns.length > 0 ? [{ name: 'products', group_column_names: columns }] : [];
      const no = await on.addSink(sinkSettings({ name: 'all', destination: PULL, tables }));
      on.start();
      await on.streaming();
      const property = fc.asyncProperty(STEPS, MAX_PER_GROUP, async (steps, maxPerGroup) => {
        await on.source.query('delete from products');
        await make(on, []);
        await db.query('update millrace_private.consumers set max_per_group = $1', [maxPerGroup]);
        const clients = createClients(on, { no, columns });
        await clients.finish();
        for (const { changes, acts } of steps) {
          await make(on, rekeyed ? changes : changes.map(keepingKey));
          for (const act of acts) await clients.act(act);
        }
        await clients.finish();
        const { rows } = await on.source.query<Row>('select id, name, price from products order by id');
        expect(clients.rows()).to.deep.equal(rows);
        expect(await pullFrom(db, no).deliveryStates()).to.deep.equal([]);
      });
      await fc.assert(property, { numRuns: SEQUENCES });
    });
  }
});

const keepingKey = (change: Change): Change => ({ ...change, to: change.to === null ? null : change.id });

interface Clients {
  /** Answers what the client holds, or receives. */
  act(act: { client: number; size: number; answer: string }): Promise<void>;
  /** All that they hold is given back; then all is received and acknowledged. */
  finish(): Promise<void>;
  rows(): Row[];
}

function createClients(on: Captured, { no, columns }: { no: number; columns: readonly string[] }): Clients {
  const pull: Pull = pullFrom(on.messages.db, no);
  const held = new Map<number, Batch>();
  const table = new Map<number, Row>();
  /** Of each row and group, what was applied last. */
  const applied = new Map<string, number>();

  async function apply(batch: Batch): Promise<void> {
    const { rows } = await on.messages.db.query<Message>(
      `select id, action, record::json as record, changes::json as changes
         from millrace_private.messages where sink_no = $1 and id = any ($2::bigint[]) order by id`,
      [no, batch.ids],
    );
    for (const message of rows) {
      for (const key of keysOf(message, columns)) {
        expect(message.id, key).to.be.greaterThan(applied.get(key) ?? 0);
        applied.set(key, message.id);
      }
      const { action, record, changes } = message;
      table.delete(changes?.id ?? record.id);
      if (action !== 'delete') table.set(record.id, record);
    }
  }

  async function act({ client, size, answer }: Parameters<Clients['act']>[0]): Promise<void> {
    const batch = held.get(client);
    if (batch === undefined) {
      const got = await pull.receive(size);
      if (got.ids.length > 0) held.set(client, got);
      return;
    }
    held.delete(client);
    if (answer === 'nack') await pull.nack(batch.ackIds);
    else if (answer === 'release') await pull.release(batch.ackIds);
    else if (answer === 'expire') await pull.expire(batch.token);
    else {
      await apply(batch);
      expect(await pull.ack(batch.ackIds)).to.equal(batch.ids.length);
    }
  }

  return {
    act,
    async finish() {
      for (const [client] of held) await act({ client, size: 1, answer: 'release' });
      do {
        await act({ client: 0, size: 1_000, answer: 'ack' });
        await act({ client: 0, size: 1_000, answer: 'ack' });
      } while (held.size > 0 || (await pull.stored()).length > 0);
    },
    rows: () => [...table.values()].sort((a, b) => a.id - b.id),
  };
}

/** A change of the key is in the groups of both rows, and in no other. */
function keysOf({ record, changes }: Message, columns: readonly string[]): string[] {
  if (record.id === LAST) return [];
  if (changes?.id !== undefined) return [`row ${record.id}`, `row ${changes.id}`];
  const group = columns.length > 0 && record.name !== undefined ? [`group ${record.name}`] : [];
  return [`row ${record.id}`, ...group];
}
