/**
 * Makes a second sink beside a search sink, watches its backfill, then what is still to be delivered. Caught up means:
 * everything that was captured before the backfill ended is in the new index, or parked. Called again, it goes on watching.
 */
import { applyConfig } from '../catalog/apply/apply.ts';
import { openSink } from '../catalog/open-sink.ts';
import { type Catalog, loadCatalog } from '../catalog/store.ts';
import type { Database, Queryable, Transacting, Transaction } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { Circuit } from '../model/sink.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { createLog } from '../runtime/log.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { OutsideDeps } from './outside.ts';
import { planRebuild, type RebuildPlan, type RebuildRequest } from './plan-rebuild.ts';
import { type SwitchOver, switchOver } from './switch-over.ts';
import { type Look, readWatched, type WatchDeps, type Watched, watchBackfills } from './watched.ts';

const BACKFILLS = statement('admin/rebuild-backfills');
const START_BACKFILL = statement('admin/start-backfill');
const NEXT_ID = statement('admin/next-id');
const PENDING = statement('admin/pending-before');

const LOOK_MS = 500;
/** More than these are not counted. */
const COUNTED = 100_000;

export interface RebuildDeps extends WatchDeps {
  keys: KeyRing;
  privateAllowed: PrivateAllowed;
  /** Where the new sink is made; `db` if absent. */
  making?: Pick<Database, 'transaction'>;
  onStep(step: RebuildStep): void;
  /** Hears of its backfill in the transaction that asks for it; without one of a backfill that was there. */
  onBegun(backfill: string, tx?: Transaction): Promise<void>;
}

export interface RebuildOptions extends RebuildRequest {
  /** By which readers know the index. */
  alias?: string | undefined;
}

/** What is under way in sink `sink`, the new one. */
export type RebuildStep = { sink: string } & (
  | { step: 'made'; index: string; beside: string }
  /** By an earlier call. */
  | { step: 'found' }
  | { step: 'filling'; look: Look }
  | { step: 'filled'; watched: Watched }
  | { step: 'delivering'; pending: Pending }
);

/** Messages from before the backfill ended that are not delivered. */
export interface Pending {
  /** Of the sink. */
  status: string;
  /** Parked ones among them are not waited for. */
  left: number;
  /** There are more than were counted. */
  isMore: boolean;
  parked: number;
  /** Of the sink's circuit. */
  reason: string | null;
  error: string | null;
  /** For how long it has not become less. */
  stillMs: number;
}

export interface Rebuilt {
  ended: Watched['ended'];
  /** The new one. */
  sink: string;
  index: string;
  /** The old index. */
  before: string;
  /** The last look at what was to be delivered, once all is in the index or parked. */
  parked: number;
  /** How to switch over, for a person; null until it has caught up. */
  switchOver: SwitchOver | null;
}

/** @throws MillraceError when the new index is not ready, or the request makes no sense. */
export async function rebuild(deps: RebuildDeps, options: RebuildOptions, signal: AbortSignal): Promise<Rebuilt> {
  const catalog = await loadCatalog(deps.db, deps.keys, deps.privateAllowed);
  const plan = planRebuild(catalog, options);
  const sink = plan.settings.name;
  const of = { sink, index: plan.after, before: plan.before, parked: 0, switchOver: null };
  await make(deps, { plan, catalog }, signal);
  const ids = [plan.exists ? await takeUp(deps, sink) : await backfillOf(deps.db, sink)];
  const onLook = (look: Look): void => deps.onStep({ step: 'filling', sink, look });
  const watched = await watchBackfills(deps, { ids, onLook }, signal);
  deps.onStep({ step: 'filled', sink, watched });
  if (watched.ended !== 'done') return { ...of, ended: watched.ended };
  const parked = await watchDelivery(deps, sink, signal);
  if (parked === undefined) return { ...of, ended: 'left' };
  const hasSecret = plan.old.secret() !== null;
  return { ...of, ended: 'done', parked, switchOver: switchOver({ plan, alias: options.alias, hasSecret }) };
}

/** What would be wrong with it, its new index included. @throws MillraceError as `rebuild` does. */
export async function checkRebuild(
  { db, messages, keys, privateAllowed }: OutsideDeps,
  request: RebuildRequest,
  signal: AbortSignal,
): Promise<void> {
  const catalog = await loadCatalog(db, keys, privateAllowed);
  const plan = planRebuild(catalog, request);
  if (!plan.exists) await checkIndex(messages, { plan, catalog }, signal);
}

