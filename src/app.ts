/**
 * The composition root: builds the parts of each role from its settings, in order, and closes them last-in first-out.
 * Connections to the message database, at most: capture 2, worker 4 and 1 that listens, web 3 and 1 that listens.
 */
import { randomUUID } from 'node:crypto';
import { openCaptures } from './capture/captures.ts';
import { applyConfig } from './catalog/apply.ts';
import { readConfiguration } from './catalog/file.ts';
import { formatFaults } from './catalog/finding.ts';
import { type Catalog, type CatalogSink, loadCatalog } from './catalog/store.ts';
import { findToken } from './catalog/tokens.ts';
import { openListener } from './db/listen.ts';
import { migrateSchema } from './db/migrate.ts';
import { type Database, openPool, type PoolOptions } from './db/pool.ts';
import { optionsOf, preferTls } from './db/ssl.ts';
import { DELIVER_TASK, DELIVERIES, openDeliveries } from './deliver/schedule.ts';
import { openShapedConsumer } from './deliver/shaped-consumer.ts';
import { type OpenSink, openTargets } from './deliver/targets.ts';
import { openWeb } from './http/web.ts';
import { CATALOG_CHANNEL, MESSAGES_CHANNEL, openNotifier, sinksOf } from './messages/notify.ts';
import type { FunctionSettings } from './model/declared.ts';
import { type Fault, MillraceError } from './model/errors.ts';
import type { Sink } from './model/sink.ts';
import { EXPIRE_TASK, openExpiries } from './retain/expiries.ts';
import { openChangeTable } from './retain/sink.ts';
import { backoffMs, RECONNECT } from './runtime/backoff.ts';
import { type Jobs, migrateJobs, openJobs } from './runtime/jobs.ts';
import { createLog, type Log } from './runtime/log.ts';
import { createMetrics } from './runtime/metrics.ts';
import { type Service, supervise } from './runtime/service.ts';
import type { Settings } from './runtime/settings.ts';
import { openSearchSink } from './sinks/search-index/sink.ts';
import { openSandbox } from './transform/sandbox.ts';

export type Role = 'web' | 'worker' | 'capture';

/** What a role is made of; `close` frees what is no service, after all services have ended. */
interface Parts {
  services: Service[];
  close(): Promise<void>;
}

const LANES_AT_ONCE = 64;

/** Runs a role until the signal. */
export async function runRole(role: Role, settings: Settings, signal: AbortSignal): Promise<void> {
  const log = createLog({ level: settings.logLevel, role });
  const parts = await { web: webParts, worker: workerParts, capture: captureParts }[role](settings, log);
  log.info({ services: parts.services.map(({ name }) => name) }, 'started');
  const backoff = (attempt: number): number => backoffMs(attempt, RECONNECT, Math.random());
  await supervise(parts.services, { log, backoff }).run(signal);
  await parts.close();
  log.info('stopped');
}

async function captureParts(settings: Settings, log: Log): Promise<Parts> {
  const db = openPool({ ...(await messageDatabase(settings, 'capture')), max: 2, onError: lostConnection(log) });
  const notifier = openNotifier({ db, onError: (error) => log.warn({ err: error }, 'notification failed') });
  const captures = openCaptures({
    messages: db,
    load: () => loadCatalog(db, settings.secretKey),
    log,
    onPersisted: (sinks) => notifier.tell(sinks),
  });
  return { services: [captures], close: () => db.close() };
}

async function workerParts(settings: Settings, log: Log): Promise<Parts> {
  const options = { ...(await messageDatabase(settings, 'worker')), queue: true, onError: lostConnection(log) };
  const db = openPool({ ...options, max: 4 });
  const listener = openListener({ ...options, max: 1 }, { log });
  const notifier = openNotifier({ db, onError: (error) => log.warn({ err: error }, 'notification failed') });
  const sandbox = openSandbox({ log });
  const load = () => loadCatalog(db, settings.secretKey);
  let jobs: Jobs | undefined;
  const deliveries = openDeliveries(
    {
      db,
      jobs: () => jobs!,
      targets: openTargets({ load, kinds: sinkKinds(db, log), log }),
      lane: {
        db,
        sandbox,
        log,
        now: Date.now,
        random: Math.random,
        onSettled: (target) => {
          if (target.shapes) notifier.tell([target.no]);
        },
      },
      log,
      owner: randomUUID(),
    },
    DELIVERIES,
  );
  const expiries = openExpiries({
    jobs: () => jobs!,
    load,
    log,
    openDestination: (catalog, name) => openDeclared(catalog, { name, use: 'retention job' }, log),
  });
  jobs = openJobs(
    { db, log },
    { tasks: { [DELIVER_TASK]: deliveries.task, [EXPIRE_TASK]: expiries.task }, concurrency: LANES_AT_ONCE },
  );
  listener.on(MESSAGES_CHANNEL, (payload) => deliveries.onNews(sinksOf(payload)));
  listener.on(CATALOG_CHANNEL, () => deliveries.onCatalog());
  return {
    services: [jobs, deliveries, expiries, listener],
    async close() {
      await sandbox.close();
      await db.close();
    },
  };
}

