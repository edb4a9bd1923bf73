/** Long polls against a real Postgres: what ends a wait, and what a client that hangs up leaves behind. */
import { expect } from 'chai';
import { type Listener, openListener } from '../../src/db/listen.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { acknowledge, putBack } from '../../src/receive/answer.ts';
import { type Consumer, type Consumers, openConsumers } from '../../src/receive/consumer.ts';
import { type Desks, openDesks } from '../../src/receive/desks.ts';
import { type Lease, lease } from '../../src/receive/lease.ts';
import { receive } from '../../src/receive/receive.ts';
import { openWakeups, type Wakeups } from '../../src/receive/wakeups.ts';
import { addPullSink, appendMessages, notifyMessages, type PullSinkFixture } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { textOf } from '../support/pull/many-clients.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;
const client = { names: [] };

describe('receive: long poll', () => {
  let m: MessageDatabase;
  let listener: Listener;
  let wakeups: Wakeups;
  let desks: Desks;
  let consumers: Consumers;
  let made = 0;
  const stop = new AbortController();
  let running: Promise<void>;
  before(async () => {
    m = await messageDatabase();
    listener = openListener(
      { address: m.url, max: 1, applicationName: 'millrace test' },
      { log: { warn: () => undefined, error: () => undefined } },
    );
    let connected = false;
    listener.on('millrace_catalog', () => {
      connected = true;
    });
    running = listener.run(stop.signal);
    await until('the listener is connected', () => connected);
  });
  after(async () => {
    stop.abort();
    await running;
    await m.drop();
  });
  beforeEach(() => {
    // No polling: only what is meant to end a wait ends it.
    wakeups = openWakeups({ db: m.db, listener, log: { warn: () => undefined } }, { pollMs: 60_000 });
    consumers = openConsumers({ db: m.db, listener });
    desks = openDesks({ db: m.db });
  });
  afterEach(() => {
    wakeups.close();
    consumers.close();
  });

  async function consumer(settings: Partial<PullSinkFixture> = {}): Promise<Consumer> {
    made += 1;
    const { name } = await addPullSink(m.db, { name: `poll-${made}`, ...settings });
    const found = await consumers.find(name);
    if (found === undefined) throw new Error('the consumer that was just made is not there');
    return found;
  }

  /** Ids of what a long poll got; empty when it got nothing. */
  async function poll(of: Consumer, waitForMs = 60_000, signal = never, batchSize = 10): Promise<number[]> {
    const { lease } = await receive({ desks, wakeups }, of, { client, batchSize, waitForMs, signal });
    return (lease?.ackIds() ?? []).map((ackId) => Number(ackId.slice(33)));
  }

  const take = async (of: Consumer): Promise<Lease | undefined> =>
    (await receive({ desks, wakeups }, of, { client, batchSize: 1, waitForMs: 0, signal: never })).lease;

  const waiting = async (of: Consumer, count: number): Promise<void> => {
    await until(`${count} wait`, () => wakeups.of(of).waiting === count);
  };

  it('ends with a notification, also of several sinks', async () => {
    const one = await consumer();
    const two = await consumer();
    const polls = [poll(one), poll(two)];
    await waiting(one, 1);
    await waiting(two, 1);
    const ids = [
      ...(await appendMessages(m.db, one.no, [{ group: 1 }])),
      ...(await appendMessages(m.db, two.no, [{ group: 1 }])),
    ];
    await notifyMessages(m.db, one.no, two.no);
    expect((await Promise.all(polls)).flat()).to.deep.equal(ids);
  });

  it('ends when a group comes free by an acknowledgement in this process', async () => {
    const one = await consumer();
    const [, second] = await appendMessages(m.db, one.no, [{ group: 1 }, { group: 1 }]);
    const first = await take(one);
    const polled = poll(one);
    await waiting(one, 1);
    expect(await acknowledge({ desks, wakeups }, one, { client, ackIds: first!.ackIds() })).to.include({ count: 1 });
    expect(await polled).to.deep.equal([second]);
  });

  for (const delayMs of [0, 60]) {
    it(`ends when a message is given back with a delay of ${delayMs} ms`, async () => {
      const one = await consumer();
      const ids = await appendMessages(m.db, one.no, [{ group: 1 }]);
      const first = await take(one);
      const polled = poll(one);
      await waiting(one, 1);
      await putBack({ db: m.db, wakeups }, one, { what: 'nack', ackIds: first!.ackIds(), delayMs });
      expect(await polled).to.deep.equal(ids);
    });
  }

  it('ends when a visibility timeout passes: one that was there before, and one that began during the wait', async () => {
    const one = await consumer({ visibilityTimeoutMs: 500 });
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }]);
    await take(one);
    expect(await poll(one), 'made before').to.deep.equal(ids);
    // Both look; the one that comes second waits for the lease that the first one gets.
    const two = await consumer({ visibilityTimeoutMs: 500 });
    const polls = [poll(two), poll(two)];
    await waiting(two, 2);
    const [id] = await appendMessages(m.db, two.no, [{ group: 1 }]);
    await notifyMessages(m.db, two.no);
    expect(await Promise.all(polls)).to.deep.equal([[id], [id]]);
  });

  it('looks for itself now and then, when nobody tells', async () => {
    wakeups.close();
    wakeups = openWakeups({ db: m.db, listener, log: { warn: () => undefined } }, { pollMs: 50 });
    const one = await consumer();
    const polled = poll(one);
    await waiting(one, 1);
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }]);
    expect(await polled).to.deep.equal(ids);
  });

  it('ends empty when its time is over', async () => {
    expect(await poll(await consumer(), 30)).to.deep.equal([]);
  });

  it('ends empty when the process stops', async () => {
    const one = await consumer();
    const polls = [poll(one), poll(one)];
    await waiting(one, 2);
    wakeups.close();
    expect(await Promise.all(polls)).to.deep.equal([[], []]);
    expect(await poll(one)).to.deep.equal([]);
  });

  it('resumes with the consumer', async () => {
    const one = await consumer({ status: 'paused' });
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }]);
    const polled = poll(one);
    await waiting(one, 1);
    await m.db.query('select millrace.resume($1)', [one.name]);
    expect(await polled).to.deep.equal(ids);
  });

  it('serves those who wait in the order of their coming, one message each', async () => {
    const one = await consumer();
    const polls: Promise<number[]>[] = [];
    for (let i = 0; i < 4; i += 1) {
      polls.push(poll(one, 60_000, never, 1));
      await waiting(one, i + 1);
    }
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }, { group: 2 }, { group: 3 }, { group: 4 }]);
    await notifyMessages(m.db, one.no);
    expect((await Promise.all(polls)).flat()).to.deep.equal(ids);
  });

  it('refuses the one beyond max_waiting, who asks again later', async () => {
    const one = await consumer({ maxWaiting: 2 });
    const polls = [poll(one), poll(one)];
    await waiting(one, 2);
    const refused = await poll(one).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(MillraceError).with.property('code', 'too_many_waiting');
    expect(await poll(one, 0), 'who does not wait may look').to.deep.equal([]);
    wakeups.close();
    await Promise.all(polls);
  });

  it('leases nothing for a client that hangs up while it waits', async () => {
    const one = await consumer();
    const hangUp = new AbortController();
    const polled = poll(one, 60_000, hangUp.signal);
    await waiting(one, 1);
    hangUp.abort();
    expect(await polled).to.deep.equal([]);
    expect(wakeups.waiting()).to.equal(0);
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }]);
    await notifyMessages(m.db, one.no);
    expect(await poll(one, 0)).to.deep.equal(ids);
    expect(await pullFrom(m.db, one.no).deliveryStates()).to.deep.equal([]);
  });

  it('gives back what was leased for a client that hung up meanwhile, and counts no delivery', async () => {
    const one = await consumer();
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }, { group: 2 }]);
    const hangUp = new AbortController();
    const hungUp = poll(one, 0, hangUp.signal);
    // The lease is on its way.
    hangUp.abort();
    expect(await hungUp).to.deep.equal([]);
    expect(await poll(one, 0)).to.deep.equal(ids);
    const attempts = (await pullFrom(m.db, one.no).deliveryStates()).map((each) => each.attempts);
    expect(new Set(attempts)).to.satisfy((set: Set<number>) => set.size === 0 || (set.size === 1 && set.has(1)));
  });

  it('reads no more than fits into an answer, and gives the rest back uncounted', async () => {
    const one = await consumer();
    const text = 'x'.repeat(900);
    const ids = await appendMessages(
      m.db,
      one.no,
      Array.from({ length: 5 }, (_, i) => ({ group: i + 1, record: `{"t":"${text}"}` })),
    );
    const taken: number[][] = [];
    for (const maxBytes of [2_000, 100, 10_000]) {
      const [given] = await lease(m.db, one, { wanted: [{ batchSize: 5, acks: [] }], maxBytes });
      const got = given!.leased!.lease;
      const sent: { ack_id: string }[] = JSON.parse(`[${textOf(got!)}]`);
      expect(sent.map((each) => each.ack_id)).to.deep.equal(got!.ackIds());
      expect(got!.count).to.equal(sent.length);
      taken.push(got!.ackIds().map((ackId) => Number(ackId.slice(33))));
    }
    expect(taken).to.deep.equal([ids.slice(0, 2), ids.slice(2, 3), ids.slice(3)]);
    const attempts = (await pullFrom(m.db, one.no).deliveryStates()).map((each) => each.attempts);
    expect(attempts).to.deep.equal([1, 1, 1]);
  });

  it('hands out what it has read, also when the rest cannot be given back', async () => {
    const one = await consumer();
    const ids = await appendMessages(m.db, one.no, [{ group: 1 }, { group: 2 }]);
    const query: MessageDatabase['db']['query'] = (asked, values) =>
      typeof asked !== 'string' && asked.text.includes('put_back')
        ? Promise.reject(new Error('the connection was lost'))
        : m.db.query(asked, values);
    const db = { query, queryBytes: m.db.queryBytes };
    const [given] = await lease(db, one, { wanted: [{ batchSize: 2, acks: [] }], maxBytes: 1 });
    expect(given!.leased!.lease!.ackIds().map((ackId) => Number(ackId.slice(33)))).to.deep.equal(ids.slice(0, 1));
  });

  it('forgets a consumer when the catalog changes', async () => {
    const one = await consumer();
    expect(await consumers.find(one.id)).to.deep.equal(one);
    await m.db.query(`update millrace_private.sinks set name = 'renamed' where no = $1`, [one.no]);
    await m.db.query('select millrace_private.publish_catalog()');
    await until('the old name is unknown', async () => (await consumers.find(one.name)) === undefined);
    expect(await consumers.find('renamed')).to.include({ no: one.no });
  });
});