interface Making {
  plan: RebuildPlan;
  catalog: Catalog;
}

async function make(deps: RebuildDeps, making: Making, signal: AbortSignal): Promise<void> {
  const { old, settings, exists, after } = making.plan;
  const sink = settings.name;
  if (exists) return deps.onStep({ step: 'found', sink });
  await checkIndex(deps.db, making, signal);
  const sinks = [{ settings, secret: old.secret() }];
  const db: Transacting = {
    query: (what, values) => deps.db.query(what, values),
    transaction: (work) =>
      (deps.making ?? deps.db).transaction(async (tx) => {
        const result = await work(tx);
        await deps.onBegun(await backfillOf(tx, sink), tx);
        return result;
      }),
  };
  // It may connect to where the old one may.
  const privateOk = old.reach?.allowed !== false;
  await applyConfig({ db, keys: deps.keys }, { databases: [], functions: [], tokens: [], sinks }, { privateOk });
  failpoint('rebuild/after-make');
  deps.onStep({ step: 'made', sink, index: after, beside: old.name });
}

/** The backfill of a sink that is there; where somebody cancelled that one, another one. */
async function takeUp(deps: RebuildDeps, sink: string): Promise<string> {
  const id = await backfillOf(deps.db, sink);
  const watched = await readWatched(deps.db, [id]);
  if (watched.every(({ state }) => state !== 'cancelled')) {
    await deps.onBegun(id);
    return id;
  }
  return await (deps.making ?? deps.db).transaction(async (tx) => {
    const begun = (await tx.query<{ id: string }>(START_BACKFILL, [sink, null, null, null])).rows[0]!.id;
    await deps.onBegun(begun, tx);
    return begun;
  });
}

/** The last backfill of all its tables. */
async function backfillOf(db: Queryable, sink: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>(BACKFILLS, [sink]);
  if (rows[0]) return rows[0].id;
  const remedy = `bin/millrace backfill ${sink}, then call this again.`;
  throw new MillraceError('bad_request', `sink ${sink} never had a backfill of all its tables`, { remedy });
}

const REMEDIES: Record<Circuit['reason'], string> = {
  index_missing: 'Create it first, with its mapping: Millrace creates no index.',
  auth_failed: 'The credential of the old sink must have the rights for the new index too.',
  unreachable: 'Then call this again.',
  overloaded: 'Try again in a moment.',
  bad_destination: 'Compare endpoint and index with the search engine.',
};

/** The sink's own test, before anything is made. */
async function checkIndex(
  messages: Database,
  { plan: { old, settings, after }, catalog }: Making,
  signal: AbortSignal,
): Promise<void> {
  const log = createLog({ level: 'silent', role: 'rebuild' });
  const sink = await openSink({ messages, log }, { ...old, settings }, catalog);
  try {
    const circuit = await sink.test(signal);
    if (!circuit) return;
    throw new MillraceError('bad_destination', `index ${after} is not ready: ${circuit.error}`, {
      remedy: REMEDIES[circuit.reason],
    });
  } finally {
    await sink.close();
  }
}

/** How many are parked, once nothing else is left; undefined when whoever watched has gone. */
async function watchDelivery(deps: RebuildDeps, sink: string, signal: AbortSignal): Promise<number | undefined> {
  const mark = (await deps.db.query<Mark>(NEXT_ID, [sink])).rows[0];
  let least = Number.POSITIVE_INFINITY;
  let since = deps.now();
  while (mark && !signal.aborted) {
    const { rows } = await deps.db.query<PendingRow>(PENDING, [mark.sink_no, mark.next_id, COUNTED]);
    if (!rows[0]) break;
    const { messages, ...row } = rows[0];
    const left = messages - row.parked;
    if (left <= 0) return row.parked;
    if (left < least) since = deps.now();
    least = Math.min(least, left);
    const pending = { ...row, left, isMore: left >= COUNTED, stillMs: deps.now() - since };
    deps.onStep({ step: 'delivering', sink, pending });
    await deps.sleep(LOOK_MS, signal);
  }
  if (signal.aborted) return undefined;
  throw new MillraceError('not_found', `sink ${sink} is gone`, { remedy: 'Somebody removed it meanwhile.' });
}

interface Mark {
  sink_no: number;
  next_id: number;
}

interface PendingRow extends Pick<Pending, 'status' | 'parked' | 'reason' | 'error'> {
  /** The parked ones too. */
  messages: number;
}
