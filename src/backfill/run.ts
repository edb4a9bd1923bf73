/**
 * One backfill, page by page, until it ends, is paused or fails. While a page is on its way into the message table the next
 * one is read; its watermark is committed only when the one before is persisted, so that pages follow one another.
 *
 * Dies the process on any line: a page is persisted together with the place where the next one begins, or neither is. No
 * snapshot is held from page to page. When the sink has enough to do, nothing is read: a backfill never grows the message
 * table beyond a bound, and live changes wait behind a page at most.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PageResult, Window, Windows } from '../capture/windows.ts';
import type { Connection, Database } from '../db/pool.ts';
import { inSnapshot } from '../db/snapshot.ts';
import { MillraceError } from '../model/errors.ts';
import { quoteLiteral } from '../model/quote.ts';
import { isCancelled } from '../model/sqlstate.ts';
import { within } from '../runtime/concurrency/within.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { ReloadError } from '../source/hold-table.ts';
import { SNAPSHOT, type Snapshot, snapshotFrom } from '../source/visibility.ts';
import { Pace, WAITING_BOUND } from './pace.ts';
import type { PageSize } from './page-size.ts';
import type { Part, Reader } from './reader.ts';
import { type Backfill, explainWait, readBackfillState } from './store.ts';

export interface RunDeps {
  messages: Database;
  source: Database;
  windows: Windows;
  /** What commits a page's watermark. */
  watermarkSql(token: string): string;
  /** Does the catalog still make of the rows what the reader believes? */
  isCurrent(): boolean;
  /** Of a query to the source, milliseconds. */
  queryMs: number;
  size: Pick<PageSize, 'tookTooLong' | 'wasReadInTime'>;
  /** Hears what it waits for while it leaves the source alone: its sink, or that its last page is persisted; undefined: for nothing. */
  waits(what: 'sink' | 'last page' | undefined): void;
}

/** Long enough that it is not asked all the time, and no fast sink runs dry. */
const WAIT_MS = 100;
/** After so many of them it looks less often: nobody takes the sink's messages. */
const WAITS = 50;
const LONG_WAIT_MS = 2_000;
const AGAIN_MS = 50;
const AGAIN_MOST = 5;
const SYNC_WAIT_MS = 100;
/** That the table's lock is waited for. */
const LOCK_MS = 2_000;
/** Of a snapshot, for the page before to be persisted. */
const HOLD_MS = 2_000;

/** Resolves when it has ended, or is not wanted now. @throws ReloadError, and what the databases say. */
export async function runPages(
  deps: RunDeps,
  run: { backfill: Backfill; reader: Reader },
  signal: AbortSignal,
): Promise<void> {
  const { backfill } = run;
  let position = backfill.position;
  /** The page before, until it is persisted. */
  let before: Sent | undefined;
  const pace = new Pace(() => performance.now());
  /** Pages in a row that came to nothing. */
  let again = 0;
  try {
    while (!signal.aborted) {
      if (!deps.isCurrent()) throw new ReloadError();
      if (!(await mayGoOn(deps, { backfill, pace }, signal))) break;
      const at = before?.position ?? position;
      await run.reader.prepare?.(at, signal);
      // What changed before the page before had its place is older than what that page says of its row.
      const mustFollow = before !== undefined && before.oid === undefined && run.reader.oid !== undefined;
      const sent = mustFollow
        ? 'later'
        : await sendPage(deps, { ...run, position: at, before: before?.result, signal });
      if (sent === 'later' || sent === 'again') {
        const isPersisted = before !== undefined && (await before.result) === 'persisted';
        if (isPersisted) {
          position = at;
          again = 0;
        }
        before = undefined;
        if (sent === 'again' || !isPersisted) again = await afterUseless(again, signal);
        continue;
      }
      if (before) {
        position = before.position;
        again = 0;
      }
      before = sent;
      pace.sent(sent.rows);
      deps.size.wasReadInTime();
      if (sent.ended) {
        deps.waits('last page');
        if ((await sent.result) === 'persisted') return;
        deps.waits(undefined);
        before = undefined;
        again = await afterUseless(again, signal);
      }
    }
  } finally {
    // Whoever goes on begins where this one ended.
    await before?.result.catch(() => undefined);
  }
}

/** Pages in a row that came to nothing; what makes them useless may be what the reader believes of the table. @throws ReloadError */
async function afterUseless(again: number, signal: AbortSignal): Promise<number> {
  if (again + 1 >= AGAIN_MOST) throw new ReloadError();
  await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  return again + 1;
}

