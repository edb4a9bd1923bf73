/**
 * What keeps a stream well while it runs: progress without messages, keep-alives of our own, the watchdog of a half-open
 * connection, the regular checks, and what the sinks are told after the catalog has changed.
 */
import { type Finding, repairsText } from '../../checks/finding.ts';
import { NOTED } from '../../checks/noted-continuity.ts';
import { unanswered } from '../../checks/unanswered.ts';
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { setCaptureState } from '../../messages/position.ts';
import { isFull, isUnanswered, staleCatalog } from '../../model/sqlstate.ts';
import { noteAgain, type RelationDeps } from '../../routing/relation.ts';
import { isOvertaken } from '../../routing/said-notices.ts';
import { createThrottle } from '../../runtime/concurrency/throttle.ts';
import type { CaptureDeps, Way } from '../method.ts';
import { notePartitions } from '../partition-notices.ts';
import { noteAdded, noteTables } from '../table-notices.ts';
import type { CatalogInUse } from './catalog-in-use.ts';
import type { Hearing } from './hearing.ts';
import type { Prepared, WalFacts } from './prepare.ts';
import { RenamedRoots } from './renamed-roots.ts';
import type { CaptureSession } from './session.ts';
import { openWatchdog } from './watchdog.ts';

const HEARTBEAT = statement('capture/heartbeat');
const NOTE_WAL = statement('capture/note-wal');

const CHECKPOINT_MS = 1_000;
const CHECK_MS = 30_000;
/** For a server without wal_sender_timeout, or with a longer one: it is asked for a sign of life, and what it is doing. */
const SILENT_MS = 60_000;
/** Between two looks at the sinks of a catalog that changes all the time. */
const NOTE_MS = 1_000;

/** Streaming, and what a person should know meanwhile. */
export async function showStreaming(
  deps: CaptureDeps,
  databaseNo: number,
  warnings: readonly Finding[],
): Promise<void> {
  await setCaptureState(deps.messages, databaseNo, {
    state: 'streaming',
    ...(warnings.length > 0
      ? { reason: warnings.map(({ summary }) => summary).join('; '), remedy: repairsText(warnings) }
      : {}),
    warnings: [...new Set(warnings.map(({ id }) => id))].toSorted(),
  });
}

/** For whoever wants to know when there will be too much of it. */
async function noteWal(
  messages: Database,
  databaseNo: number,
  { lag, kept, limit, commits }: WalFacts & { commits: number },
): Promise<void> {
  await messages.query(NOTE_WAL, [databaseNo, lag, kept === null ? null : Math.round(kept), limit, commits]);
}

interface Looked {
  way: Way;
  source: Database;
  prepared: Prepared;
  signal: AbortSignal;
  session: CaptureSession;
  hearing: Pick<Hearing, 'lastHeard'>;
  relations: RelationDeps;
  fail: (error: unknown) => void;
}

/** A stream that is further behind may not have come to a rename yet. */
const NEAR_MS = 10_000;

/** What the sinks are told of their tables, whether the source is as it was, and that it is heard. */
async function check(
  deps: CaptureDeps,
  catalog: CatalogInUse,
  at: Looked & { roots: RenamedRoots | undefined },
): Promise<void> {
  const { source, session } = at;
  const both = { source, messages: deps.messages };
  try {
    const askedMs = Date.now();
    const { rows } = await source.query<{ clock_ms: number }>(HEARTBEAT);
    const clock = { sourceMs: rows[0]!.clock_ms, askedMs, answeredMs: Date.now() };
    const running = await at.way.check(catalog.database);
    await noteAdded(both, catalog.database, running);
    await noteTables(both, catalog.database, running.publication);
    await notePartitions(both, catalog.database, running.publication);
    await showStreaming(deps, catalog.database.no, running.warnings);
    const { wal } = running;
    session.behind.looked(clock, wal?.end ?? null);
    if (wal) await session.commits.note((commits) => noteWal(deps.messages, catalog.database.no, { ...wal, commits }));
    const isNear = session.behind.ms < NEAR_MS;
    if (at.roots?.areToldAsBefore(running.publication.tables, session.relations) && isNear) throw staleCatalog();
  } catch (error) {
    // A sink was removed meanwhile: the next check knows.
    if (isOvertaken(error)) return;
    if (!isUnanswered(error) && !isFull(error)) throw error;
    await showStreaming(deps, catalog.database.no, [unanswered(error)]);
  }
}

export interface LookedAfter {
  /** The catalog has changed; `isMatched`: it makes the same messages of the same changes. */
  onCatalog(isMatched: boolean): void;
  stop(): void;
}

/** Until it is stopped. What goes wrong ends the stream. */
export function lookAfter(deps: CaptureDeps, catalog: CatalogInUse, at: Looked): LookedAfter {
  const { session, relations } = at;
  const timers: NodeJS.Timeout[] = [];
  let stopped = false;
  /** One at a time; asked for meanwhile it is left out, or with `isOwed` done once more. */
  const alone = (work: () => void | Promise<void>, isOwed = false) => {
    let busy = false;
    let again = false;
    const run = async (): Promise<void> => {
      again = busy && isOwed;
      if (busy || stopped) return;
      busy = true;
      try {
        await work();
      } catch (error) {
        at.fail(error);
      }
      busy = false;
      if (again) await run();
    };
    return run;
  };
  const every = (ms: number, run: () => Promise<void>) => timers.push(setInterval(() => void run(), ms));
  const mostMs = deps.silentMs ?? SILENT_MS;
  const isNoted = at.way.slotName === NOTED;
  const timeoutMs = (isNoted ? 0 : at.prepared.facts.walSenderTimeoutMs) || mostMs;
  const silentMs = Math.min(timeoutMs, mostMs);
  at.hearing.lastHeard = performance.now();
  const roots = isNoted ? undefined : new RenamedRoots(at.prepared.publication.tables);
  const checked = alone(() => check(deps, catalog, { ...at, roots }));
  let isMatched = true;
  const noted = alone(async () => {
    const isOther = !isMatched;
    isMatched = true;
    await noteAgain(relations, session.relations);
    if (isOther) await checked();
  }, true);
  const noting = createThrottle(() => void noted(), NOTE_MS);
  every(
    CHECKPOINT_MS,
    alone(() => session.checkpoint()),
  );
  every(deps.checkMs ?? CHECK_MS, checked);
  const watch = openWatchdog({ ...at, timeoutMs, silentMs });
  every(silentMs / 4, async () => await watch().catch((error: unknown) => void (stopped || at.fail(error))));
  return {
    onCatalog(same) {
      isMatched &&= same;
      noting.soon();
    },
    stop() {
      stopped = true;
      noting.stop();
      for (const timer of timers) clearInterval(timer);
    },
  };
}
