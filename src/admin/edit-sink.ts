/** Sinks and change retentions, made, edited and deleted by whoever uses the API: as a file would, one at a time. */
import type { ApplyDeps } from '../catalog/apply/apply.ts';
import {
  type ChangedThing,
  changeThing,
  checkThing,
  refuseVersion,
  type ThingRef,
} from '../catalog/apply/change-thing.ts';
import { type DeletedSink, deleteSink } from '../catalog/apply/delete-sink.ts';
import { merged } from '../catalog/declare/merge.ts';
import { type RequestedSink, readSinkDraft, sinkKeys } from '../catalog/declare/requested-sink.ts';
import type { Entry } from '../catalog/declare/written.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { isKey } from '../model/section.ts';
import { changeStatus, type SinkVerb } from './change-sink.ts';
import { withDenied } from './denied-addresses.ts';
import { findSink, type SinkList } from './find-sink.ts';

const OPEN_CIRCUIT = statement('catalog/open-circuit');
/** Tries for the locks of the catalog, about a second each: whoever asks begins to doubt after ten. */
const ATTEMPTS = 5;

export const TYPES = { sinks: 'sink', change_retentions: 'change_retention' } as const;

export interface SinkEdit extends Pick<ThingRef, 'ifMatch'> {
  list: SinkList;
  ref: string;
  /** As it came: what cannot be changed may be in it. */
  body: Entry;
}

/**
 * `tryOut`: Test Connection, where this kind is made only if that succeeds; null: it is not asked for, and delivery begins with
 * a try. @throws MillraceError name_taken, invalid, what `tryOut` throws, unavailable.
 */
export async function createSink(
  deps: ApplyDeps,
  { list, body }: Pick<SinkEdit, 'list' | 'body'>,
  tryOut: ((draft: RequestedSink) => Promise<void>) | null,
): Promise<ChangedThing> {
  const change = { type: TYPES[list], body: sinkKeys(body), ifMatch: null };
  await checkThing(deps, change);
  const draft = readSinkDraft(list, merged({}, body, isKey));
  const isGated = draft.kind.gated === true;
  if (isGated && tryOut) await tryOut(draft);
  const made = await changeThing(deps, change, {
    attempts: ATTEMPTS,
    async also(tx, { name }) {
      if (isGated && !tryOut) await tx.query(OPEN_CIRCUIT, [name]);
    },
  });
  return await withDenied(deps.reach, made);
}

/** Only `status` is in it: an operator may do that, also to a sink of the file. */
export const isStatusAlone = (body: Entry): boolean => Object.keys(sinkKeys(body)).every((key) => key === 'status');

const VERBS: Record<string, SinkVerb> = { active: 'resume', paused: 'pause', disabled: 'disable' };

/** @throws MillraceError not_found, managed_by_file, version_conflict, name_taken, invalid, immutable, secret_required, unavailable. */
export async function editSink(deps: ApplyDeps, edit: SinkEdit): Promise<ChangedThing> {
  const { list, ref, body, ifMatch } = edit;
  const sink = await findSink(deps.db, ref, list);
  const { id } = sink;
  if (typeof body.kind === 'string' && body.kind !== sink.kind) {
    const remedy = 'Make another one, and delete this one when its messages are done.';
    const fault = { field: 'kind', message: `cannot be changed: it is ${sink.kind}`, remedy };
    throw new MillraceError('immutable', 'Not valid: kind', { faults: [fault] });
  }
  const keys = sinkKeys(body);
  if (!isStatusAlone(body) || typeof keys.status !== 'string' || !Object.hasOwn(VERBS, keys.status))
    return await withDenied(
      deps.reach,
      await changeThing(deps, { type: TYPES[list], ref: id, body: keys, ifMatch }, { attempts: ATTEMPTS }),
    );
  const verb = VERBS[keys.status]!;
  await deps.db.transaction(async (tx) => {
    await refuseVersion(tx, { type: TYPES[list], ref: id, ifMatch });
    await changeStatus(tx, verb, sink);
  });
  return { id, name: sink.name, warnings: [], servers: [] };
}

export interface SinkRemoving extends Omit<SinkEdit, 'body'> {
  force: boolean;
  release: boolean;
}

/** @throws MillraceError not_found, managed_by_file, version_conflict, needs_force, unavailable. */
export async function eraseSink(deps: ApplyDeps, { list, ...rest }: SinkRemoving): Promise<DeletedSink> {
  const { id } = await findSink(deps.db, rest.ref, list);
  return await deleteSink(deps, { ...rest, type: TYPES[list], ref: id }, { attempts: ATTEMPTS });
}
