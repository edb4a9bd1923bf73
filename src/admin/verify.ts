/** Compares a search index with its tables, and repairs it: opens what that needs, runs it, closes everything. */
import { setTimeout as wait } from 'node:timers/promises';
import { openReader } from '../catalog/open-sink.ts';
import { type Catalog, type CatalogDatabase, type CatalogSink, loadCatalog } from '../catalog/store.ts';
import { lostConnection, messageDatabase } from '../db/message-database.ts';
import { type Database, openPool } from '../db/pool.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { optionsOf } from '../db/tls.ts';
import { unreachable } from '../model/connection-fault.ts';
import { MillraceError } from '../model/errors.ts';
import { isUnavailable } from '../model/sqlstate.ts';
import { forgetMissed } from '../notices/forget.ts';
import { createLog } from '../runtime/log.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';
import { openSandbox } from '../transform/sandbox.ts';
import { type DriftKind, isDrifting, type Report } from '../verify/drift.ts';
import { VERIFY, type VerifyOptions } from '../verify/options.ts';
import type { Kept, Progress } from '../verify/progress.ts';
import { repair } from '../verify/repair.ts';
import { type VerifyDeps, type VerifyInput, verifySink } from '../verify/verify.ts';
import { titleOf } from './find-sink.ts';

export interface VerifyRequest {
  /** Name of the sink. */
  sink: string;
  repair: boolean;
  options?: Partial<VerifyOptions>;
}

export interface Verified extends Report {
  /** Documents that are right again; undefined when none was to be repaired. */
  repaired: number | undefined;
  /** Something differs, or still does. */
  isDrifting: boolean;
}

export type VerifyProgress = Progress;

export interface VerifyWatch {
  onProgress(progress: VerifyProgress): void;
  signal: AbortSignal;
  /** Of an attempt that ended early. */
  kept?: Kept | undefined;
  onKept?(kept: Kept): void;
}

/** Two connections to the source: a page is read while another one is compared. */
const SOURCE_CONNECTIONS = 2;

/** @throws MillraceError with the remedy when the sink cannot be verified; whatever the signal has cut off. */
export async function verify(
  settings: Settings,
  request: VerifyRequest,
  { onProgress, signal, kept, onKept }: VerifyWatch,
): Promise<Verified> {
  const log = createLog({ level: 'silent', role: 'verify' });
  const closers: (() => Promise<void>)[] = [];
  const opened = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    closers.push(() => part.close());
    return part;
  };
  try {
    const options = {
      ...(await messageDatabase(settings, 'verify')),
      queue: true,
      max: 1,
      onError: lostConnection(log),
    };
    const messages = opened(openPool(options));
    const reload = (): Promise<Catalog> => loadCatalog(messages, keyRing(settings), settings.privateAllowed);
    const catalog = await reload();
    const { sink, database } = chosen(catalog, request.sink);
    const reader = opened(await openReader(sink, catalog));
    const source = opened(await openSource(database));
    const sandbox = opened(openSandbox({ log }));
    const deps = {
      messages,
      source,
      reader,
      sandbox,
      catalog,
      reload,
      sleep,
      now: performance.now.bind(performance),
      onProgress,
    };
    const begun = deps.now();
    const verified = await verifyAndRepair(deps, { sink, database, signal, kept, onKept }, request);
    const seconds = (deps.now() - begun) / 1_000;
    if (isProved(verified)) await forgetMissed(messages, sink.no, { tables: verified.tables, seconds });
    return verified;
  } catch (error) {
    if (signal.aborted || !isUnavailable(error)) throw error;
    throw new MillraceError('unavailable', 'the source or the message database cannot be used any more', {
      remedy:
        'The result is not known. Verify again when it is back; what --repair has asked for already is sent anyway.',
      cause: error,
    });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function verifyAndRepair(deps: VerifyDeps, input: VerifyInput, request: VerifyRequest): Promise<Verified> {
  const options = { ...VERIFY, ...request.options };
  const { report, again, tables } = await verifySink(deps, input, options);
  if (!request.repair || !isDrifting(report)) {
    return { ...report, repaired: undefined, isDrifting: isDrifting(report) };
  }
  const { drifts } = report;
  const left = await repair(
    { ...deps, again },
    { sinkNo: input.sink.no, tables, drifts, signal: input.signal },
    options,
  );
  const count = (kind: DriftKind): number => left.filter((drift) => drift.kind === kind).length;
  const counts = { missing: count('missing'), extra: count('extra'), different: count('different') };
  const after = { ...report, drifts: left, ...counts };
  return { ...after, repaired: drifts.length - left.length, isDrifting: isDrifting(after) };
}

/** The indexes are what the tables are, everything was looked at. */
const isProved = (report: Verified): boolean => !report.isDrifting && report.listed !== null && report.changing === 0;

/** @throws MillraceError not_found, bad_request */
function chosen(catalog: Catalog, name: string): { sink: CatalogSink; database: CatalogDatabase } {
  const sink = catalog.sinks.find((one) => one.name === name);
  const searches = catalog.sinks.filter(({ traits }) => traits.readable).map((one) => one.name);
  const remedy = `Name a search index: ${searches.join(', ') || 'none is declared'}.`;
  if (!sink) throw new MillraceError('not_found', `there is no sink ${name}`, { remedy });
  if (!sink.traits.readable) {
    const message = `sink ${name} is ${titleOf(sink)}: only a search index is compared with tables`;
    throw new MillraceError('bad_request', message, { remedy });
  }
  return { sink, database: catalog.databases.find((one) => one.no === sink.databaseNo)! };
}

/** @throws MillraceError unavailable, with what the server or the network said. */
async function openSource(database: CatalogDatabase): Promise<Database> {
  const { name } = database.settings;
  const fault = (cause: unknown): MillraceError => unreachable(`database ${name} cannot be used`, cause);
  const options = await optionsOf(
    { ...database, address: database.address() },
    { max: SOURCE_CONNECTIONS, applicationName: 'millrace verify' },
  ).catch((cause: unknown) => {
    throw fault(cause);
  });
  await refuseSharedSessions(options, `The address of database ${name}`).catch((cause: unknown) => {
    throw cause instanceof MillraceError ? cause : fault(cause);
  });
  const pool = openPool({ ...options, queryTimeoutMs: 40_000 });
  await pool.query('select').catch(async (cause: unknown) => {
    await pool.close();
    throw fault(cause);
  });
  return pool;
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
