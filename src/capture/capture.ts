/**
 * Captures one database: checks it, makes slot and publication when asked, takes over the position (which fences every
 * older capture), and streams until something ends it. It never gives up: what ended it is a state that a person can read
 * in millrace.database_status, with the remedy, and it tries again. Somebody else on the slot (55006) means: stand by.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openPool, type PoolOptions } from '../db/pool.ts';
import { optionsOf } from '../db/ssl.ts';
import { statement } from '../db/statement.ts';
import { isFenced, isStaleCatalog } from '../messages/append.ts';
import {
  beginPosition,
  readPosition,
  type SourceIdentity,
  type StoredPosition,
  setCaptureState,
  takeOver,
} from '../messages/position.ts';
import type { DatabaseAddress, DatabaseSettings } from '../model/declared.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { backoffMs, RECONNECT } from '../runtime/backoff.ts';
import type { Log } from '../runtime/log.ts';
import type { SinkEntry } from './match.ts';
import { ensurePublication } from './publication.ts';
import { loadRelation, type RelationDeps } from './relation.ts';
import { CaptureSession } from './session.ts';
import { checkContinuity, ensureSlot, GapError, readSlot, readSource, type SourceFacts } from './slot.ts';
import { openStream, type ReplicationStream } from './stream.ts';
import { noteUnpublished } from './unpublished.ts';

const HEARTBEAT = statement('capture/heartbeat');
const TRUNCATED = statement('capture/truncated');

export interface CapturedDatabase {
  no: number;
  settings: DatabaseSettings;
  address: DatabaseAddress;
  sinks: readonly SinkEntry[];
  changeTables: ReadonlySet<string>;
  catalogGeneration: number;
}

export interface CaptureDeps {
  messages: Database;
  log: Log;
  /** The database as the catalog has it now; undefined when no sink reads from it any more. */
  current(): Promise<CapturedDatabase | undefined>;
  /** Messages of these sinks are there to be read. */
  onPersisted(sinks: ReadonlySet<number>): void;
}

const CHECKPOINT_MS = 1_000;
const CHECK_MS = 30_000;
const STANDBY_MS = 2_000;
const GAP_RECHECK_MS = 2_000;

