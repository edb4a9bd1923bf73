/** Asks for what a worker does: a verification, a rebuild, a resync, many messages. What can be known to be wrong is said before. */
import type { Queryable } from '../../db/pool.ts';
import { type Statement, statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import { isConflict } from '../../model/sqlstate.ts';
import { findIndex } from '../find-sink.ts';
import type { MessageFilter } from '../list-messages.ts';
import { type ResyncRequest, refuseNeedless, resyncState } from '../resync.ts';
import type { MessageVerb } from '../settle-messages.ts';

const VERIFY = statement('admin/operation/start-verify');
const REBUILD = statement('admin/operation/start-rebuild');
const RESYNC = statement('admin/operation/start-resync');
const SETTLE = statement('admin/operation/start-settling');
const RUNNING = statement('admin/operation/running');

export interface VerifyWanted {
  sink: string;
  repair: boolean;
  /** After so long a search finds what was written; absent: 1,500. */
  refreshMs?: number | undefined;
}

/** Its id. @throws MillraceError not_found, operation_running with `id`; what our own function refuses. */
export async function startVerify(db: Queryable, wanted: VerifyWanted): Promise<string> {
  const { name } = await findIndex(db, wanted.sink, 'compared with tables');
  return await start(db, { kind: 'verify', of: name }, [VERIFY, [name, wanted.repair, wanted.refreshMs ?? null]]);
}

export interface RebuildWanted {
  sink: string;
  /** The new one. */
  index: string;
  transform?: string | undefined;
  /** Of the new sink. */
  name?: string | undefined;
  /** By which readers know the index. */
  alias?: string | undefined;
}

/** Its id; whoever asks has the request looked at before (`planRebuild`). @throws MillraceError as `startVerify`. */
export async function startRebuild(db: Queryable, wanted: RebuildWanted): Promise<string> {
  const { name } = await findIndex(db, wanted.sink, 'rebuilt');
  const { index, transform, name: newName, alias } = wanted;
  const values = [name, index, transform ?? null, newName ?? null, alias ?? null];
  return await start(db, { kind: 'rebuild', of: name }, [REBUILD, values]);
}

/** Its id. @throws MillraceError as `startVerify`; wrong_state: nothing is known to be missing. */
export async function startResync(db: Queryable, wanted: ResyncRequest): Promise<string> {
  const state = await resyncState(db, wanted.database);
  refuseNeedless(state, wanted);
  const { force, verify } = wanted;
  return await start(db, { kind: 'resync', of: state.name }, [RESYNC, [state.name, force, verify]]);
}

/** Its id: all that fit, of those that are there now. @throws MillraceError operation_running with `id`; what our own function refuses. */
export async function startSettling(
  db: Queryable,
  verb: MessageVerb,
  { sink, filter, expectedCount }: { sink: string; filter: MessageFilter; expectedCount: number },
): Promise<string> {
  const values = [verb, sink, JSON.stringify(filter), expectedCount];
  return await start(db, { kind: verb, of: sink }, [SETTLE, values]);
}

async function start(
  db: Queryable,
  { kind, of }: { kind: string; of: string },
  [call, values]: [Statement, readonly unknown[]],
): Promise<string> {
  try {
    return (await db.query<{ id: string }>(call, values)).rows[0]!.id;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { rows } = await db.query<{ id: string }>(RUNNING, [kind, of]);
    const id = rows[0]?.id ?? 'ID';
    throw new MillraceError('operation_running', error.message, {
      facts: { id },
      remedy: `It is operation ${id}; to end it: select millrace.cancel_operation('${id}')`,
    });
  }
}
