/**
 * `millrace replay RETENTION SINK`: asks for it, or counts what would be sent. A dry run asks as well, and takes it back: so
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
import { count } from '../cli/screen.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SinkSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { takesIn } from '../routing/match.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { KeyRing } from '../runtime/secret-key.ts';

const START = statement('admin/start-replay');
const WANTED = statement('admin/wanted-replay');

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
    if (!(error instanceof Error) || !('code' in error) || !/^22/.test(String(error.code))) throw error;
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

/** What would be sent, for people. @throws MillraceError */
export async function previewReplay(
  deps: { db: Database; keys: KeyRing; privateAllowed: PrivateAllowed },
  options: ReplayOptions,
  signal: AbortSignal,
): Promise<string> {
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
    return told(await summarise(changeTable, { source, request }, signal), options, settings);
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

function told(summary: Summary, { retention, sink }: ReplayOptions, settings: SinkSettings | undefined): string {
  const byAction = { insert: summary.inserts, update: summary.updates, delete: summary.deletes };
  const takes = (action: keyof typeof byAction): boolean => settings?.actions.includes(action) ?? true;
  const actions = ['insert', 'update', 'delete'] as const;
  const entries = actions.filter(takes).reduce((sum, action) => sum + byAction[action], 0);
  const what = `${count(entries)} ${entries === 1 ? 'entry' : 'entries'} of ${retention} would be sent to ${sink}`;
  if (summary.entries === 0) return `${what}\n`;
  const isFiltered = settings !== undefined && (settings.filters.length > 0 || settings.filter !== null);
  const lines = [
    ...actions.map((action) => [
      action,
      takes(action) ? count(byAction[action]) : `0, the sink does not take ${count(byAction[action])}`,
    ]),
    ['first', `seq ${summary.first_seq}, committed ${summary.first_at}`],
    ['last', `seq ${summary.last_seq}, committed ${summary.last_at}`],
    ...(isFiltered ? [['note', 'the filters of the sink may leave some out']] : []),
  ];
  return `${what}\n${lines.map(([name, value]) => `  ${name!.padEnd(8)}${value}\n`).join('')}`;
}
