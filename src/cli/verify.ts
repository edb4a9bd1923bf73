/**
 * `millrace verify`: opens what a verification needs, runs it, tells what it found, closes everything. Exit code 0: no
 * drift; 2: drift; 130: interrupted; an error is thrown.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Catalog, type CatalogDatabase, type CatalogSink, loadCatalog } from '../catalog/store.ts';
import { lostConnection, messageDatabase } from '../db/message-database.ts';
import { type Database, openPool } from '../db/pool.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { statement } from '../db/statement.ts';
import { optionsOf } from '../db/tls.ts';
import { unreachable } from '../model/connection-fault.ts';
import { MillraceError } from '../model/errors.ts';
import type { IndexReader } from '../model/index-reader.ts';
import { isUnavailable } from '../model/sqlstate.ts';
import { createLog } from '../runtime/log.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';
import { openSearchReader } from '../sinks/search-index/reader.ts';
import { openSandbox } from '../transform/sandbox.ts';
import { isDrifting, type Report } from '../verify/drift.ts';
import { repair } from '../verify/repair.ts';
import { VERIFY, type VerifyDeps, type VerifyOptions, verifySink } from '../verify/verify.ts';
import { openScreen, type Terminal } from './screen.ts';
import { tellProgress, tellReport } from './tell-verification.ts';

export interface VerifyRequest {
  /** Name of the sink. */
  sink: string;
  repair: boolean;
  /** Differences to list. */
  show: number;
  options?: Partial<VerifyOptions>;
}

export interface VerifyTerminals {
  /** The report. */
  out: Terminal;
  /** Progress. */
  err: Terminal;
}

const FORGET = statement('admin/forget-notices');

/** Two connections to the source: a page is read while another one is compared. */
const SOURCE_CONNECTIONS = 2;
/** As shells say of what Ctrl-C ended. */
const INTERRUPTED = 130;

/** @throws MillraceError with the remedy when the sink cannot be verified. */
export async function runVerify(
  settings: Settings,
  request: VerifyRequest,
  { terminals, signal }: { terminals: VerifyTerminals; signal: AbortSignal },
): Promise<number> {
  const log = createLog({ level: 'silent', role: 'verify' });
  const closers: (() => Promise<void>)[] = [];
  const opened = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    closers.push(() => part.close());
    return part;
  };
  const screen = openScreen(terminals.err, performance.now.bind(performance));
  try {
    const options = {
      ...(await messageDatabase(settings, 'verify')),
      queue: true,
      max: 1,
      onError: lostConnection(log),
    };
    const messages = opened(openPool(options));
    const catalog = await loadCatalog(messages, keyRing(settings), settings.privateAllowed);
    const { sink, database } = chosen(catalog, request.sink);
    const reader = opened(readerOf(sink));
    const source = opened(await openSource(database));
    const sandbox = opened(openSandbox({ log }));
    const deps: VerifyDeps = {
      ...{ messages, source, reader, sandbox, catalog, sleep, now: performance.now.bind(performance) },
      onProgress: (progress) => screen.show([tellProgress(progress)]),
    };
    const begun = deps.now();
    const report = await verifyAndRepair(deps, { sink, database, signal }, request);
    screen.show([]);
    terminals.out.write(report.text);
    if (isProved(report.report))
      await messages.query(FORGET, [sink.no, report.report.tables, (deps.now() - begun) / 1_000]);
    return isDrifting(report.report) ? 2 : 0;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    if (!isUnavailable(error)) throw error;
    throw new MillraceError('unavailable', 'the source or the message database cannot be used any more', {
      remedy:
        'The result is not known. Verify again when it is back; what --repair has asked for already is sent anyway.',
      cause: error,
    });
  } finally {
    screen.end();
    for (const close of closers.reverse()) await close();
  }
}

async function verifyAndRepair(
  deps: VerifyDeps,
  input: { sink: CatalogSink; database: CatalogDatabase; signal: AbortSignal },
  request: VerifyRequest,
): Promise<{ report: Report; text: string }> {
  const options = { ...VERIFY, ...request.options };
  const { show } = request;
  const { report, again, tables } = await verifySink(deps, input, options);
  if (!request.repair || !isDrifting(report)) return { report, text: tellReport(report, { show }) };
  const { drifts } = report;
  const left = await repair(
    { ...deps, again },
    { sinkNo: input.sink.no, tables, drifts, signal: input.signal },
    options,
  );
  const count = (kind: string): number => left.filter((drift) => drift.kind === kind).length;
  const after: Report = {
    ...report,
    drifts: left,
    missing: count('missing'),
    extra: count('extra'),
    different: count('different'),
  };
  return { report: after, text: tellReport(after, { show, repaired: drifts.length - left.length }) };
}

/** The indexes are what the tables are, everything was looked at. */
const isProved = (report: Report): boolean => !isDrifting(report) && report.listed !== null && report.changing === 0;

/** @throws MillraceError not_found, bad_request */
function chosen(catalog: Catalog, name: string): { sink: CatalogSink; database: CatalogDatabase } {
  const sink = catalog.sinks.find((one) => one.name === name);
  const searches = catalog.sinks.filter(({ kind }) => kind === 'search_index').map((one) => one.name);
  const remedy = `Name a search index: ${searches.join(', ') || 'none is declared'}.`;
  if (!sink) throw new MillraceError('not_found', `there is no sink ${name}`, { remedy });
  if (sink.kind !== 'search_index') {
    const kind = sink.kind === 'pull' ? 'a pull consumer' : 'a change table';
    throw new MillraceError('bad_request', `sink ${name} is ${kind}: only a search index is compared with tables`, {
      remedy,
    });
  }
  return { sink, database: catalog.databases.find((one) => one.no === sink.databaseNo)! };
}

function readerOf({ settings: { destination }, secret, reach }: CatalogSink): IndexReader {
  if (destination.type !== 'elasticsearch') throw new MillraceError('internal', `no reader for ${destination.type}`);
  return openSearchReader({ sleep, random: Math.random }, { destination, authValue: secret(), reach });
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
