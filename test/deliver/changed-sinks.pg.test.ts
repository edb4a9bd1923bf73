/** A change of the catalog while lanes run: those of the sinks that changed end between two batches, the others go on. */
import { expect } from 'chai';
import type { Catalog, CatalogSink } from '../../src/catalog/store.ts';
import type { Jobs } from '../../src/db/jobs.ts';
import { type Deliveries, openDeliveries } from '../../src/deliver/schedule.ts';
import { openTargets } from '../../src/deliver/targets.ts';
import type { Delivery, Sink } from '../../src/model/sink.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { addPushSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { traitsOf } from '../support/fixtures/sinks.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const log = createLog({ level: 'silent', role: 'test' });

describe('lanes while the catalog changes', function () {
  this.timeout(120_000);
  let on: MessageDatabase;
  let sandbox: Sandbox;
  let catalog: Catalog;
  let deliveries: Deliveries;
  let stop: AbortController;
  let jobs: Set<Promise<void>>;
  let sent: string[];
  let closed: string[];
  /** What a batch of this sink waits for, until its signal. */
  let held: Map<string, Promise<void>>;
  beforeEach(async () => {
    on = await messageDatabase();
    sandbox = openSandbox({ log });
    [sent, closed, held, jobs, stop] = [[], [], new Map(), new Set(), new AbortController()];
    catalog = { generation: 1, databases: [], functions: [], sinks: [] };
  });
  afterEach(async () => {
    stop.abort();
    while (jobs.size > 0) await Promise.all(jobs);
    await sandbox.close();
    await on.drop();
  });

  const open = async (entry: CatalogSink): Promise<Sink> => {
    const label = `${entry.name} ${JSON.stringify(entry.settings.annotations)}`;
    return {
      batchSize: 10,
      batchBytes: 100_000,
      close: async () => void closed.push(label),
      test: async () => undefined,
      async send(batch: readonly Delivery[], signal: AbortSignal) {
        sent.push(label);
        const cut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await Promise.race([held.get(entry.name), cut]);
        return {
          outcomes: batch.map(() => (signal.aborted ? { kind: 'untried' as const } : { kind: 'done' as const })),
        };
      },
    };
  };

  const addSink = async (name: string, lanes = 1): Promise<number> => {
    const { no, id } = await addPushSink(on.db, { name, kind: 'search_index', lanes });
    const settings = sinkSettings({ name, destination: SEARCH });
    const entry = { id, no, name, kind: 'search_index' as const, status: 'active' as const, databaseNo: 1, settings };
    catalog = {
      ...catalog,
      sinks: [
        ...catalog.sinks,
        { ...entry, traits: traitsOf(entry.kind), secret: () => null, lanes, reach: { allowed: true } },
      ],
    };
    return no;
  };

  const change = (name: string, changed: (sink: CatalogSink) => Partial<CatalogSink>): void => {
    const sinks = catalog.sinks.map((sink) => (sink.name === name ? { ...sink, ...changed(sink) } : sink));
    catalog = { ...catalog, sinks };
    deliveries.onCatalog();
  };
  const edit = (name: string, version: string): void =>
    change(name, ({ settings }) => ({ settings: { ...settings, annotations: { version } } }));

  const start = (settleMs = 10_000): void => {
    const queue: Jobs = {
      name: 'jobs',
      run: () => Promise.resolve(),
      close: () => Promise.resolve(),
      add: async (_task, payload, { runAt }) => {
        if (stop.signal.aborted || runAt) return true;
        const job = deliveries.task(payload, stop.signal).finally(() => jobs.delete(job));
        jobs.add(job);
        return true;
      },
    };
    deliveries = openDeliveries(
      {
        jobs: () => queue,
        targets: openTargets({
          load: async () => catalog,
          open,
          log,
        }),
        lane: { db: on.db, sandbox, log, now: Date.now, random: Math.random },
        owner: 'us',
      },
      { runMs: 60_000, lingerMs: 60_000, sweepMs: 60_000, lookMs: 60_000, settleMs },
    );
  };

  const deliver = async (sinkNo: number, lane = 0): Promise<void> => {
    await appendMessages(on.db, sinkNo, [{ group: lane + 1, lane }]);
    deliveries.onNews([sinkNo]);
  };
  const ownerOf = async (sinkNo: number, lane = 0): Promise<string | null> =>
    (
      await on.db.query<{ owner: string | null }>(
        'select owner from millrace_private.lanes where sink_no = $1::integer and lane = $2::integer',
        [sinkNo, lane],
      )
    ).rows[0]!.owner;
  const left = async (sinkNo: number): Promise<number> =>
    (
      await on.db.query<{ count: number }>(
        'select count(*)::integer as count from millrace_private.messages where sink_no = $1::integer',
        [sinkNo],
      )
    ).rows[0]!.count;
  const deliveryStates = async (): Promise<number> =>
    (await on.db.query<{ count: number }>('select count(*)::integer as count from millrace_private.delivery_states'))
      .rows[0]!.count;

  it('the other sinks keep their lanes and owners, through any number of changes', async () => {
    const [edited, other] = [await addSink('edited'), await addSink('other')];
    start();
    await deliver(edited);
    await deliver(other);
    await until('both are delivered', async () => (await left(edited)) + (await left(other)) === 0);
    const owner = await ownerOf(other);
    for (let version = 1; version <= 5; version += 1) {
      edit('edited', `${version}`);
      await until('the new settings', async () => {
        await deliver(edited);
        return sent.includes(`edited {"version":"${version}"}`);
      });
    }
    await deliver(other);
    await until('the other one is delivered', async () => (await left(other)) === 0);
    expect(owner).to.be.a('string');
    expect(await ownerOf(other)).to.equal(owner);
    expect(closed.filter((label) => label.startsWith('other'))).to.deep.equal([]);
  });

  it('a batch under way is settled before its lane ends, and before what it is sent with is closed', async () => {
    const edited = await addSink('edited', 2);
    const { promise, resolve } = Promise.withResolvers<void>();
    held.set('edited', promise);
    start();
    await deliver(edited, 0);
    await until('it is on its way', () => sent.length === 1);
    edit('edited', 'new');
    await until('the lane that had nothing to do has ended', async () => (await ownerOf(edited, 1)) === null);
    await appendMessages(on.db, edited, [{ group: 2, lane: 1 }]);
    deliveries.onNews([edited]);
    await until('the former lanes have been looked at', async () => {
      await deliver(edited, 1);
      return (await ownerOf(edited)) !== null;
    });
    expect(closed).to.deep.equal([]);
    expect(sent).to.deep.equal(['edited {}']);
    resolve();
    await until('everything is delivered', async () => (await left(edited)) === 0);
    expect(sent[0]).to.equal('edited {}');
    expect(new Set(sent.slice(1))).to.deep.equal(new Set(['edited {"version":"new"}']));
    expect(closed).to.deep.equal(['edited {}']);
    expect(await deliveryStates()).to.equal(0);
  });

  it('a pause lets the batch under way end, and nothing follows', async () => {
    const paused = await addSink('paused');
    const { promise, resolve } = Promise.withResolvers<void>();
    held.set('paused', promise);
    start();
    await deliver(paused);
    await until('it is on its way', () => sent.length === 1);
    await appendMessages(on.db, paused, [{ group: 1 }]);
    change('paused', () => ({ status: 'paused' }));
    resolve();
    await until('the lane has ended', async () => (await ownerOf(paused)) === null);
    while (jobs.size > 0) await Promise.all(jobs);
    expect(sent).to.have.lengthOf(1);
    expect(await left(paused)).to.equal(1);
  });

  it('a batch that takes too long is cut off and sent again, without an attempt', async () => {
    const edited = await addSink('edited');
    held.set('edited', new Promise(() => undefined));
    start(50);
    await deliver(edited);
    await until('it is on its way', () => sent.length === 1);
    held.clear();
    edit('edited', 'new');
    await until('it is delivered', async () => (await left(edited)) === 0);
    expect(sent).to.deep.equal(['edited {}', 'edited {"version":"new"}']);
    expect(await deliveryStates()).to.equal(0);
  });
});
