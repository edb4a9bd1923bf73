/**
 * One stream of a prepared source, from the moment that the slot is ours until something ends it: the fence is taken, the
 * session fed, and timers keep it alive and checked. Whatever ends it, nothing is confirmed that is not persisted.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { NOTED } from '../../checks/noted-continuity.ts';
import { type Transcode, transcoderOf } from '../../codec/encoding.ts';
import { JsonBytes } from '../../codec/json-bytes.ts';
import type { Database, PoolOptions } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { openPersist } from '../../messages/persist.ts';
import { idOfNow, readPosition, type StoredPosition, takeOver } from '../../messages/position.ts';
import type { QuotedTable } from '../../model/quote.ts';
import { staleCatalog } from '../../model/sqlstate.ts';
import { type MissedCode, noteMissed } from '../../notices/add.ts';
import { MOST_TAKEN } from '../../routing/passed-keys.ts';
import { loadRelations, type RelationDeps, renewTypes, routedAgain } from '../../routing/relation.ts';
import { SaidNotices } from '../../routing/said-notices.ts';
import { tellLate } from '../../runtime/concurrency/tell-late.ts';
import { openVisibility, type UntilSeen } from '../../source/visibility.ts';
import { openDamageNotes } from '../damage-notes.ts';
import type { CaptureDeps, CapturedDatabase, Streaming, Way } from '../method.ts';
import { noteOfTable } from '../note-of-table.ts';
import { openOldValueNotes } from '../old-value-notes.ts';
import { Windows } from '../windows.ts';
import type { SourceClock } from './behind.ts';
import { CatalogInUse } from './catalog-in-use.ts';
import type { Trouble } from './compute-part.ts';
import { openHearing } from './hearing.ts';
import { type LookedAfter, lookAfter, showStreaming } from './look-after.ts';
import { follow, type Prepared } from './prepare.ts';
import { CaptureSession } from './session.ts';
import { explained } from './unsendable.ts';
import { untilStarted } from './watchdog.ts';

const FIRST_XID = statement('capture/first-xid');
const TABLE_NAME = statement('capture/table-name');

/** For what is being persisted when it ends. */
const FAREWELL_MS = 500;
/** Longer than any statement of what runs beside it. */
const LATE_MS = 30_000;

export interface StreamInput {
  way: Way;
  source: Database;
  options: PoolOptions;
  prepared: Prepared;
  signal: AbortSignal;
  /** The source could not convert what it stores: it is taken as it is. */
  unconvertible: boolean;
  /** What ended it last will probably end it again: it streams once something was persisted, or a regular check has passed. */
  stuck: boolean;
  /** Hears the generation of this stream, and may ask how many milliseconds it is behind its source; null: not known yet. */
  onTaken(generation: number, behindMs: () => number | null): void;
  /** It has ended, and cannot let go of something: nothing is captured, and nothing else begins. */
  onLate(): void;
}

