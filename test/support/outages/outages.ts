/**
 * A service whose message database, source and search engine are servers of the test's own, to be killed and stopped while
 * an operation is under way and writers change rows at random; and what must hold when all is quiet again. Where an
 * operation is when something happens is no accident: capture is stopped at a failpoint, or the engine has seen so much.
 */
import { setTimeout as pace } from 'node:timers/promises';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { type BulkServer, startBulkServer } from '../engines/bulk-server.ts';
import { type EngineRelay, startEngineRelay } from '../engines/relay.ts';
import { type SourceServer, startSourceServer } from '../postgres/source-server.ts';
import { type RunningCommand, startCli } from '../processes/cli.ts';
import { createService, runMain, SECRET_KEY, type TestService } from '../processes/service.ts';
import { type Store, startStore } from '../processes/store.ts';
import { untilCaptured, untilSettled } from '../processes/world.ts';
import { until } from '../until.ts';
import { type OutageFacts, pulledBy, type Seen } from './facts.ts';
import { churn, LEDGER_SCHEMA, type Random, seeded, transaction } from './ledger.ts';

/** Three pages, also when some have been deleted. */
export const ROWS = 5_600;
export const SLOT = 'outages';
export const SINKS = ['accounts-index', 'pulled', 'replayed', 'history'];
const DEADLINE_MS = 40_000;
const WRITER_PAUSE_MS = 20;

const yamlOf = (sourceUrl: string, archiveUrl: string, engineUrl: string): string => `
databases:
  - name: shop
    url: ${sourceUrl}
    ssl: false
    slot: { name: ${SLOT}, create_if_not_exists: true }
    publication: { name: outages, create_if_not_exists: true }
  - { name: archive, url: "${archiveUrl}", ssl: false }
functions:
  - name: document
    type: transform
    code: "(action, record) => ({ key: record.id, cents: Math.round(record.balance * 100), at: record.version })"
sinks:
  - name: accounts-index
    database: shop
    source: { include_tables: [accounts] }
    transform: document
    destination: { type: elasticsearch, endpoint_url: "${engineUrl}", index_name: accounts, auth_type: none }
  - { name: pulled, database: shop, source: { include_tables: [accounts] }, destination: { type: pull, visibility_timeout_ms: 2000 } }
  - { name: replayed, database: shop, source: { include_tables: [accounts] }, destination: { type: pull, visibility_timeout_ms: 2000 } }
change_retentions:
  - name: history
    source_database: shop
    source_table_name: accounts
    destination_database: archive
    destination_table_name: accounts_events
    create_if_not_exists: true
`;

export interface Outages extends OutageFacts {
  store: Store;
  source: SourceServer;
  engine: BulkServer;
  relay: EngineRelay;
  capture: TestService;
  worker: TestService;
  random: Random;
  cli(...args: string[]): RunningCommand;
  /** From now on rows change at random. */
  write(): void;
  /** No more; resolves when the last transaction has ended. */
  hold(): Promise<void>;
  /** Kills the role, and starts it anew, perhaps with failpoints. */
  restart(role: 'capture' | 'worker', failpoints?: string): Promise<void>;
  /** Until capture is stopped at its failpoint; its pid. */
  stopped(): Promise<number>;
  /** Lanes and operations of a worker that died can be taken over; an open circuit may be probed. */
  timePasses(): Promise<void>;
  /** Holds the writers, and waits until every sink of `sinks` has settled what was written. */
  settled(sinks?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startOutages(seed: number): Promise<Outages> {
  const [store, source] = await Promise.all([startStore(), startSourceServer()]);
  await source.execute('create database archive');
  const open = (address: string): Database => openPool({ address, max: 4, applicationName: 'test', path: 'role' });
  const shop = open(source.database.url);
  const archiveUrl = source.database.url.replace(/shop$/, 'archive');
  const archive = open(archiveUrl);
  await shop.query(LEDGER_SCHEMA);
  const engine = await startBulkServer({ indexes: ['accounts'] });
  const relay = await startEngineRelay(engine.url);
  const random = seeded(seed);
  const yaml = Buffer.from(yamlOf(source.database.url, archiveUrl, relay.url)).toString('base64');
  const env = { DATABASE_URL: store.url, SECRET_KEY, CONFIG_FILE_YAML: yaml, LOG_LEVEL: 'warn' };
  const { code, stderr } = await runMain('migrate', env);
  if (code !== 0) throw new Error(stderr);
  const service = (word: 'capture' | 'worker') => createService({ databaseUrl: store.url, word });
  const roles = { capture: await service('capture'), worker: await service('worker') };
  await Promise.all([roles.capture.start(), roles.worker.start()]);
  const steps = Array.from({ length: ROWS }, (_, n) => ['put', n + 1, 'north']);
  await churn(shop, steps);
  const seen: Record<'pulled' | 'replayed', Seen> = {
    pulled: pulledBy(store.db, 'pulled', seed),
    replayed: pulledBy(store.db, 'replayed', seed),
  };
  let writing: { over: AbortController; ended: Promise<void> } | undefined;
  const lanesAreFree = async (): Promise<void> => {
    await store.db.query('update millrace_private.lanes set until = clock_timestamp() where owner is not null');
    await store.db.query('update millrace_private.circuits set probe_at = clock_timestamp()');
    await store.db.query("select pg_notify('millrace_messages', '')");
  };

  const self: Outages = {
    ...{ store, source, shop, archive, messages: store.db, engine, relay, ...roles, seen, random },
    cli: (...args) => startCli(args, { DATABASE_URL: store.url, SECRET_KEY }),
    write() {
      if (writing) return;
      const over = new AbortController();
      writing = { over, ended: writeUntil(shop, random, over.signal) };
    },
    async hold() {
      writing?.over.abort();
      await writing?.ended;
      writing = undefined;
    },
    async restart(role, failpoints) {
      await roles[role].kill();
      if (role === 'worker') await self.timePasses();
      await roles[role].start(failpoints === undefined ? {} : { env: { MILLRACE_FAILPOINTS: failpoints } });
    },
    async stopped() {
      const found = async () => {
        // Each look at all processes costs something.
        await pace(100);
        const process = await roles.capture.find('capture');
        return process?.stopped === true && process;
      };
      const stopped = await until('capture is stopped at its failpoint', found, DEADLINE_MS);
      return stopped.pid;
    },
    async timePasses() {
      await lanesAreFree();
      await store.db.query('update millrace_private.operations set until = clock_timestamp() where owner is not null');
      await store.db.query("select pg_notify('millrace_operations', '')");
    },
    async settled(sinks = SINKS) {
      await self.hold();
      await untilCaptured(store.db, shop, DEADLINE_MS);
      await lanesAreFree();
      await untilSettled(store.db, sinks, DEADLINE_MS);
    },
    async close() {
      await self.hold();
      await Promise.all(Object.values(seen).map((each) => each.stop()));
      await Promise.all([roles.capture.kill(), roles.worker.kill()]);
      await Promise.all([shop.close(), archive.close()]);
      await Promise.all([relay.close(), engine.close(), source.close(), store.drop()]);
    },
  };
  await self.settled();
  return self;
}

/** A source that is away is tried again. What was committed stands in the ledger, whatever the writer heard of it. */
async function writeUntil(shop: Database, random: Random, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await churn(shop, transaction(random, ROWS)).catch(() => undefined);
    await pace(WRITER_PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}
