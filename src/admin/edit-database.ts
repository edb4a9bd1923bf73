/** Source databases, made, edited and deleted by whoever uses the API: as a file would, one at a time. */
import type { ApplyDeps } from '../catalog/apply/apply.ts';
import {
  type ChangedThing,
  changeThing,
  checkThing,
  findThing,
  refuseChange,
  type ThingRef,
} from '../catalog/apply/change-thing.ts';
import { readCurrent } from '../catalog/apply/current.ts';
import { remadeWarnings } from '../catalog/apply/named-by-file.ts';
import { merged } from '../catalog/declare/merge.ts';
import { databaseKeys, type RequestedDatabase, readDatabase } from '../catalog/declare/requested-database.ts';
import type { Entry } from '../catalog/declare/written.ts';
import { MillraceError } from '../model/errors.ts';
import { isKey } from '../model/section.ts';
import { withDenied } from './denied-addresses.ts';
import { findDatabase, type OutsideDeps } from './outside.ts';
import { type DatabaseRemoval, type Dropping, removeDatabase } from './remove-database.ts';

/** Tries for the locks of the catalog, about a second each: whoever asks begins to doubt after ten. */
const ATTEMPTS = 5;

export interface DatabaseEdit extends Pick<ThingRef, 'ifMatch'> {
  ref: string;
  /** As it came: what cannot be changed may be in it. */
  body: Entry;
}

/**
 * `tryOut`: Test Connection, without which none is made; null: it is not asked for. @throws MillraceError name_taken, invalid,
 * what `tryOut` throws, unavailable.
 */
export async function createDatabase(
  deps: ApplyDeps,
  body: Entry,
  tryOut: ((draft: RequestedDatabase) => Promise<void>) | null,
): Promise<ChangedThing> {
  const keys = databaseKeys(body);
  const change = { type: 'database', body: keys, ifMatch: null } as const;
  await checkThing(deps, change);
  if (tryOut) await tryOut(readDatabase(merged({}, keys, isKey)));
  return await withDenied(deps.reach, await changeThing(deps, change, { attempts: ATTEMPTS }));
}

/** @throws MillraceError not_found, managed_by_file, version_conflict, name_taken, invalid, secret_required, unavailable. */
export async function editDatabase(deps: ApplyDeps, { ref, body, ifMatch }: DatabaseEdit): Promise<ChangedThing> {
  const change = { type: 'database', ref, body: databaseKeys(body), ifMatch } as const;
  return await withDenied(deps.reach, await changeThing(deps, change, { attempts: ATTEMPTS }));
}

export interface DatabaseErasing extends Omit<DatabaseEdit, 'body'> {
  /** What Millrace made in the source goes with it, or stays there for good. */
  force: boolean;
  /** A file that manages it has no say. */
  release: boolean;
}

export interface ErasedDatabase {
  id: string;
  name: string;
  /** Statements that drop what is left in the source. */
  left: string[];
  /** Sentences. */
  warnings: string[];
}

/** Of a request: capture lets a slot go within half a minute, and that is waited for by asking again. */
const LET_GO_MS = 5_000;

/**
 * `db`: in whose name it is deleted. @throws MillraceError not_found, managed_by_file, version_conflict, in_use, needs_force;
 * unavailable while its slot is read.
 */
export async function eraseDatabase(
  on: OutsideDeps,
  { db, keys }: ApplyDeps,
  { ref, force, release, ifMatch }: DatabaseErasing,
): Promise<ErasedDatabase> {
  const row = await db.transaction(async (tx) => findThing(await readCurrent(tx), { type: 'database', ref }));
  refuseChange(release ? { ...row, managed_by: 'api' } : row, { type: 'database', ifMatch });
  const { id, name } = row;
  const { catalog } = await findDatabase({ ...on, keys }, id);
  const removal = await removeDatabase(
    {
      ...{ db, catalog, letGoMs: LET_GO_MS, now: Date.now },
      async agree(dropping) {
        if (!force) refuseDropping(name, dropping);
        return true;
      },
      mayLeave(left) {
        if (!force && left.fault) throw stays(name, left);
      },
      sleep: async (ms) => await new Promise((resolve) => setTimeout(resolve, ms)),
    },
    name,
  );
  const { left = [], fault = null, warnings = [] } = removal ?? {};
  return {
    ...{ id, name, left: [...left] },
    warnings: [...(fault ? [sentenceOf(fault)] : []), ...warnings, ...remadeWarnings(row)],
  };
}

const sentenceOf = ({ message, remedy }: MillraceError): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;

function refuseDropping(name: string, { slot, publication, triggers }: Dropping): void {
  const made = [
    ...(slot === null ? [] : [`replication slot ${slot}`]),
    ...(triggers ? ['triggers, with what they have noted'] : []),
    ...(publication === null ? [] : [`publication ${publication}`]),
  ];
  if (made.length === 0) return;
  const message = `With database ${name} go its ${made.join(' and its ')}: what changes there until it is made again is not captured`;
  throw new MillraceError('needs_force', message, { remedy: 'Delete it with ?force=true if they may go.' });
}

function stays(name: string, { left, fault }: DatabaseRemoval): MillraceError {
  return new MillraceError('needs_force', `Not all of database ${name} could be looked at: ${fault?.message ?? ''}`, {
    remedy:
      'Delete it with ?force=true, and run `left` there: a slot that nobody reads keeps WAL, and triggers note changes for nobody.',
    facts: { left },
  });
}