/** Streams until the signal (resolves) or until something ends it (rejects with the reason). */
export async function stream(deps: CaptureDeps, database: CapturedDatabase, input: StreamInput): Promise<void> {
  const { encoding } = input.prepared.facts;
  const isRaw = input.unconvertible || encoding === 'SQL_ASCII';
  // A stream that is closed before it connects would connect all the same.
  if (input.signal.aborted) return;
  const hearing = openHearing();
  let session: CaptureSession | undefined;
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const replication = input.way.open(
    {
      ...hearing.handlers,
      onMissed: (oid, code, tell) => noteMissedOf({ ...deps, source: input.source }, catalog, { oid, code, tell }),
    },
    isRaw,
  );
  const stop = async () => {
    // What is persisted need not be sent again, to us or to whoever comes after a gap.
    replication.pause();
    await Promise.race([session?.drain(), sleep(FAREWELL_MS)]);
    session?.confirm();
    await replication.close();
  };
  input.signal.addEventListener('abort', stop, { once: true });
  let looked: LookedAfter | undefined;
  const windows = new Windows();
  const over = new AbortController();
  let beside: Promise<void> | undefined;
  const catalog = new CatalogInUse(database, deps.current);
  const relations = relationDeps(deps, catalog, input.source);
  try {
    await untilStarted(replication, deps.startMs);
    // Told to stop meanwhile: whoever streams next is not fenced by one who does not.
    if (input.signal.aborted) return;
    // The slot is ours: nobody else streams. Now fence whoever did before, and read what he persisted last.
    replication.pause();
    const generation = await takeOver(deps.messages, database.no);
    input.onTaken(generation, () => session?.behind.ms ?? null);
    const position = await begun(deps.messages, database, input);
    const clock = await beginWindows(input, windows);
    const untilSeen = openVisibility(input.source, over.signal);
    const transcode = isRaw ? transcoderOf(encoding) : undefined;
    const onCatalog = (isMatched: boolean) => looked?.onCatalog(isMatched);
    const on = { windows, generation, stored: position, fail, untilSeen, wary: isRaw, transcode, onCatalog };
    const given = { ...on, catalog, way: input.way };
    const showing = openShowing(deps, database.no, { ...input, fail });
    session = openSession({ ...deps, onPersisted: showing.onPersisted }, relations, given);
    session.behind.looked(clock, null);
    session.attach(replication);
    if (!input.stuck) await showing.show();
    deps.log.info({ generation }, 'streaming');
    hearing.begin((await input.way.between?.(session, { generation, position })) ?? session, position);
    if (!session.paused) replication.resume();
    looked = lookAfter(deps, catalog, { ...input, session, hearing, relations, fail });
    beside = deps
      .beside?.(streamingOf(session, { catalog, windows, relations, way: input.way }), over.signal)
      .catch(fail);
    await Promise.race([explained(replication.ended, database.settings), failed]);
  } finally {
    input.signal.removeEventListener('abort', stop);
    looked?.stop();
    over.abort();
    await tellLate({ lateMs: deps.lateMs ?? LATE_MS, onLate: input.onLate }, async () => {
      // Whatever ended it, what is persisted need not be sent again.
      session?.confirm();
      await replication.close();
      await session?.drain();
      windows.end(undefined);
      await beside;
    });
  }
}

/** Says that it streams: when it is told to, or with the first messages that are persisted. */
function openShowing(
  deps: CaptureDeps,
  databaseNo: number,
  { prepared, fail }: Pick<StreamInput, 'prepared'> & { fail: (error: unknown) => void },
): { show(): Promise<void>; onPersisted: CaptureDeps['onPersisted'] } {
  let isShown = false;
  const show = async (): Promise<void> => {
    isShown = true;
    await showStreaming(deps, databaseNo, prepared.warnings);
  };
  return {
    show,
    onPersisted(sinks) {
      deps.onPersisted(sinks);
      if (!isShown) show().catch(fail);
    },
  };
}

/** Where it begins, when nobody else can move that any more. */
async function begun(
  messages: Database,
  database: CapturedDatabase,
  { way, prepared }: Pick<StreamInput, 'way' | 'prepared'>,
): Promise<StoredPosition> {
  const position = await readPosition(messages, database.no);
  if (!position) throw new Error('the position of this database is gone');
  // Another capture has gone over to another way meanwhile, or a gap was accepted.
  if (position.identity?.slotName !== way.slotName) throw staleCatalog();
  await follow(messages, database, { prepared, stored: position });
  // An index leaves out a message of a lower id than its document has: none may be given out again.
  return way.isRetold ? { ...position, nextId: Math.max(position.nextId, await idOfNow(messages)) } : position;
}

/** Where commits may be in the stream before others see them, windows know from which one on. What the source's clock says. */
async function beginWindows({ source, way }: StreamInput, windows: Windows): Promise<SourceClock> {
  const askedMs = Date.now();
  const { rows } = await source.query<{ xid: string | null; clock_ms: number }>(FIRST_XID);
  const { xid, clock_ms: sourceMs } = rows[0]!;
  if (way.isEarly && xid) windows.beginAt(Number(xid));
  return { sourceMs, askedMs, answeredMs: Date.now() };
}

const relationDeps = (deps: CaptureDeps, catalog: CatalogInUse, source: Database): RelationDeps => ({
  source,
  messages: deps.messages,
  databaseNo: catalog.database.no,
  publication: catalog.database.settings.publication.name,
  get sinks() {
    return catalog.database.sinks;
  },
  get changeTables() {
    return catalog.database.changeTables;
  },
  said: new SaidNotices(),
});

