/** The role `migrate`: schema, job tables and configuration, each safe to repeat. */
import { refuseBadFunctions } from '../admin/check-functions.ts';
import { ensureAdmin } from '../admin/setup.ts';
import { applyConfig } from '../catalog/apply/apply.ts';
import { freeStorage } from '../catalog/apply/remove-sink.ts';
import { storeTraits } from '../catalog/apply/traits.ts';
import { readConfiguration } from '../catalog/declare/file.ts';
import { loadCatalog } from '../catalog/store.ts';
import { migrateJobs } from '../db/jobs.ts';
import { fullServer, messageDatabase, patiently } from '../db/message-database.ts';
import { migrateSchema } from '../db/migrate.ts';
import { openPool } from '../db/pool.ts';
import { formatFaults } from '../model/finding.ts';
import { isLoopback } from '../model/loopback.ts';
import { createLog, type Log } from '../runtime/log.ts';
import { withoutRepeats } from '../runtime/repeats.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';

/** How long a start waits for transactions that are in the way of freeing storage. */
const FREE_MS = 1_000;
/** For a connection, beside the roles of the release before. */
const PATIENCE_MS = 120_000;

/** Brings the message database to this release, and applies the configuration file if there is one. */
export async function migrate(settings: Settings): Promise<void> {
  const log = withoutRepeats(createLog({ level: settings.logLevel, role: 'migrate' }));
  const config = readDeclaration(settings, log);
  if (config) await refuseBadFunctions(config.functions, log);
  const waiting = { log, signal: new AbortController().signal };
  const options = { ...(await messageDatabase(settings, 'migrate', waiting)), max: 2 };
  await patiently(waiting, () => migrateSchema({ log }, options));
  const db = openPool({ ...options, actor: 'file start', least: 1, patienceMs: PATIENCE_MS, onFull: fullServer(log) });
  const keys = keyRing(settings);
  try {
    await migrateJobs(db, log);
    // What a removed sink has left, when something was in the way then.
    await freeStorage(db, FREE_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'storage of removed sinks stays'),
    );
    await storeTraits(db);
    if (config) {
      const summary = await applyConfig({ db, keys }, config, { from: 'start' });
      log.info({ created: summary.created, changed: summary.changed }, 'configuration applied');
      for (const note of summary.notes) log.warn(note);
    }
    if (settings.adminPassword !== null && (await ensureAdmin(db, settings.adminPassword)))
      log.info('ADMIN_PASSWORD has made the user admin');
    // With another key, or secrets of another release, no role could do anything.
    await loadCatalog(db, keys);
  } finally {
    await db.close();
  }
}

/** The configuration, checked whole before anything is touched. @throws MillraceError bad_configuration. */
function readDeclaration(settings: Settings, log: Log) {
  const { configFileYaml, configFilePath } = settings;
  if (configFileYaml === null && configFilePath === null) return undefined;
  const source = configFileYaml === null ? { path: configFilePath! } : { yaml: configFileYaml };
  const { config, warnings } = readConfiguration({ env: process.env, loopbackOnly: isLoopback(settings.host) }, source);
  for (const warning of warnings)
    log.warn({ field: warning.field }, formatFaults([warning], configFilePath ?? 'CONFIG_FILE_YAML'));
  return config;
}
