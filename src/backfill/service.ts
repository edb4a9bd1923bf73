/**
 * The backfills of a database, beside its stream: looks four times a second what was asked for, runs two at a time, says why one
 * waits or failed. A failure that may pass is tried again; one that a person must fix ends it, with the remedy. Ends
 * with the stream; the next one goes on where this one was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Streaming } from '../capture/method.ts';
import { StreamEndedError } from '../capture/windows.ts';
import type { Catalog } from '../catalog/store.ts';
import { type Database, isSaidBy, openPool } from '../db/pool.ts';
import { optionsOf } from '../db/tls.ts';
import { MillraceError } from '../model/errors.ts';
import type { QuotedTable } from '../model/quote.ts';
import { nameNow } from '../routing/earlier-names.ts';
import { type LoadedRelation, loadRelation } from '../routing/relation.ts';
import type { Log } from '../runtime/log.ts';
import { describeTable, sortColumnOf, type TableDescription } from '../source/describe-table.ts';
import { ReloadError } from '../source/hold-table.ts';
import type { PageBudget } from '../source/read-page.ts';
import { tablesFor } from './all-tables.ts';
import { remedyOf } from './explain.ts';
import { PageSize } from './page-size.ts';
import { openKeyReader } from './read-keys.ts';
import { openTableReader } from './read-table.ts';
import type { Reader } from './reader.ts';
import { openReplayed, type ReplayRequest } from './replay/change-table.ts';
import { openReplayReader } from './replay/read.ts';
import { type RunDeps, runPages } from './run.ts';
import {
  type Backfill,
  beginBackfill,
  dueBackfills,
  expandBackfill,
  explainWait,
  failBackfill,
  keysOf,
} from './store.ts';

export interface BackfillsDeps {
  messages: Database;
  log: Log;
  /** How often it is looked for new ones; 250 if absent. */
  lookMs?: number;
  /** How large a page may be, where it is not as usual. */
  page?: Partial<PageBudget>;
  /** Of a query to the source; 5,000 if absent. */
  queryMs?: number;
  /** Where change tables are, for replays; there are none without it. */
  load?(): Promise<Catalog>;
}

const AT_ONCE = 2;
/** Together with those that wait. */
const AT_MOST = 32;
const LOOK_MS = 250;
/** After what may pass. */
const RETRY_MS = 2_000;
const QUERY_MS = 5_000;
const PAGE: PageBudget = { rows: 2_000, bytes: 2 * 1024 * 1024, ms: 1_000, step: 2_000, maxRowBytes: 0 };
const QUERY_TIMEOUT_MS = 20_000;
/** For a connection: those that had to wait may all go on at the same time. */
const PATIENCE_MS = 120_000;

/** For `CaptureDeps.beside`. */
export function openBackfills(deps: BackfillsDeps): (streaming: Streaming, signal: AbortSignal) => Promise<void> {
  return async (streaming, streamSignal) => {
    const leaving = new AbortController();
    const signal = AbortSignal.any([streamSignal, leaving.signal]);
    const running = new Map<number, { task: Task; over: Promise<void> }>();
    let source: Promise<Database> | undefined;
    /** Of all that run. One that cannot be had is the matter of those who want it. */
    const opened = (): Promise<Database> => {
      source ??= openSource(streaming).catch((error: unknown) => {
        source = undefined;
        throw error;
      });
      return source;
    };
    let wake: () => void = () => undefined;
    try {
      while (!signal.aborted) {
        // One that has ended makes room for the next.
        const rest = new AbortController();
        wake = () => rest.abort();
        const full = [...running.values()].filter(({ task }) => task.waitsFor === 'sink');
        const due = await dueBackfills(deps.messages, streaming.database.no, {
          running: [...running.keys()],
          full: full.map(({ task }) => task.sinkNo),
        }).catch((error: unknown) => {
          deps.log.debug({ err: error }, 'backfills could not be looked for');
          return [];
        });
        const isNew = (one: Backfill): boolean => one.catalog_generation > streaming.database.catalogGeneration;
        if (due.some(isNew)) await streaming.renew();
        for (const backfill of due) {
          // A stream that knows an older catalog would find no tables for a new sink.
          if (signal.aborted || isNew(backfill)) break;
          const tasks = [...running.values()].map(({ task }) => task);
          if (!mayStart(backfill, tasks)) continue;
          const task = new Task({ ...deps, streaming, source: opened, madeRoom: () => wake() }, backfill);
          const over = task.run(signal).then((ended) => {
            running.delete(backfill.no);
            if (ended) wake();
          });
          running.set(backfill.no, { task, over });
        }
        if (running.size === 0 && source) {
          await (await source).close();
          source = undefined;
        }
        const untilThen = AbortSignal.any([signal, rest.signal]);
        await sleep(deps.lookMs ?? LOOK_MS, undefined, { signal: untilThen }).catch(() => undefined);
      }
    } finally {
      leaving.abort();
      await Promise.all([...running.values()].map(({ over }) => over));
      await (await source)?.close();
    }
  };
}

