/**
 * The role `worker`: delivery lanes, and what sinks do on a clock. Four connections to the message database, and one that listens.
 */
import { randomUUID } from 'node:crypto';
import { OPERATIONS_CHANNEL, openOperations } from '../admin/operation/runner.ts';
import { operationWork } from '../admin/operation/work.ts';
import { freeStorage } from '../catalog/apply/remove-sink.ts';
import { openSink } from '../catalog/open-sink.ts';
import { openSinkJobs } from '../catalog/sink-jobs.ts';
import { loadCatalog } from '../catalog/store.ts';
import { type Jobs, openJobs } from '../db/jobs.ts';
import { openListener } from '../db/listen.ts';
import { fullServer, lostConnection, messageDatabase, type Waiting } from '../db/message-database.ts';
import { type Database, openPool } from '../db/pool.ts';
import { takeLeast } from '../db/room.ts';
import { limited } from '../deliver/behind.ts';
import { DELIVER_TASK } from '../deliver/lane-jobs.ts';
import { openDeaths, openPresence } from '../deliver/presence.ts';
import { DELIVERIES, type DeliveriesDeps, openDeliveries } from '../deliver/schedule.ts';
import { openTargets } from '../deliver/targets.ts';
import { workerBeat } from '../messages/beat.ts';
import type { Counters } from '../messages/counters.ts';
import { CATALOG_CHANNEL, MESSAGES_CHANNEL, type Notifier, openNotifier, sinksOf } from '../messages/notify.ts';
import { openTrimming } from '../messages/trim.ts';
import { createByteBudget } from '../runtime/concurrency/byte-budget.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';
import { openSandbox } from '../transform/sandbox.ts';
import { type Parts, refuseLaterSchema, refuseWrongKey } from './parts.ts';
import { openOwnMetrics, openReporting, stagesIn } from './reporting.ts';

/** For transactions that are in the way of freeing the storage of removed sinks. */
const FREE_MS = 1_000;
const LANES_AT_ONCE = 64;
/** Half of them are kept for lanes that have little to do. */
const CONNECTIONS = 4;
/** The job runner listens on one of them; who writes a change table here may need one beside its transaction. */
const LEAST = 3;
/** All lanes share four connections: with a slow database they wait for each other, and that is no failure. */
const PATIENCE_MS = 120_000;
/**
 * A worker that stalls while it settles holds its lane's row, and whoever wants the lane finds it taken, until Postgres ends
 * the transaction: well before the lane's own lease is over, so that this costs the lane no time.
 */
export const STALL_MS = 15_000;
/** A worker that lost its session comes back with another one sooner, as a rule. */
const GONE_MS = 2_000;
/** Of rows that are read and not settled, and of what functions made of them. In memory it is some times as much. */
const READ_BUDGET_BYTES = 32 * 1024 * 1024;

const freeing = (db: Database) => (): Promise<unknown> => freeStorage(db, FREE_MS);

export async function workerParts(settings: Settings, waiting: Waiting, report = openReporting): Promise<Parts> {
  const { log } = waiting;
  const options = {
    ...(await messageDatabase(settings, 'worker', waiting)),
    queue: true,
    actor: 'service worker',
    onError: lostConnection(log),
  };
  const db = openPool({
    ...options,
    max: CONNECTIONS,
    least: LEAST,
    onFull: fullServer(log),
    patienceMs: PATIENCE_MS,
    idleInTransactionMs: STALL_MS,
  });
  await takeLeast(db.pool, LEAST, waiting.signal);
  const presence = openPresence();
  const listener = openListener({ ...options, max: 1 }, { log, session: presence });
  const notifier = openNotifier({ db, onError: (error) => log.warn({ err: error }, 'notification failed') });
  const sandbox = openSandbox({ log });
  const keys = keyRing(settings);
  const { counters, services } = report({ db, log }, { role: 'worker', keys });
  const own = await openOwnMetrics(settings, log);
  const load = () => loadCatalog(db, keys, settings.privateAllowed);
  await refuseLaterSchema(db);
  await refuseWrongKey(load);
  const targets = openTargets({ load, open: (sink, catalog) => openSink({ messages: db, log }, sink, catalog), log });
  let jobs: Jobs | undefined;
  const owner = randomUUID();
  // At once when it listens, and then now and then.
  const beat = workerBeat(listener);
  presence.onChange(beat);
  const deliveries = openDeliveries(
    {
      lane: {
        ...{ db, behind: limited(db, CONNECTIONS / 2), sandbox, log, now: Date.now, random: Math.random },
        ...(own && { stages: stagesIn(own.metrics) }),
      },
      jobs: () => jobs!,
      targets,
      budget: createByteBudget(READ_BUDGET_BYTES),
      onSettled: settledInto({ counters, notifier, metrics: own?.metrics }),
      owner,
      life: {
        presence,
        beat,
        deaths: openDeaths(listener, presence, { graceMs: GONE_MS, now: () => performance.now() }),
      },
    },
    { ...DELIVERIES, places: LANES_AT_ONCE },
  );
  const sinkJobs = await openSinkJobs({ messages: db, jobs: () => jobs!, load, log });
  const work = operationWork({ settings, keys });
  const operations = openOperations({ db, jobs: () => jobs!, log, owner, presence, work });
  const others = [...sinkJobs, openTrimming({ db, jobs: () => jobs!, log, also: freeing(db) }), operations];
  const tasks = Object.fromEntries(others.map(({ taskName, task }) => [taskName, task]));
  jobs = openJobs({ db, log }, { tasks: { [DELIVER_TASK]: deliveries.task, ...tasks }, concurrency: LANES_AT_ONCE });
  listener.on(OPERATIONS_CHANNEL, operations.onNews);
  listener.on(MESSAGES_CHANNEL, (payload) => deliveries.onNews(sinksOf(payload)));
  listener.on(CATALOG_CHANNEL, () => deliveries.onCatalog());
  return {
    services: [...services, ...(own?.services ?? []), jobs, deliveries, ...others, listener],
    // Sinks outlive the lanes, which end with the jobs: a request that we cut off is no answer.
    async close() {
      await targets.close();
      await sandbox.close();
      await db.close();
    },
  };
}

/** What becomes of batches is counted; what pull consumers can receive now is told. */
function settledInto(to: {
  counters: Counters;
  notifier: Notifier;
  metrics: Metrics | undefined;
}): NonNullable<DeliveriesDeps['onSettled']> {
  const { counters, notifier, metrics } = to;
  const deliveredHere = metrics?.counter({
    name: 'process_delivered_messages_total',
    help: 'Messages that this worker has delivered, or shaped for pull consumers',
  });
  const failedHere = metrics?.counter({
    name: 'process_failed_deliveries_total',
    help: 'Deliveries of this worker that failed',
  });
  return (target, { done, retried, parked, latencies }) => {
    deliveredHere?.inc(done);
    failedHere?.inc(retried + parked);
    counters.add(target.no, { failed: retried + parked, retried, parked });
    if (target.shapes) notifier.tell([target.no]);
    else {
      counters.add(target.no, { delivered: done });
      counters.took(target.no, latencies);
    }
  };
}
