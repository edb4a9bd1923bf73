/**
 * `millrace rebuild`: makes the second sink, watches its backfill, then what is still to be delivered. Caught up means:
 * everything that was captured before the backfill ended is in the new index, or parked. Called again, it goes on watching.
 */
import { applyConfig } from '../catalog/apply/apply.ts';
import { loadCatalog } from '../catalog/store.ts';
import { count } from '../cli/screen.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { Circuit } from '../model/sink.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import { openSearchSink } from '../sinks/search-index/sink.ts';
import { planRebuild, type RebuildPlan, type RebuildRequest } from './plan-rebuild.ts';
import { switchText } from './switch-over.ts';
import { type WatchDeps, type Watched, watchBackfills } from './watched.ts';

const BACKFILLS = statement('admin/rebuild-backfills');
const NEXT_ID = statement('admin/next-id');
const PENDING = statement('admin/pending-before');

const LOOK_MS = 500;
const STILL_MS = 15_000;
/** More than these are not counted. */
const COUNTED = 100_000;

export interface RebuildDeps extends WatchDeps {
  keys: KeyRing;
  privateAllowed: PrivateAllowed;
}

export interface RebuildOptions extends RebuildRequest {
  alias?: string | undefined;
}

/** @throws MillraceError when the new index is not ready, or the request makes no sense. */
export async function runRebuild(deps: RebuildDeps, options: RebuildOptions, signal: AbortSignal): Promise<Watched> {
  const { db, screen, keys } = deps;
  const plan = planRebuild(await loadCatalog(db, keys, deps.privateAllowed), options);
  const { old, settings, exists } = plan;
  if (exists) screen.say(`sink ${settings.name} is there already: watching it`);
  else {
    await checkIndex(plan, signal);
    const sinks = [{ settings, secret: old.secret() }];
    await applyConfig({ db, keys }, { databases: [], functions: [], tokens: [], sinks });
    screen.say(`sink ${settings.name} is made: it fills ${settings.destination.index_name} beside ${old.name}`);
  }
  const { rows } = await db.query<{ id: string }>(BACKFILLS, [settings.name]);
  if (!rows[0]) {
    const remedy = `bin/millrace backfill ${settings.name}, then call this again.`;
    throw new MillraceError('bad_request', `sink ${settings.name} never had a backfill of all its tables`, { remedy });
  }
  const filled = await watchBackfills(deps, [rows[0].id], signal);
  if (filled === 'failed') screen.say(`Then run this again: it continues to watch ${settings.name}.`);
  const ended = filled === 'done' ? await watchDelivery(deps, settings.name, signal) : filled;
  if (ended === 'done') screen.say(switchText({ plan, alias: options.alias, hasSecret: old.secret() !== null }));
  return ended;
}

const REMEDIES: Record<Circuit['reason'], string> = {
  index_missing: 'Create it first, with its mapping: Millrace creates no index.',
  auth_failed: 'The credential of the old sink must have the rights for the new index too.',
  unreachable: 'Then call this again.',
  overloaded: 'Try again in a moment.',
  bad_destination: 'Compare endpoint and index with the search engine.',
};

/** The sink's own test, before anything is made. */
async function checkIndex({ old, settings: { destination } }: RebuildPlan, signal: AbortSignal): Promise<void> {
  const sink = openSearchSink(
    { log: { info: () => undefined } },
    { destination, authValue: old.secret(), reach: old.reach },
  );
  try {
    const circuit = await sink.test(signal);
    if (!circuit) return;
    throw new MillraceError('bad_destination', `index ${destination.index_name} is not ready: ${circuit.error}`, {
      remedy: REMEDIES[circuit.reason],
    });
  } finally {
    await sink.close();
  }
}

interface Pending {
  status: string;
  messages: number;
  parked: number;
  reason: string | null;
  error: string | null;
}

async function watchDelivery(deps: WatchDeps, name: string, signal: AbortSignal): Promise<Watched> {
  const { db, screen, now } = deps;
  const mark = (await db.query<{ sink_no: number; next_id: number }>(NEXT_ID, [name])).rows[0];
  let least = Number.POSITIVE_INFINITY;
  let since = now();
  while (mark && !signal.aborted) {
    const pending = await pendingOf(db, mark);
    if (!pending) break;
    const left = pending.messages - pending.parked;
    if (left < least) since = now();
    least = Math.min(least, left);
    if (left <= 0) {
      screen.end();
      screen.say(`caught up: what was captured before is in the index${parkedText(name, pending.parked)}`);
      return 'done';
    }
    screen.show([`${name}  ${deliveryText(pending, { left, stillMs: now() - since, name })}`]);
    await deps.sleep(LOOK_MS, signal);
  }
  screen.end();
  if (signal.aborted) return 'left';
  throw new MillraceError('not_found', `sink ${name} is gone`, { remedy: 'Somebody removed it meanwhile.' });
}

async function pendingOf(db: Database, mark: { sink_no: number; next_id: number }): Promise<Pending | undefined> {
  return (await db.query<Pending>(PENDING, [mark.sink_no, mark.next_id, COUNTED])).rows[0];
}

const parkedText = (name: string, parked: number): string =>
  parked === 0
    ? ''
    : `, but for ${count(parked)} parked messages: select * from millrace.parked_messages where sink_name = '${name}'`;

/** What is left, and why it does not get less. */
export function deliveryText(
  { status, messages, reason, error }: Pending,
  { left, stillMs, name }: { left: number; stillMs: number; name: string },
): string {
  const many = `${count(left)}${messages >= COUNTED ? ' or more' : ''} messages pending`;
  if (status !== 'active') return `${many}; it is ${status}: select millrace.resume('${name}')`;
  if (reason !== null) return `${many}; it waits, ${reason}: ${error ?? ''}`;
  return stillMs < STILL_MS ? many : `${many}; is \`bin/millrace start\` (or a worker process) running?`;
}