/** Two at a time; those that wait, for their sink or for another try, are in nobody's way, nor is a last page or two. One of a sink waits for it. */
function mayStart(backfill: Backfill, tasks: readonly Task[]): boolean {
  const readers = tasks.filter(({ waitsFor }) => waitsFor === undefined).length;
  const enders = tasks.filter(({ waitsFor }) => waitsFor === 'last page').length;
  if (tasks.length >= AT_MOST || readers >= AT_ONCE || enders >= AT_ONCE) return false;
  return !tasks.some(
    ({ no, sinkNo, waitsFor }) =>
      no === backfill.no ||
      // What a cancelled replay still sends would come behind the rows that put it right.
      no === backfill.follows ||
      (sinkNo === backfill.sink_no && waitsFor === 'sink'),
  );
}

async function openSource({ database }: Streaming): Promise<Database> {
  const applicationName = `millrace backfill ${database.settings.name}`;
  return openPool({
    ...(await optionsOf(database, { max: Math.min(AT_ONCE, database.settings.pool_size), applicationName })),
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
  });
}

interface TaskDeps extends BackfillsDeps {
  streaming: Streaming;
  source(): Promise<Database>;
  /** Another one may read now. */
  madeRoom(): void;
}

/** One backfill, until it ends or its stream does. */
class Task {
  readonly #deps: TaskDeps;
  readonly #backfill: Backfill;
  readonly #size: PageSize;
  /** Why it does nothing now. */
  waitsFor: 'sink' | 'retry' | 'last page' | undefined;

  constructor(deps: TaskDeps, backfill: Backfill) {
    this.#deps = deps;
    this.#backfill = backfill;
    const { max_row_bytes: maxRowBytes } = deps.streaming.database.settings;
    this.#size = new PageSize({ ...PAGE, maxRowBytes, ...deps.page });
  }

  get no(): number {
    return this.#backfill.no;
  }

  get sinkNo(): number {
    return this.#backfill.sink_no;
  }

