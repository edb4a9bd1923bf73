/**
 * Repairs drifts by sending their rows again: as they are, or as a delete where they are gone, at a place in the stream of
 * changes, so that no newer change is turned back. Then the same documents are looked at once more. A process that dies
 * here has asked for whole backfills, which go on without it.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { Drift } from './drift.ts';
import { keyOf } from './orphans.ts';
import type { Progress } from './progress.ts';
import type { Suspect } from './recheck.ts';
import type { VerifiedTable } from './tables.ts';

const SEND_AGAIN = statement('verify/send-again');
const SENT_AGAIN = statement('verify/sent-again');

export interface RepairDeps {
  messages: Database;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
  onProgress(progress: Progress): void;
  /** Looks at these again, when the sink has passed what is sent now. */
  again(suspects: readonly Suspect[]): Promise<readonly Drift[]>;
}

export interface RepairInput {
  sinkNo: number;
  tables: readonly VerifiedTable[];
  drifts: readonly Drift[];
  signal: AbortSignal;
}

const KEYS_OF_ONE = 5_000;
const POLL_MS = 200;

/**
 * What is still a drift afterwards. A row may have come meanwhile for a document that none was known for, in another table
 * than the one that was asked about it: then it is missing now, and is sent from there.
 *
 * @throws MillraceError when rows cannot be sent, or are not for `patienceMs`.
 */
export async function repair(
  deps: RepairDeps,
  input: RepairInput,
  options: { patienceMs: number },
): Promise<readonly Drift[]> {
  const left = await sendAgain(deps, input, options);
  const extra = new Set(input.drifts.filter(({ kind }) => kind === 'extra').map(placeOf));
  const lost = left.filter((drift) => drift.kind === 'missing' && extra.has(placeOf(drift)));
  if (lost.length === 0) return left;
  const others = left.filter((drift) => !lost.includes(drift));
  return [...others, ...(await sendAgain(deps, { ...input, drifts: lost }, options))];
}

const placeOf = ({ index, id }: Drift): string => JSON.stringify([index, id]);

async function sendAgain(
  deps: RepairDeps,
  input: RepairInput,
  { patienceMs }: { patienceMs: number },
): Promise<readonly Drift[]> {
  const repairable = input.drifts.filter(({ hopeless }) => !hopeless);
  const hopeless = input.drifts.filter((drift) => drift.hopeless);
  if (repairable.length === 0) return hopeless;
  const sent: number[] = [];
  for (const { table, keys } of batchesOf(input.tables, repairable)) {
    const { schema, name } = table.source;
    const values = [input.sinkNo, schema, name, JSON.stringify(keys)];
    sent.push((await deps.messages.query<{ no: number }>(SEND_AGAIN, values)).rows[0]!.no);
  }
  await untilSent(deps, { sent, total: repairable.length, signal: input.signal }, patienceMs);
  const suspects = repairable.map((drift) => suspectOf(input.tables, drift));
  return [...(await deps.again(suspects)), ...hopeless];
}

/**
 * By table, some thousand keys each. A document without a row goes by the key that its `_id` is made of: who knows whether
 * such a row has come since? Only one that is no key of any table goes by its `_id`, and is deleted without a look.
 */
function batchesOf(
  tables: readonly VerifiedTable[],
  drifts: readonly Drift[],
): { table: VerifiedTable; keys: (readonly string[])[] }[] {
  const byTable = Map.groupBy(
    drifts.map((drift) => rowOf(tables, drift)),
    ({ table }) => table,
  );
  return [...byTable].flatMap(([table, ones]) => {
    const keys = [...new Map(ones.map(({ key }) => [JSON.stringify(key), key])).values()];
    const batches = [];
    for (let from = 0; from < keys.length; from += KEYS_OF_ONE) {
      batches.push({ table, keys: keys.slice(from, from + KEYS_OF_ONE) });
    }
    return batches;
  });
}

function rowOf(
  tables: readonly VerifiedTable[],
  { table: name, key, id }: Drift,
): { table: VerifiedTable; key: readonly string[] } {
  const named = tables.find((one) => one.name === name);
  const table = named ?? tables.find(({ source }) => keyOf(source, id)) ?? tables[0]!;
  return { table, key: key ?? keyOf(table.source, id) ?? [id] };
}

/** An extra document stays where it is looked for; another one is where its row belongs. */
function suspectOf(tables: readonly VerifiedTable[], { kind, index, id, table: name, key }: Drift): Suspect {
  const table = tables.find((one) => one.name === name);
  return kind !== 'extra' && table && key ? { index, id, row: { table, key } } : { index, id };
}

interface State {
  state: 'waiting' | 'running' | 'paused' | 'done' | 'cancelled' | 'failed';
  reason: string | null;
  remedy: string | null;
  rows_done: number;
}

async function untilSent(
  deps: RepairDeps,
  { sent, total, signal }: { sent: readonly number[]; total: number; signal: AbortSignal },
  patienceMs: number,
): Promise<void> {
  let seen = '';
  let movedAt = deps.now();
  for (;;) {
    const { rows } = await deps.messages.query<State>(SENT_AGAIN, [sent]);
    const ended = rows.find(({ state }) => state === 'failed' || state === 'cancelled' || state === 'paused');
    if (ended) {
      throw new MillraceError('bad_source', `the rows could not be sent again: ${ended.reason ?? ended.state}`, {
        remedy: ended.remedy ?? 'See millrace.backfill_status.',
      });
    }
    const count = rows.reduce((sum, row) => sum + row.rows_done, 0);
    deps.onProgress({ phase: 'repair', name: '', part: Math.min(1, count / total), count });
    if (rows.every(({ state }) => state === 'done')) return;
    const now = JSON.stringify(rows);
    if (now !== seen) movedAt = deps.now();
    seen = now;
    if (deps.now() - movedAt > patienceMs) {
      const reason = rows.find((row) => row.reason !== null)?.reason ?? 'nobody takes them';
      throw new MillraceError('unavailable', `no rows were sent for ${Math.round(patienceMs / 1000)} s: ${reason}`, {
        remedy:
          'Is the service running (the role capture)? See millrace.backfill_status; the rows are sent when it does.',
      });
    }
    await deps.sleep(POLL_MS, signal);
  }
}
