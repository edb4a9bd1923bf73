/**
 * Functions made, edited and deleted by whoever uses the API: compiled and tried first, then written as a file would. An edited
 * function shapes what is not shaped yet.
 */
import type { ApplyDeps } from '../catalog/apply/apply.ts';
import { type ChangedThing, changeThing, checkThing, type ThingRef } from '../catalog/apply/change-thing.ts';
import { deleteFunction } from '../catalog/apply/delete-function.ts';
import { refuseMisfit } from '../catalog/apply/function-uses.ts';
import { merged } from '../catalog/declare/merge.ts';
import { functionKeys, readFunction } from '../catalog/declare/read-function.ts';
import { type Entry, functionEntry } from '../catalog/declare/written.ts';
import type { Transaction } from '../db/pool.ts';
import type { FunctionSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { isKey } from '../model/section.ts';
import { showFunction } from './list-functions.ts';
import type { TryFunctions } from './try-functions.ts';

export interface EditFunctionDeps extends ApplyDeps {
  functions: Pick<TryFunctions, 'check'>;
}

export interface FunctionEdit extends Pick<ThingRef, 'ifMatch'> {
  ref: string;
  /** As it came: what cannot be changed may be in it. */
  body: Entry;
}

/** Tries for the locks of the catalog, about a second each. */
const ATTEMPTS = 5;
/** Times that what was tried may be changed by somebody else before it is written. */
const RACES = 5;

/** @throws MillraceError name_taken, invalid with line and column of the code, unavailable. */
export async function createFunction(
  { functions, ...deps }: EditFunctionDeps,
  { body }: Pick<FunctionEdit, 'body'>,
): Promise<ChangedThing> {
  const change = { type: 'function' as const, body: functionKeys(body), ifMatch: null };
  const entry = merged({}, change.body, isKey);
  await withCode(functions, entry, () => checkThing(deps, change));
  await refuseBroken(functions, readFunction(entry));
  return await changeThing(deps, change, { attempts: ATTEMPTS });
}

/** @throws MillraceError not_found, managed_by_file, version_conflict, name_taken, invalid, unavailable. */
export async function editFunction(
  { functions, ...deps }: EditFunctionDeps,
  edit: FunctionEdit,
): Promise<ChangedThing> {
  const { ref, body, ifMatch } = edit;
  const change = { type: 'function' as const, body: functionKeys(body) };
  for (let race = 1; ; race += 1) {
    const { id, settings, version } = await showFunction(deps.db, ref);
    const entry = merged(functionEntry(settings), change.body, isKey);
    await withCode(functions, entry, () => checkThing(deps, { ...change, ref: id, ifMatch }));
    const wanted = readFunction(entry);
    if (!runsAlike(settings, wanted)) await refuseBroken(functions, wanted);
    try {
      // What was tried is what is written.
      return await changeThing(
        deps,
        { ...change, ref: id, ifMatch: [version] },
        { attempts: ATTEMPTS, also: async (tx: Transaction, { name }) => await refuseMisfit(tx, name) },
      );
    } catch (error) {
      const isRace = error instanceof MillraceError && error.code === 'version_conflict';
      if (!isRace || ifMatch !== null || race >= RACES) throw error;
    }
  }
}

/** @throws MillraceError not_found, managed_by_file, version_conflict, in_use, unavailable. */
export async function eraseFunction(
  deps: ApplyDeps,
  { ref, ifMatch }: Omit<FunctionEdit, 'body'>,
): Promise<{ id: string; name: string }> {
  const { id } = await showFunction(deps.db, ref);
  return await deleteFunction(deps, { type: 'function', ref: id, ifMatch }, { attempts: ATTEMPTS });
}

const runsAlike = (one: FunctionSettings, other: FunctionSettings): boolean =>
  one.type === other.type && one.code === other.code && one.path === other.path;

/** Where other fields are wrong, what is wrong with the code is said with them. @throws what `check` throws. */
async function withCode(
  functions: Pick<TryFunctions, 'check'>,
  { type, code, path }: Entry,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'invalid') throw error;
    const alone = readable({ name: 'function', type, ...(code === undefined ? { path } : { code }) });
    const broken = alone && (await brokenOf(functions, alone));
    if (broken === undefined) throw error;
    const faults = [...error.faults, ...broken.faults];
    const fields = [...new Set(faults.map(({ field }) => field))];
    throw new MillraceError('invalid', `Not valid: ${fields.join(', ')}`, { faults, facts: broken.facts });
  }
}

function readable(entry: Entry): FunctionSettings | undefined {
  try {
    return readFunction(entry);
  } catch {
    return undefined;
  }
}

async function refuseBroken(functions: Pick<TryFunctions, 'check'>, fn: FunctionSettings): Promise<void> {
  const broken = await brokenOf(functions, fn);
  if (broken !== undefined) throw broken;
}

async function brokenOf(
  functions: Pick<TryFunctions, 'check'>,
  fn: FunctionSettings,
): Promise<MillraceError | undefined> {
  const fault = await functions.check(fn);
  if (fault === undefined) return undefined;
  const { message, line, column } = fault;
  const field = fn.type === 'path' ? 'path' : 'code';
  const place = line === undefined ? {} : { line, column: column ?? 1 };
  const at = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
  const remedy = 'POST /api/functions/run shows what it makes of messages.';
  return new MillraceError('invalid', `Not valid: ${field}`, {
    faults: [{ field, message: `does not work: ${message}${at}`, remedy, ...place }],
    facts: place,
  });
}