  /** False when it was interrupted, and is to be tried again in a while. Never rejects. */
  async run(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#pages(signal);
    } catch (error) {
      if (signal.aborted || error instanceof ReloadError || error instanceof StreamEndedError) return false;
      await this.#explain(error).catch(() => undefined);
      this.waitsFor = 'retry';
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      return false;
    }
  }

  async #pages(signal: AbortSignal): Promise<boolean> {
    const { messages, streaming, queryMs = QUERY_MS } = this.#deps;
    const backfill = this.#backfill;
    const source = await this.#deps.source();
    if (backfill.kind === 'all') {
      await expandBackfill(messages, backfill.no, await tablesFor(streaming, source, backfill.sink_no));
      return true;
    }
    const matching = streaming.matchingOf(backfill.sink_no);
    const isCurrent = (): boolean => streaming.matchingOf(backfill.sink_no) === matching;
    const reader = await this.#reader(source, signal);
    try {
      const total = await source.session((client) => reader.total(client));
      const begun = await beginBackfill(messages, backfill.no, total);
      if (!begun) return false;
      const waits: RunDeps['waits'] = (what) => {
        this.waitsFor = what;
        if (what === 'last page') this.#deps.madeRoom();
      };
      const deps = {
        messages,
        source,
        windows: streaming.windows,
        watermarkSql: (token: string) => streaming.watermarkSql(token),
        queryMs,
        size: this.#size,
        waits,
        isCurrent,
      };
      await runPages(deps, { backfill: { ...backfill, ...begun }, reader }, signal);
      return true;
    } finally {
      await reader.close?.();
    }
  }

  async #reader(source: Database, signal: AbortSignal): Promise<Reader> {
    const { messages, streaming } = this.#deps;
    const { kind, no, table_schema, table_name, sort_column, start_position } = this.#backfill;
    const table = await described(streaming, source, { schema: table_schema ?? '', name: table_name ?? '' });
    const relation = await relationFor(streaming, this.#backfill, table);
    if (kind === 'keys')
      return openKeyReader({ table, relation, keys: await keysOf(messages, no), budget: this.#size.budget });
    if (kind === 'replay') return await this.#replay({ table, relation }, signal);
    const sort = sort_column === null ? undefined : sortColumnOf(table, sort_column);
    const from = start_position ?? undefined;
    return openTableReader({ table, relation, sort, from, budget: this.#size.budget }, () => performance.now());
  }

  async #replay(source: { table: TableDescription; relation: LoadedRelation }, signal: AbortSignal): Promise<Reader> {
    const { messages, load } = this.#deps;
    if (!load) throw new MillraceError('internal', 'no change table can be found here');
    const request = this.#backfill.replay as ReplayRequest;
    const changeTable = openReplayed(await load(), request);
    const { no } = this.#backfill;
    return await openReplayReader(messages, { no, request, changeTable, ...source, budget: this.#size.budget }, signal);
  }

  async #explain(error: unknown): Promise<void> {
    const { messages, log } = this.#deps;
    const { no, sink_name, table_name } = this.#backfill;
    const role = this.#deps.streaming.database.address.user;
    const at = { role, seconds: QUERY_MS / 1_000, isHere: isSaidBy(messages, error) };
    const { message: reason, isFinal, ...remedy } = remedyOf(error, this.#backfill, at);
    log.warn({ reason, sink: sink_name, table: table_name }, isFinal ? 'backfill failed' : 'backfill interrupted');
    if (isFinal) await failBackfill(messages, no, { reason, ...remedy });
    else await explainWait(messages, no, { reason, ...remedy });
  }
}

/** The table of this name, or that had it when no other one has. @throws MillraceError, as `describeTable`. */
async function described(streaming: Streaming, source: Database, named: QuotedTable): Promise<TableDescription> {
  const publication = streaming.database.settings.publication.name;
  const describe = (table: QuotedTable): Promise<TableDescription> =>
    describeTable(source, { ...table, publication, byTriggers: streaming.byTriggers });
  try {
    return await describe(named);
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'not_found') throw error;
    const now = await nameNow({ ...streaming.relations, source }, named);
    if (now === undefined) throw error;
    return await describe(now);
  }
}

/** The table as the stream would load it, with the route of this sink alone. @throws MillraceError bad_request. */
async function relationFor(streaming: Streaming, backfill: Backfill, table: TableDescription): Promise<LoadedRelation> {
  const relation = await loadRelation(streaming.relations, table.message);
  const routes = relation.routes.filter((route) => route.sinkNo === backfill.sink_no);
  if (routes.length > 0) return { ...relation, routes };
  const sink = streaming.database.sinks.find(({ no }) => no === backfill.sink_no);
  if (sink?.settings.status === 'disabled') {
    throw new MillraceError('bad_request', `sink ${backfill.sink_name} is disabled: it keeps no messages`, {
      remedy: 'Set its status to active or paused, then resume the backfill.',
    });
  }
  const message = `sink ${backfill.sink_name} does not take in ${table.schema}.${table.name}`;
  throw new MillraceError('bad_request', message, { remedy: 'Name a table of its source, or add it there.' });
}