async function webParts(settings: Settings, log: Log): Promise<Parts> {
  const options = { ...(await messageDatabase(settings, 'web')), queue: true, onError: lostConnection(log) };
  const db = openPool({ ...options, max: 3 });
  const listener = openListener({ ...options, max: 1 }, { log });
  const metrics = createMetrics();
  const web = await openWeb(
    { db, listener, log, metrics, findToken: (token) => findToken(db, token) },
    { host: settings.host, port: settings.port },
  );
  return { services: [listener, web], close: () => db.close() };
}

/** Every kind of sink that is delivered to: adding one is a folder under sinks/ and a line here. */
function sinkKinds(db: Database, log: Log): Record<CatalogSink['kind'], OpenSink> {
  return {
    search_index: async ({ settings: { destination }, secret }) => {
      if (destination.type !== 'elasticsearch') throw wrongKind(destination.type);
      return openSearchSink({ log }, { destination, authValue: secret });
    },
    change_table: async ({ id, databaseNo, settings: { destination } }, catalog) => {
      if (destination.type !== 'change_table') throw wrongKind(destination.type);
      const source = catalog.databases.find((one) => one.no === databaseNo)!;
      const pool = await openDeclared(catalog, { name: destination.database, use: 'change table' }, log);
      const sink = await openChangeTable(
        { log, destination: pool, messages: db },
        { retentionId: id, sourceDatabaseId: source.id, destination },
      );
      return closingWith(sink, () => pool.close());
    },
    pull: async ({ no, settings }) => openShapedConsumer({ sinkNo: no, transformed: settings.transform !== null }),
  };
}

/** One connection to a database of the catalog. */
async function openDeclared(catalog: Catalog, wanted: { name: string; use: string }, log: Log): Promise<Database> {
  const declared = catalog.databases.find((one) => one.settings.name === wanted.name);
  if (!declared) throw new MillraceError('bad_destination', `database ${wanted.name} is not declared`);
  const options = await optionsOf(declared, { max: 1, applicationName: `millrace ${wanted.use}` });
  return openPool({ ...options, onError: lostConnection(log) });
}

const wrongKind = (type: string): MillraceError => new MillraceError('internal', `no such destination: ${type}`);

/** The sink itself, so that what it learns later is seen, with more to close. */
function closingWith(sink: Sink, more: () => Promise<void>): Sink {
  const close = sink.close.bind(sink);
  sink.close = async () => {
    await close();
    await more();
  };
  return sink;
}

/** Brings the message database to this release, and applies the configuration file if there is one. */
export async function migrate(settings: Settings): Promise<void> {
  const log = createLog({ level: settings.logLevel, role: 'migrate' });
  const config = readDeclaration(settings, log);
  if (config) await checkFunctions(config.functions, log);
  const options = { ...(await messageDatabase(settings, 'migrate')), max: 2 };
  await migrateSchema({ log }, options);
  const db = openPool(options);
  try {
    await migrateJobs(db, log);
    if (config) {
      const summary = await applyConfig({ db, secretKey: settings.secretKey }, config);
      log.info({ created: summary.created, changed: summary.changed }, 'configuration applied');
    }
  } finally {
    await db.close();
  }
}

/** The configuration, checked whole before anything is touched. @throws MillraceError bad_configuration. */
function readDeclaration(settings: Settings, log: Log) {
  const { configFileYaml, configFilePath } = settings;
  if (configFileYaml === null && configFilePath === null) return undefined;
  const source = configFileYaml === null ? { path: configFilePath! } : { yaml: configFileYaml };
  const { config, warnings } = readConfiguration({ env: process.env }, source);
  for (const warning of warnings)
    log.warn({ field: warning.field }, formatFaults([warning], configFilePath ?? 'CONFIG_FILE_YAML'));
  return config;
}

/** Compiles every function and tries it, so that a mistake is said before it meets a message. */
async function checkFunctions(functions: readonly FunctionSettings[], log: Log): Promise<void> {
  if (functions.length === 0) return;
  const sandbox = openSandbox({ log });
  const faults: Fault[] = [];
  try {
    for (const [place, fn] of functions.entries()) {
      const fault = await sandbox.check(fn);
      if (!fault) continue;
      const at = fault.line === undefined ? '' : ` (line ${fault.line}, column ${fault.column ?? 1} of its code)`;
      faults.push({
        field: `functions[${place}].${fn.path === null ? 'code' : 'path'}`,
        message: `${fn.name}: ${fault.message}${at}`,
      });
    }
  } finally {
    await sandbox.close();
  }
  if (faults.length > 0)
    throw new MillraceError('bad_configuration', 'the configuration has functions that do not work', { faults });
}

/** How the message database is reached; with TLS where it speaks it. */
async function messageDatabase(settings: Settings, role: string): Promise<PoolOptions> {
  const options = { address: settings.databaseUrl, max: 1, applicationName: `millrace ${role}` };
  if (settings.databaseCaCert === null) return await preferTls(options);
  return { ...options, ssl: { ca: settings.databaseCaCert, rejectUnauthorized: true } };
}

const lostConnection =
  (log: Log) =>
  (error: Error): void =>
    log.warn({ err: error }, 'a connection to the message database was lost');