/** False when it is paused or gone; while the sink has enough to do it waits. */
async function mayGoOn(
  { messages, waits }: RunDeps,
  { backfill, pace }: { backfill: Backfill; pace: Pace },
  signal: AbortSignal,
): Promise<boolean> {
  for (let looks = 1; !signal.aborted; looks++) {
    if (backfill.kind === 'table' && pace.isKnown) return true;
    const now = await readBackfillState(messages, backfill, WAITING_BOUND);
    if (now?.state !== 'running') return false;
    const bound = pace.saw(now.waiting);
    if (now.waiting < bound) {
      if (now.explained) await explainWait(messages, backfill.no, null);
      waits(undefined);
      return true;
    }
    waits('sink');
    const reason = `${bound} messages or more wait for sink ${backfill.sink_name}: it continues once they are taken`;
    await explainWait(messages, backfill.no, { reason });
    await sleep(looks < WAITS ? WAIT_MS : LONG_WAIT_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

interface PageInput {
  backfill: Backfill;
  reader: Reader;
  position: unknown;
  before: Promise<PageResult> | undefined;
  signal: AbortSignal;
}

interface Sent {
  result: Promise<PageResult>;
  /** Of the table whose changes supersede it, as its reader has it. */
  oid: number | undefined;
  position: unknown;
  ended: boolean;
  rows: number;
}

async function sendPage(deps: RunDeps, input: PageInput): Promise<Sent | 'again'> {
  const { reader } = input;
  const window = deps.windows.open({ oid: reader.oid, actions: reader.actions, isCurrent: deps.isCurrent });
  try {
    const part = await deps.source.session(async (client) => {
      // It may have waited for the connection.
      input.signal.throwIfAborted();
      const limits = { statementMs: deps.queryMs, lockMs: LOCK_MS };
      const ending = (part: Part | 'again'): string | undefined =>
        part === 'again' ? undefined : deps.watermarkSql(window.token);
      return await inSnapshot(client, { ...limits, ending }, () => page(client, { ...input, window }));
    });
    if (part !== 'again') {
      const { position, ended, read: rows } = part;
      return { result: window.result, oid: reader.oid, position, ended, rows };
    }
  } catch (error) {
    window.close();
    if (!isCancelled(error) || !deps.size.tookTooLong()) throw error;
  }
  window.close();
  return 'again';
}

async function page(client: Connection, input: PageInput & { window: Window }): Promise<Part | 'again'> {
  const { backfill, reader, window } = input;
  const part = await reader.read(client, input.position);
  const snapshot = await snapshotOf(client);
  if (window.mayMiss(snapshot) && window.mayMiss(await withoutWriters(client, snapshot))) {
    throw new MillraceError(
      'unavailable',
      'transactions are open since before capture began, and may have been captured',
      {
        remedy:
          'It continues when they end. The server waits for a synchronous standby: select pid, xact_start, wait_event, query ' +
          'from pg_stat_activity where backend_xid is not null order by xact_start; select * from pg_prepared_xacts. ' +
          "Those that merely write are in nobody's way when the role of the source has pg_read_all_stats.",
      },
    );
  }
  if (window.misses(snapshot)) {
    // Committed, but for others not yet: it waits for its standby.
    await sleep(SYNC_WAIT_MS);
    return 'again';
  }
  // Nobody who alters the table waits for a message database that takes nothing.
  if (input.before && (await within(HOLD_MS, input.before)) !== 'persisted') return 'again';
  const progress = (sent: number): string =>
    `call millrace_private.move_backfill(${backfill.no}, ${quoteLiteral(JSON.stringify(part.position))}::jsonb, ${part.read}, ${part.uncounted ? 0 : sent}, ${part.ended})`;
  window.fill({ put: part.put, progress }, snapshot);
  failpoint('backfill/before-watermark');
  return part;
}

async function snapshotOf(client: Connection): Promise<Snapshot> {
  return snapshotFrom((await client.query<{ next: string; open: string[] }>(SNAPSHOT)).rows[0]!);
}

/** Without those that can be seen to do something else than to wait for a standby. What may not be seen has no state. */
async function withoutWriters(client: Connection, { next, open }: Snapshot): Promise<Snapshot> {
  const { rows } = await client.query<{ xid: string }>(
    `select a.backend_xid::text as xid from pg_stat_activity a
      where a.backend_xid is not null and a.state is not null and a.wait_event is distinct from 'SyncRep'`,
  );
  const writers = new Set(rows.map(({ xid }) => Number(xid)));
  return { next, open: new Set([...open].filter((xid) => !writers.has(xid))) };
}
