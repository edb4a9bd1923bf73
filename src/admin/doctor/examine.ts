/**
 * Everything that is known to be wrong, and what to do about each: looked at now, over connections of our own, so that it is
 * said also while no process of the service runs. What cannot be seen is said as well. Nothing is changed, no lock is taken
 * that anybody waits for, and nobody is asked but declared databases and search engines (`_search` alone).
 */
import { type Catalog, type CatalogDatabase, type CatalogSink, loadCatalog } from '../../catalog/store.ts';
import { byHand, type Finding, fault, skipped } from '../../checks/finding.ts';
import { checkReach } from '../../checks/reach.ts';
import { checkRowSize } from '../../checks/row-size.ts';
import { checkSharedIndex, checkTablesOfIndex } from '../../checks/shared-index.ts';
import { messageDatabase } from '../../db/message-database.ts';
import { type Database, openPool } from '../../db/pool.ts';
import { SharedSessions } from '../../db/pooler.ts';
import { connectionFault, DECLARED_DATABASE, MESSAGE_DATABASE } from '../../model/connection-fault.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { isServerError } from '../../model/sqlstate.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import type { Log } from '../../runtime/log.ts';
import { keyRing } from '../../runtime/secret-key.ts';
import type { Settings } from '../../runtime/settings.ts';
import { databasePage, sinkPage } from '../pages.ts';
import { aboutDatabase, type Check, checksOf, MESSAGES, PROCESSES, worstFirst } from './check.ts';
import { lookAtFile } from './look-at-file.ts';
import {
  consumerFindings,
  type Known,
  lookAtAccess,
  lookAtMessages,
  lookAtProcesses,
  lookAtStorage,
  operationFindings,
  readKnown,
} from './look-at-messages.ts';
import { findingsOf, lookAtSink } from './look-at-sink.ts';
import { lookAtSource } from './look-at-source.ts';
import { lookedAt, type SourceLook } from './parts-of-source.ts';
import { sourceFindings } from './source-findings.ts';
import { NoAnswer, within } from './within.ts';

export interface ExamineDeps {
  settings: Settings;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The message database is the embedded server, which `bin/millrace start` runs. */
  isEmbedded?: boolean;
}

export interface ExamineRequest {
  /** By name: this database and its sinks alone. */
  database?: string | undefined;
  /** By name: this sink and its database alone. */
  sink?: string | undefined;
  /** What the message database knows, without asking anybody else. */
  quick?: boolean | undefined;
}

export interface Examination {
  /** Nothing is an error. */
  ok: boolean;
  /** The worst first. */
  checks: Check[];
}

/** Of all looks together, which begin at the same time; each source and each destination has as long. */
const TOTAL_MS = 18_000;
const EACH_MS = 8_000;
const AT_ONCE = 8;

const START_IT = 'Run `bin/millrace start` in this folder, and leave it running.';

/** @throws MillraceError not_found: there is no such database or sink. */
export async function examine(deps: ExamineDeps, request: ExamineRequest, signal: AbortSignal): Promise<Examination> {
  const all = worstFirst(await checksNow(deps, request, AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)])));
  return { ok: !all.some(({ status }) => status === 'error'), checks: all };
}

async function checksNow(deps: ExamineDeps, request: ExamineRequest, signal: AbortSignal): Promise<Check[]> {
  let messages: Database | undefined;
  try {
    const options = await within(EACH_MS, signal, () => messageDatabase(deps.settings, 'doctor'));
    messages = openPool({ ...options, max: 2, onError: () => undefined });
    const opened = messages;
    const look = await within(EACH_MS, signal, () => lookAtMessages(opened, deps.now));
    const checks = checksOf(MESSAGES, look.findings);
    if (look.isOtherSchema) return [...checks, ...checksOf(PROCESSES, [unseen('its schema is not of this release')])];
    return [...checks, ...(await checksOfKnown({ ...deps, messages: opened }, request, signal))];
  } catch (error) {
    if (!isOfServer(error)) throw error;
    const isPooled = error instanceof SharedSessions;
    const found = checkReach(error, MESSAGE_DATABASE, { what: 'the message database', isPooled });
    const reach = deps.isEmbedded === true ? { ...found, ...byHand(START_IT) } : found;
    return [...checksOf(MESSAGES, [reach]), ...checksOf(PROCESSES, [unseen('it cannot be asked')])];
  } finally {
    await messages?.close().catch(() => undefined);
  }
}

/** A fault of ours, and a name that is not known, are no findings. */
const isOfServer = (error: unknown): boolean =>
  error instanceof NoAnswer ||
  isServerError(error) ||
  connectionFault(error, MESSAGE_DATABASE) !== undefined ||
  (error instanceof MillraceError && error.code !== 'not_found');

const unseen = (why: string): Finding =>
  skipped('not_seen', `databases, sinks and processes were not looked at: the message database knows them, and ${why}`);

interface Asked extends ExamineDeps {
  messages: Database;
}

