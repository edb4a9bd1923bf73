/** Many clients of one consumer in one process, who share statements, on a message database that counts what it is asked. */
import { expect } from 'chai';
import type { BytesQueryable, Database } from '../../../src/db/pool.ts';
import { acknowledge } from '../../../src/receive/answer.ts';
import { type Consumer, openConsumers } from '../../../src/receive/consumer.ts';
import { type Client, type Desks, openDesks } from '../../../src/receive/desks.ts';
import type { Lease } from '../../../src/receive/lease.ts';
import { type Received, receive } from '../../../src/receive/receive.ts';
import { openWakeups, type Wakeups } from '../../../src/receive/wakeups.ts';
import { createPlaces } from '../../../src/runtime/concurrency/places.ts';
import { addPullSink, type PullSinkFixture } from '../fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../postgres/message-database.ts';
import { fakeListener } from '../processes/web.ts';

const never = new AbortController().signal;
const nobody: Client = { names: [] };

export interface TakeOptions {
  batchSize?: number;
  ackIds?: string[];
  signal?: AbortSignal;
  client?: Client;
  waitForMs?: number;
  maxBytes?: number;
}

export interface ManyClients {
  readonly db: Database;
  readonly wakeups: Wakeups;
  /** Statements by the function that they call. */
  asked: string[];
  /** A statement with this in its values fails, with `refusal`. */
  poison: string | undefined;
  refusal: Error;
  /** What is read in a statement of its own fails, with `refusal`. */
  unread: boolean;
  consumer(settings?: Partial<PullSinkFixture>): Promise<Consumer>;
  take(of: Consumer, options?: TakeOptions): Promise<Received>;
  ack(of: Consumer, ackIds: string[], client?: Client): Promise<number>;
}

/** Sets a suite up: desks with three places, two for each client. */
export function manyClients(): ManyClients {
  let m: MessageDatabase;
  let made = 0;
  let desks: Desks;
  let wakeups: Wakeups;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(() => {
    Object.assign(on, { asked: [], poison: undefined, unread: false, refusal: new Error('refused') });
    const db: BytesQueryable = {
      query: async (statement, values) => {
        on.asked.push(
          /millrace_private\.(\w+)\(/.exec(typeof statement === 'string' ? statement : statement.text)![1]!,
        );
        if (on.poison !== undefined && JSON.stringify(values).includes(on.poison)) throw on.refusal;
        return await m.db.query(statement, values);
      },
      queryBytes: async (statement, values) => {
        if (on.unread) throw on.refusal;
        return await m.db.queryBytes(statement, values);
      },
    };
    desks = openDesks({ db, take: createPlaces({ places: 3, each: 2 }).take });
    wakeups = openWakeups({ db, listener: fakeListener(), log: { warn: () => undefined } });
  });
  afterEach(() => wakeups.close());

  const on: ManyClients = {
    get db() {
      return m.db;
    },
    get wakeups() {
      return wakeups;
    },
    asked: [],
    poison: undefined,
    unread: false,
    refusal: new Error('refused'),
    async consumer(settings = {}) {
      made += 1;
      const { name } = await addPullSink(m.db, { name: `together-${made}`, ...settings });
      return (await openConsumers({ db: m.db, listener: fakeListener() }).find(name))!;
    },
    async take(
      of,
      { batchSize = 1, ackIds = [], signal = never, client = nobody, waitForMs = 0, maxBytes = 32 * 1024 * 1024 } = {},
    ) {
      const options = { client, batchSize, ackIds, waitForMs, signal, maxBytes: () => maxBytes };
      return await receive({ desks, wakeups }, of, options);
    },
    async ack(of, ackIds, client = nobody) {
      return (await acknowledge({ desks, wakeups }, of, { client, ackIds })).count;
    },
  };
  return on;
}

/** The ack_ids that a client has got. */
export function ackIdsOf({ lease }: Received): string[] {
  const sent = JSON.parse(`[${lease === undefined ? '' : textOf(lease)}]`).map(
    ({ ack_id }: { ack_id: string }) => ack_id,
  );
  expect(lease?.ackIds() ?? []).to.deep.equal(sent);
  return sent;
}

export const idsOf = (ackIds: readonly string[]): number[] => ackIds.map((ackId) => Number(ackId.slice(33)));

/** The messages of a lease, a comma between them. */
export const textOf = ({ messages }: Lease): string =>
  typeof messages === 'string' ? messages : Buffer.concat(messages).toString();
