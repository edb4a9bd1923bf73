/**
 * Starts a replay, or counts what would be sent. A dry run asks as well, and takes it back: so
 * it is refused for the same reasons, and counts by the same conditions.
 */
import {
  openReplayed,
  type ReplayRequest,
  type SourceName,
  type Summary,
  summarise,
} from '../backfill/replay/change-table.ts';
import { loadCatalog } from '../catalog/store.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DeclaredAction } from '../model/declared.ts';
import { type Fault, MillraceError } from '../model/errors.ts';
import { isConflict, isDataException } from '../model/sqlstate.ts';
import { takesIn } from '../model/taken-in.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { KeyRing } from '../runtime/secret-key.ts';

const START = statement('admin/start-replay');
const WANTED = statement('admin/wanted-replay');
const RUNNING = statement('admin/running-replay');
const TIMES = statement('admin/read-times');

const ACTIONS: readonly DeclaredAction[] = ['insert', 'update', 'delete'];

export interface ReplayOptions {
  retention: string;
  sink: string;
  /** Times as Postgres reads them. */
  since?: string | undefined;
  until?: string | undefined;
  fromSeq?: string | undefined;
  toSeq?: string | undefined;
  /** Texts of `record_pk`. */
  keys?: readonly string[] | undefined;
}

/** Starts it. Its id. @throws MillraceError invalid, operation_running; what our own functions refuse. */
export async function startReplay(db: Queryable, options: ReplayOptions): Promise<string> {
  await refuseUnreadable(db, options);
  try {
    return await ask(db, options);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { rows } = await db.query<{ id: string }>(RUNNING, [options.retention, options.sink]);
    const id = rows[0]?.id ?? 'ID';
    throw new MillraceError('operation_running', error.message, {
      facts: { id },
      remedy: `bin/millrace backfills show ${id} watches it; bin/millrace backfills cancel ${id} ends it.`,
    });
  }
}

async function ask(db: Queryable, options: ReplayOptions): Promise<string> {
  const { retention, sink, since, until, fromSeq, toSeq, keys } = options;
  const texts = [since, until, fromSeq, toSeq].map((text) => text ?? null);
  return (await db.query<{ id: string }>(START, [retention, sink, ...texts, keys ?? null])).rows[0]!.id;
}

const SEQ_REMEDY = 'It is the `seq` of an entry: a dry run shows the first and the last one.';
const TIME_REMEDY = 'Write it as Postgres does: "2026-01-31 12:00", "2026-01-31T12:00:00+01:00", yesterday.';

/** @throws MillraceError invalid */
async function refuseUnreadable(db: Queryable, { since, until, fromSeq, toSeq }: ReplayOptions): Promise<void> {
  const faults: Fault[] = [];
  for (const [field, value] of Object.entries({ from_seq: fromSeq, to_seq: toSeq })) {
    if (value === undefined || /^\d{1,18}$/.test(value)) continue;
    faults.push({ field, message: 'must be a whole number', remedy: SEQ_REMEDY });
  }
  if (faults.length === 0 && fromSeq !== undefined && toSeq !== undefined && BigInt(fromSeq) > BigInt(toSeq)) {
    faults.push({ field: 'from_seq', message: 'is after `to_seq`' });
  }
  for (const [field, value] of Object.entries({ since, until })) {
    if (value === undefined || (await readTimes(db, value, value)) !== undefined) continue;
    faults.push({ field, message: 'is not a time', remedy: TIME_REMEDY });
  }
  if (
    faults.length === 0 &&
    since !== undefined &&
    until !== undefined &&
    (await readTimes(db, since, until)) === true
  ) {
    faults.push({ field: 'since', message: 'is after `until`' });
  }
  if (faults.length === 0) return;
  throw new MillraceError('invalid', `Not valid: ${faults.map(({ field }) => field).join(', ')}`, { faults });
}

/** Is the first one after the second? Undefined: one of them is no time. */
async function readTimes(db: Queryable, one: string, other: string): Promise<boolean | undefined> {
  try {
    return (await db.query<{ crossed: boolean }>(TIMES, [one, other])).rows[0]!.crossed;
  } catch (error) {
    if (isDataException(error)) return undefined;
    throw error;
  }
}

interface Wanted extends SourceName {
  request: ReplayRequest;
}

class TakenBack extends Error {
  readonly wanted: Wanted;
  constructor(wanted: Wanted) {
    super('asked only to see');
    this.wanted = wanted;
  }
}

/** Of what was asked for, and is in the change table. */
export interface ReplayPreview extends Summary {
  /** That the sink takes. */
  actions: readonly DeclaredAction[];
  /** The sink has filters, which may leave some entries out. */
  isFiltered: boolean;
}

/** What would be sent. @throws MillraceError */
export async function previewReplay(
  deps: { db: Transacting; keys: KeyRing; privateAllowed: PrivateAllowed },
  options: ReplayOptions,
  signal: AbortSignal,
): Promise<ReplayPreview> {
  const { request, ...source } = await wantedBy(deps.db, options);
  const catalog = await loadCatalog(deps.db, deps.keys, deps.privateAllowed);
  const settings = catalog.sinks.find(({ name, id }) => name === options.sink || id === options.sink)?.settings;
  if (settings && !takesIn(settings.source, source)) {
    throw new MillraceError('invalid', `sink ${settings.name} does not take in ${source.schema}.${source.name}`, {
      remedy: 'Name a table of its source, or add it there.',
    });
  }
  const changeTable = openReplayed(catalog, request);
  try {
    const summary = await summarise(changeTable, { source, request }, signal);
    const isFiltered = settings !== undefined && (settings.filters.length > 0 || settings.filter !== null);
    return { ...summary, actions: settings?.actions ?? ACTIONS, isFiltered };
  } finally {
    await changeTable.close();
  }
}

async function wantedBy(db: Transacting, options: ReplayOptions): Promise<Wanted> {
  await refuseUnreadable(db, options);
  try {
    return await db.transaction(async (tx) => {
      const id = await ask(tx, options);
      throw new TakenBack((await tx.query<Wanted>(WANTED, [id])).rows[0]!);
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.wanted;
    throw error;
  }
}
