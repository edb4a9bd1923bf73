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
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DeclaredAction } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { isDataException } from '../model/sqlstate.ts';
import { takesIn } from '../model/taken-in.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { KeyRing } from '../runtime/secret-key.ts';

const START = statement('admin/start-replay');
const WANTED = statement('admin/wanted-replay');

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

/** Starts it. Its id. @throws MillraceError, and what our own functions refuse. */
export async function startReplay(db: Queryable, options: ReplayOptions): Promise<string> {
  const { retention, sink, since, until, fromSeq, toSeq, keys } = options;
  for (const [name, value] of Object.entries({ 'from-seq': fromSeq, 'to-seq': toSeq })) {
    if (value !== undefined && !/^\d{1,18}$/.test(value))
      throw new MillraceError('bad_request', `--${name} must be a whole number`, {
        remedy: 'It is the `seq` of an entry: --dry-run shows the first and the last one.',
      });
  }
  const texts = [since, until, fromSeq, toSeq].map((text) => text ?? null);
  try {
    return (await db.query<{ id: string }>(START, [retention, sink, ...texts, keys ?? null])).rows[0]!.id;
  } catch (error) {
    // Of the values only the times can be none.
    if (!isDataException(error)) throw error;
    throw new MillraceError('bad_request', '--since or --until is not a time', {
      remedy: 'Write it as Postgres does: "2026-01-31 12:00", "2026-01-31T12:00:00+01:00", yesterday.',
    });
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
  deps: { db: Database; keys: KeyRing; privateAllowed: PrivateAllowed },
  options: ReplayOptions,
  signal: AbortSignal,
): Promise<ReplayPreview> {
  const { request, ...source } = await wantedBy(deps.db, options);
  const catalog = await loadCatalog(deps.db, deps.keys, deps.privateAllowed);
  const settings = catalog.sinks.find(({ name, id }) => name === options.sink || id === options.sink)?.settings;
  if (settings && !takesIn(settings.source, source)) {
    throw new MillraceError('bad_request', `sink ${settings.name} does not take in ${source.schema}.${source.name}`, {
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

async function wantedBy(db: Database, options: ReplayOptions): Promise<Wanted> {
  try {
    return await db.transaction(async (tx) => {
      const id = await startReplay(tx, options);
      throw new TakenBack((await tx.query<Wanted>(WANTED, [id])).rows[0]!);
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.wanted;
    throw error;
  }
}
