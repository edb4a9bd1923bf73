/**
 * `millrace resync DATABASE`: mends a source whose changes were missed, step by step: accepts the gap, waits until capture
 * streams again, watches the rows being sent to the search indexes and delivered, and has each search index verified and repaired, which removes
 * the documents of rows that were deleted meanwhile. All but the last step happens without this command too; run again after
 * it was interrupted, it goes on watching.
 */

import { count, type Screen } from '../cli/screen.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { readWatched, watchBackfills } from './watched.ts';

const STATE = statement('admin/resync-state');
const RESYNC = statement('admin/resync');
const LAST_ID = statement('admin/last-id');
const UNDELIVERED = statement('admin/undelivered');

const LOOK_MS = 500;

interface ResyncSink {
  no: number;
  name: string;
  kind: 'pull' | 'search_index' | 'change_table';
}

interface State {
  name: string;
  state: string | null;
  reason: string | null;
  remedy: string | null;
  sinks: ResyncSink[];
  open_ids: string[];
}

export interface ResyncDeps {
  db: Database;
  screen: Screen;
  /** Answers the question; undefined where nobody can be asked. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** Compares and mends one search index; its exit code. */
  verify(sink: string, signal: AbortSignal): Promise<number>;
  now(): number;
  /** Resolves early, without an error, when the signal comes. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ResyncRequest {
  database: string;
  yes: boolean;
  verify: boolean;
  /** Also when nothing is known to be missing. */
  force: boolean;
}

/** `left`: whoever watched has gone. @throws MillraceError not_found; bad_request: nothing to mend, nobody to ask. */
export async function runResync(
  deps: ResyncDeps,
  request: ResyncRequest,
  signal: AbortSignal,
): Promise<'done' | 'failed' | 'left' | 'refused'> {
  const before = await stateOf(deps.db, request.database);
  const ids = await begin(deps, before, request);
  if (ids === undefined) return 'refused';
  if (!(await untilStreaming(deps, before.name, signal))) return 'left';
  const backfills = await readWatched(deps.db, ids);
  const pushed = new Set(before.sinks.filter(({ kind }) => kind === 'search_index').map(({ name }) => name));
  const own = ids.filter((id) => backfills.some((one) => one.id === id && pushed.has(one.sink_name)));
  const sent = own.length === 0 ? 'done' : await watchBackfills(deps, own, signal);
  if (sent === 'left' || !(await untilDelivered(deps, before, signal))) return 'left';
  let isGood = sent === 'done';
  for (const sink of before.sinks) {
    if (sink.kind === 'change_table') deps.screen.say(`${sink.name}: the changes of the gap cannot be had.`);
    if (sink.kind === 'pull')
      deps.screen.say(`${sink.name}: its rows are read as its clients take them (bin/millrace backfills list).`);
    if (sink.kind !== 'search_index') continue;
    if (!request.verify) {
      deps.screen.say(
        `${sink.name}: documents of rows that are gone may be left: bin/millrace verify ${sink.name} --repair`,
      );
      continue;
    }
    deps.screen.say(`${sink.name}: looked through for documents of rows that are gone`);
    if ((await deps.verify(sink.name, signal)) !== 0) isGood = false;
    if (signal.aborted) return 'left';
  }
  return isGood ? 'done' : 'failed';
}

async function stateOf(db: Database, database: string): Promise<State> {
  const { rows } = await db.query<State>(STATE, [database]);
  if (rows[0]) return rows[0];
  throw new MillraceError('not_found', `there is no database ${database}`, {
    remedy: 'select database_name, state from millrace.database_status',
  });
}

/** The backfills; undefined when the answer was no. */
async function begin(deps: ResyncDeps, state: State, request: ResyncRequest): Promise<string[] | undefined> {
  const { screen, ask, db } = deps;
  if (state.open_ids.length > 0 && state.state !== 'needs_resync') {
    screen.say(`A resync of ${state.name} is under way.`);
    return state.open_ids;
  }
  if (state.state !== 'needs_resync' && !request.force) {
    const message = `database ${state.name} needs no resync: it is ${state.state ?? 'not captured'}`;
    // It may have been interrupted when all rows were sent.
    const index = state.sinks.find(({ kind }) => kind === 'search_index')?.name;
    const compare =
      index === undefined ? '' : `Were the indexes not compared after one: bin/millrace verify ${index} --repair. `;
    throw new MillraceError('bad_request', message, {
      remedy: `${compare}To send all rows anyway: bin/millrace resync ${state.name} --force`,
    });
  }
  if (state.reason !== null) screen.say(`${state.name}: ${state.reason}`);
  const names = (kinds: ResyncSink['kind'][]): string =>
    state.sinks
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ name }) => name)
      .join(', ');
  const rowsTo = names(['search_index', 'pull']);
  screen.say(`Capture starts again from now on${rowsTo === '' ? '' : `, and all rows are sent to: ${rowsTo}`}.`);
  if (!request.yes) {
    if (!ask) {
      throw new MillraceError('bad_request', `nobody can be asked whether ${state.name} may be sent again`, {
        remedy: `bin/millrace resync ${state.name} --yes`,
      });
    }
    if (!/^y(es)?$/i.test((await ask('Begin? [y/N] ')).trim())) {
      screen.say('Nothing was done.');
      return undefined;
    }
  }
  const { rows } = await db.query<{ id: string }>(RESYNC, [state.name, request.force]);
  return rows.map(({ id }) => id);
}

/** What keeps capture from it is shown for as long as it does. False: whoever watched has gone. */
async function untilStreaming(
  { db, screen, sleep }: ResyncDeps,
  database: string,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const { state, reason, remedy } = await stateOf(db, database);
    if (state === 'streaming') {
      screen.show([]);
      screen.say(`${database} is captured again.`);
      return true;
    }
    const why = [reason, remedy].filter((text) => text !== null).join('; ');
    screen.show([`waiting for capture of ${database}: ${state ?? 'not there'}${why === '' ? '' : `: ${why}`}`]);
    await sleep(LOOK_MS, signal);
  }
  screen.end();
  return false;
}

/** What was there by now, by the search indexes; clients of a pull consumer take their time. */
async function untilDelivered({ db, screen, sleep }: ResyncDeps, state: State, signal: AbortSignal): Promise<boolean> {
  const { rows } = await db.query<{ next_id: number }>(LAST_ID, [state.name]);
  const before = rows[0]?.next_id ?? 0;
  const pushed = state.sinks.filter(({ kind }) => kind === 'search_index');
  while (!signal.aborted) {
    const lines: string[] = [];
    for (const { no, name } of pushed) {
      const found = await db.query<{ waiting: number; circuit: string | null; error: string | null }>(UNDELIVERED, [
        ...[no, before],
      ]);
      const { waiting, circuit, error } = found.rows[0] ?? { waiting: 0, circuit: null, error: null };
      if (waiting === 0) continue;
      const why = circuit === null ? '' : `: ${circuit}${error === null ? '' : `, ${error}`}`;
      lines.push(`${name}: ${waiting >= 10_000 ? 'more than ' : ''}${count(waiting)} messages to deliver${why}`);
    }
    screen.show(lines);
    if (lines.length === 0) return true;
    await sleep(LOOK_MS, signal);
  }
  screen.end();
  return false;
}