/** Runs until the signal, or until the database is not in the catalog any more. Rejects never. */
export async function captureDatabase(deps: CaptureDeps, databaseNo: number, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    let waitMs: number;
    try {
      const database = await deps.current();
      if (!database) return;
      await captureOnce(deps, database, signal);
      failures = 0;
      waitMs = 0;
    } catch (error) {
      if (performance.now() - begun > 60_000) failures = 0;
      failures += 1;
      waitMs = await explain(deps, databaseNo, { error, failures });
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Says what happened where people look, and how long to wait. */
async function explain(
  deps: CaptureDeps,
  databaseNo: number,
  what: { error: unknown; failures: number },
): Promise<number> {
  const { error, failures } = what;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const wait = backoffMs(failures, RECONNECT, Math.random());
  if (isStaleCatalog(error)) return 0;
  const show = async (state: 'standby' | 'error' | 'needs_resync', reason: string, remedy?: string) =>
    await setCaptureState(deps.messages, databaseNo, { state, reason, ...(remedy ? { remedy } : {}) }).catch(
      () => undefined,
    );
  if (code === '55006' || isFenced(error)) {
    await show('standby', 'another capture has this database: this one stands by');
    return STANDBY_MS;
  }
  if (error instanceof GapError) {
    deps.log.error({ database_no: databaseNo, remedy: error.remedy }, error.message);
    await show('needs_resync', error.message, error.remedy);
    return GAP_RECHECK_MS;
  }
  const remedy = error instanceof MillraceError ? error.remedy : undefined;
  deps.log.warn({ database_no: databaseNo, failures, wait_ms: wait, err: error }, 'capture interrupted');
  await show('error', messageOf(error), remedy);
  return wait;
}

async function captureOnce(deps: CaptureDeps, database: CapturedDatabase, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const options = await optionsOf(database, { max: 1, applicationName: `millrace capture ${database.settings.name}` });
  const source = openPool({ ...options, statementTimeoutMs: 15_000, onError: (error) => ended.abort(error) });
  try {
    const facts = await readSource(source);
    const position = await prepare(deps, database, { source, facts });
    await stream(deps, database, {
      source,
      options,
      facts,
      position,
      signal: AbortSignal.any([signal, ended.signal]),
    });
    if (ended.signal.aborted) throw ended.signal.reason;
  } finally {
    await source.close().catch(() => undefined);
  }
}

/** Slot, publication and position, each checked against what was recorded. */
async function prepare(
  deps: CaptureDeps,
  database: CapturedDatabase,
  at: { source: Database; facts: SourceFacts },
): Promise<SourceIdentity> {
  const { settings, no } = database;
  const stored = await readPosition(deps.messages, no);
  const publication = await ensurePublication(at.source, settings);
  const identity: SourceIdentity = {
    systemIdentifier: at.facts.systemIdentifier,
    timeline: at.facts.timeline,
    databaseOid: at.facts.databaseOid,
    slotName: settings.slot.name,
    publicationOid: publication.oid,
  };
  if (stored?.identity) {
    const slot = await readSlot(at.source, stored.identity.slotName);
    checkContinuity({ ...stored, identity: stored.identity }, { identity, slot });
  } else {
    const confirmedLsn = await ensureSlot(at.source, settings, at.facts.version);
    await beginPosition(deps.messages, no, { identity, confirmedLsn });
  }
  await noteUnpublished(deps.messages, database, publication);
  return identity;
}

interface StreamInput {
  source: Database;
  options: PoolOptions;
  facts: SourceFacts;
  position: SourceIdentity;
  signal: AbortSignal;
}

async function stream(deps: CaptureDeps, database: CapturedDatabase, input: StreamInput): Promise<void> {
  const { settings, no } = database;
  const early: { bytes: Buffer }[] = [];
  let session: CaptureSession | undefined;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const replication = openStream(
    {
      onMessage: (bytes) => (session ? session.onMessage(bytes) : early.push({ bytes: Buffer.from(bytes) })),
      onKeepAlive: (walEnd, reply) => session?.onKeepAlive(walEnd, reply),
    },
    { source: input.options, slot: settings.slot.name, publication: settings.publication.name },
  );
  const stop = () => void replication.close();
  input.signal.addEventListener('abort', stop, { once: true });
  if (input.signal.aborted) stop();
  let timers: NodeJS.Timeout[] = [];
  try {
    await replication.started;
    // The slot is ours: nobody else streams. Now fence whoever did before, and read what he persisted last.
    replication.pause();
    const generation = await takeOver(deps.messages, no);
    const position = await readPosition(deps.messages, no);
    if (!position) throw new Error('the position of this database is gone');
    session = openSession(deps, database, { ...input, generation, stored: position, fail });
    session.attach(replication);
    await setCaptureState(deps.messages, no, { state: 'streaming' });
    deps.log.info({ database: settings.name, generation }, 'streaming');
    for (const { bytes } of early.splice(0)) session.onMessage(bytes);
    if (!session.paused) replication.resume();
    timers = startTimers(deps, database, { ...input, session, replication, fail });
    await Promise.race([replication.ended, failed]);
  } finally {
    input.signal.removeEventListener('abort', stop);
    for (const timer of timers) clearInterval(timer);
    await replication.close();
    await session?.drain();
  }
}

function openSession(
  deps: CaptureDeps,
  database: CapturedDatabase,
  input: StreamInput & { generation: number; stored: StoredPosition; fail: (error: unknown) => void },
): CaptureSession {
  const relationDeps: RelationDeps = {
    source: input.source,
    messages: deps.messages,
    databaseNo: database.no,
    sinks: database.sinks,
    changeTables: database.changeTables,
  };
  return new CaptureSession(
    {
      source: input.source,
      messages: deps.messages,
      loadRelation: (message) => loadRelation(relationDeps, message),
      onTruncate: async (relation) => {
        const sinks = relation.routes.map((route) => route.sinkNo);
        await deps.messages.query(TRUNCATED, [sinks, `${relation.schema}.${relation.name}`]);
      },
      onPersisted: deps.onPersisted,
      onError: input.fail,
    },
    {
      writer: {
        databaseNo: database.no,
        generation: input.generation,
        catalogGeneration: database.catalogGeneration,
      },
      position: input.stored,
      maxRowBytes: database.settings.max_row_bytes,
    },
  );
}

/** Progress without messages, keep-alives of our own, the watchdog of a half-open connection, the regular checks. */
function startTimers(
  deps: CaptureDeps,
  database: CapturedDatabase,
  at: StreamInput & { session: CaptureSession; replication: ReplicationStream; fail: (error: unknown) => void },
): NodeJS.Timeout[] {
  const { session, facts } = at;
  const every = (ms: number, work: () => void | Promise<void>) =>
    setInterval(() => void Promise.resolve(work()).catch(at.fail), ms);
  const timers = [
    every(CHECKPOINT_MS, () => session.checkpoint()),
    every(CHECK_MS, async () => {
      await at.source.query(HEARTBEAT);
      const publication = await ensurePublication(at.source, database.settings);
      if (publication.oid !== at.position.publicationOid)
        throw new GapError(
          'the publication was dropped and created again: changes in between were not published',
          'select millrace.accept_gap(database_name), and bring the sinks up to date',
        );
      await noteUnpublished(deps.messages, database, publication);
      await setCaptureState(deps.messages, database.no, { state: 'streaming' });
    }),
  ];
  if (facts.walSenderTimeoutMs > 0) {
    session.lastReceived = performance.now();
    timers.push(
      every(facts.walSenderTimeoutMs / 2, () => {
        session.confirm();
        if (session.paused) session.lastReceived = performance.now();
        if (performance.now() - session.lastReceived > 2 * facts.walSenderTimeoutMs)
          throw new Error('the source has been silent for twice its wal_sender_timeout: the connection is dead');
      }),
    );
  }
  return timers;
}