const streamingOf = (
  session: CaptureSession,
  { catalog, windows, relations, way }: { catalog: CatalogInUse; windows: Windows; relations: RelationDeps; way: Way },
): Streaming => ({
  get database() {
    return catalog.database;
  },
  matchingOf: (sinkNo) => catalog.matchingOf(sinkNo),
  renew: () => session.renew(),
  windows,
  relations,
  watermarkSql: (token) => way.watermarkSql(token),
  byTriggers: way.slotName === NOTED,
});

/** Tells the sinks of a table that something of it is missing. */
async function noteMissedOf(
  { messages, source }: { messages: Database; source: Database },
  { database }: CatalogInUse,
  { oid, code, tell }: { oid: number; code: MissedCode; tell: (table: QuotedTable) => string },
): Promise<void> {
  const table = (await source.query<QuotedTable>(TABLE_NAME, [oid])).rows[0];
  if (!table) return;
  await noteOfTable({ messages, source }, database, { table: { ...table, oid }, code, message: tell(table) });
}

/** What its messages lack, and why. */
function lacking({ isSilent, unreadable, code }: Trouble): string {
  if (unreadable)
    return `: large values of some rows, which updates had left unchanged, could not be read again (${unreadable})`;
  if (isSilent)
    return ' was locked, or took too long to search: values that its changes do not carry could not be found';
  return `: generated columns of some rows could not be computed (${code})`;
}

function openSession(
  deps: CaptureDeps,
  relations: RelationDeps,
  given: {
    catalog: CatalogInUse;
    way: Way;
    onCatalog: (isMatched: boolean) => void;
    windows: Windows;
    generation: number;
    stored: StoredPosition;
    fail: (error: unknown) => void;
    untilSeen: UntilSeen;
    /** The source does not promise UTF-8. */
    wary: boolean;
    transcode: Transcode | undefined;
  },
): CaptureSession {
  const { catalog, onCatalog, generation, windows, untilSeen, way } = given;
  const { no, settings } = catalog.database;
  const { source } = relations;
  return new CaptureSession(
    {
      source,
      persist: openPersist(
        { messages: deps.messages, invalidUtf8: settings.invalid_utf8, makeOut: () => new JsonBytes() },
        given.wary,
      ),
      onDamaged: openDamageNotes(deps.messages),
      onWithoutOld: openOldValueNotes(deps.messages),
      unread: new Set(),
      onUnread: async ({ schema, name, routes }, trouble) => {
        const table = `${schema}.${name}`;
        const message = `${table}${lacking(trouble)}, and their messages lack them`;
        const sinks = routes.map((route) => route.sinkNo);
        await noteMissed(deps.messages, sinks, { code: 'values_left_out', table, message });
      },
      catalog,
      onCatalog,
      windows,
      untilSeen,
      loadRelations: (messages) => loadRelations(relations, messages),
      routedAgain: (relation) => routedAgain(relations, relation),
      renewTypes: (relation) => renewTypes(source, relation),
      onTruncate: async (relation) => {
        const sinks = relation.routes.map((route) => route.sinkNo);
        const table = `${relation.schema}.${relation.name}`;
        const message = `${table} was truncated: its rows are gone from the table, but no message tells so`;
        await noteMissed(deps.messages, sinks, { code: 'truncated', table, message });
      },
      onPassedOn: async ({ schema, name, routes }) => {
        const sinks = routes.filter(({ traits }) => traits.order === 'key').map(({ sinkNo }) => sinkNo);
        const table = `${schema}.${name}`;
        const message = `${table}: a transaction of more than ${MOST_TAKEN} changes passed on keys from row to row, as its deferrable primary key allows: documents of such rows may be missing`;
        await noteMissed(deps.messages, sinks, { code: 'changes_left_out', table, message });
      },
      onPersisted: deps.onPersisted,
      onUntold: (error) => deps.log.warn({ err: error }, 'notification failed'),
      onError: given.fail,
      ...(way.progress && { progress: way.progress }),
      ...(deps.stages && { stages: deps.stages }),
    },
    {
      fence: { databaseNo: no, generation },
      position: given.stored,
      maxRowBytes: settings.max_row_bytes,
      transcode: given.transcode,
    },
  );
}