async function checksOfKnown(deps: Asked, request: ExamineRequest, signal: AbortSignal): Promise<Check[]> {
  const { baseUrl } = deps.settings;
  const known = chosen(await readKnown(deps.messages), request);
  const { catalog, findings, keyId } = await openCatalog(deps);
  const looked = await lookAround({ ...deps, catalog }, { known, quick: request.quick ?? false }, signal);
  return [
    ...checksOf(MESSAGES, [
      ...findings,
      ...(await lookAtStorage(deps.messages)),
      ...(await lookAtFile(deps.messages, deps.settings, process.env)),
    ]),
    ...checksOf(PROCESSES, lookAtProcesses(known, keyId)),
    ...known.databases.flatMap((database) =>
      checksOf({ ...aboutDatabase(database.name), link: databasePage(baseUrl, database.name) }, [
        ...operationFindings(known.operations, { database: database.name }),
        ...sourceFindings(database, looked.sources.get(database.name)),
      ]),
    ),
    ...known.sinks.flatMap((sink) => {
      const declared = catalog?.sinks.find(({ name }) => name === sink.name);
      const tables = looked.sources.get(sink.database)?.tables?.filter(({ sinkNo }) => sinkNo === declared?.no);
      const subject = { kind: 'sink', name: sink.name } as const;
      const link = sinkPage(baseUrl, sink);
      const about = { subject, source: sink.database, destination: declared?.into?.database, link };
      return checksOf(about, [
        ...(declared ? checkSharedIndex(declared, catalog?.sinks ?? []) : []),
        ...(declared ? checkTablesOfIndex(declared) : []),
        ...operationFindings(known.operations, { sink: sink.name }),
        ...consumerFindings(known.consumers, sink.name),
        ...checkRowSize(known.tooLarge.filter((one) => one.sink === sink.name)),
        ...findingsOf(sink, { destination: looked.destinations.get(sink.name), tables }),
      ]);
    }),
  ];
}

/** @throws MillraceError not_found */
function chosen(known: Known, { database, sink }: ExamineRequest): Known {
  const named = sink === undefined ? undefined : known.sinks.find(({ name }) => name === sink);
  if (sink !== undefined && !named) throw unknown('sink', sink, known.sinks);
  if (database !== undefined && !known.databases.some(({ name }) => name === database))
    throw unknown('database', database, known.databases);
  const source = database ?? named?.database;
  return {
    ...known,
    databases: known.databases.filter(({ name }) => source === undefined || name === source),
    sinks: known.sinks.filter((one) =>
      named ? one.name === named.name : source === undefined || one.database === source,
    ),
  };
}

const unknown = (kind: string, name: string, all: readonly { name: string }[]): MillraceError =>
  new MillraceError('not_found', `there is no ${kind} ${name}`, {
    remedy: `Name one of: ${all.map((one) => one.name).join(', ') || 'none is declared'}.`,
  });

/** Undefined where its secrets do not open: then only what is stored is known. */
async function openCatalog({
  messages,
  settings,
}: Asked): Promise<{ catalog?: Catalog; findings: Finding[]; keyId?: string }> {
  try {
    const keys = keyRing(settings);
    const catalog = await loadCatalog(messages, keys, settings.privateAllowed);
    const keyId = keys.current.id;
    return { catalog, keyId, findings: await lookAtAccess(messages, keyId) };
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'bad_setting') throw error;
    const found = fault('wrong_secret_key', messageOf(error), byHand(error.remedy ?? 'Give the former SECRET_KEY.'));
    return { findings: [found] };
  }
}

interface Looked {
  /** By name. */
  sources: Map<string, SourceLook>;
  destinations: Map<string, Awaited<ReturnType<typeof lookAtSink>>>;
}

async function lookAround(
  deps: Asked & { catalog: Catalog | undefined },
  { known, quick }: { known: Known; quick: boolean },
  signal: AbortSignal,
): Promise<Looked> {
  const looked: Looked = { sources: new Map(), destinations: new Map() };
  const { catalog, messages, log } = deps;
  if (!catalog || quick) return looked;
  const places = createSemaphore(AT_ONCE);
  const sourceOf = async (database: CatalogDatabase): Promise<void> => {
    const { name } = database.settings;
    const { state = null, reason = null } = known.databases.find((one) => one.name === name) ?? {};
    const look = within(EACH_MS, signal, () =>
      lookAtSource(messages, { ...lookedAt(catalog, database), databases: catalog.databases, state, reason }),
    );
    looked.sources.set(
      name,
      await look.catch((error: unknown) => ({ findings: [unanswered(error, `database ${name}`)], tables: undefined })),
    );
  };
  const destinationOf = async (sink: CatalogSink): Promise<void> => {
    const look = within(EACH_MS, signal, (own) => lookAtSink({ messages, log, catalog }, sink, own));
    looked.destinations.set(sink.name, await look.catch((error: unknown) => [unanswered(error, 'its destination')]));
  };
  const databases = catalog.databases.filter(({ settings }) =>
    known.databases.some(({ name }) => name === settings.name),
  );
  const sinks = catalog.sinks.filter(
    ({ name, status }) => status !== 'disabled' && known.sinks.some((one) => one.name === name),
  );
  await Promise.all([
    ...databases.map((database) => places(() => sourceOf(database))),
    ...sinks.map((sink) => places(() => destinationOf(sink))),
  ]);
  return looked;
}

/** Who did not answer in time does not work; what our own time did not suffice for was not looked at. */
const unanswered = (error: unknown, what: string): Finding =>
  error instanceof NoAnswer
    ? checkReach(error, DECLARED_DATABASE, { what, isPooled: false })
    : skipped('unchecked', `it was not looked at: ${messageOf(error)}`);
