/**
 * One thing made or changed by a request: merged with what is stored, read by the schema of the file, decided and written as a
 * file would be, in one transaction. Death at any line leaves the catalog as it was. What a file manages only its status
 * may be changed of.
 */
import type { Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { millrace } from '../../model/quote.ts';
import { isKey } from '../../model/section.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import { recordChange } from '../audit.ts';
import { merged } from '../declare/merge.ts';
import { checkOne } from '../declare/one.ts';
import { type Entry, isObject } from '../declare/written.ts';
import type { ApplyDeps } from './apply.ts';
import { type Current, readCurrent } from './current.ts';
import { decide, reservedFaults } from './decide.ts';
import { immutableFaults } from './immutable.ts';
import { refuseRename, renamedWarnings } from './named-by-file.ts';
import { type Change, changeOf, type Decided, type NamedServer, serversOf } from './step.ts';
import {
  besideOf,
  entryOf,
  hasLostSecret,
  hasSlot,
  LISTS,
  namesakes,
  type Stored,
  storedOf,
  type ThingType,
  wordOf,
} from './stored.ts';
import { type ChangeOptions, changeCatalog } from './transaction.ts';

const START_POSITIONS = statement('catalog/start-positions');
const LOCK_APPLIERS = statement('catalog/lock-appliers');
const PUBLISH = statement('catalog/publish');
const RENAME: Record<ThingType, ReturnType<typeof statement>> = {
  sink: statement('catalog/rename-sink'),
  change_retention: statement('catalog/rename-sink'),
  database: statement('catalog/rename-database'),
  function: statement('catalog/rename-function'),
};

export interface ThingRef {
  type: ThingType;
  /** Name or id. */
  ref: string;
  /** Versions that may be changed; null: any. */
  ifMatch: readonly number[] | null;
}

export interface ThingChange extends Omit<ThingRef, 'ref'> {
  /** Absent: it is made. */
  ref?: string | undefined;
  /** Keys of its entry in the file, those that change; null for the default. */
  body: Entry;
  /** It is only looked at: whoever manages it, and whatever its version. */
  isPlan?: true;
}

export interface PlannedThing extends Pick<Wanted, 'declared' | 'warnings'> {
  servers: NamedServer[];
  /** Undefined: nothing changes. */
  change: Change | undefined;
}

export interface ChangedThing {
  id: string;
  name: string;
  /** Sentences. */
  warnings: string[];
  servers: NamedServer[];
}

/**
 * @throws MillraceError not_found, managed_by_file, version_conflict, name_taken, invalid, immutable, secret_required; unavailable
 * when locks could not be had; bad_setting: another SECRET_KEY. `also`: in the transaction, once it is written.
 */
export async function changeThing(
  { db, keys, privateOk = false }: ApplyDeps,
  change: ThingChange,
  options: ChangeOptions & { also?: (tx: Transaction, thing: ChangedThing) => Promise<void> } = {},
): Promise<ChangedThing> {
  return await changeCatalog(
    db,
    async (tx) => {
      const wanted = wantedOf(await readCurrent(tx), change, keys);
      const thing = await write(tx, { ...wanted, type: change.type, keys, privateOk });
      await options.also?.(tx, thing);
      return thing;
    },
    options,
  );
}

/** Throws as `changeThing` would, and changes nothing. */
export async function checkThing({ db, keys }: ApplyDeps, change: ThingChange): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only');
    const { current, declared, row } = wantedOf(await readCurrent(tx), change, keys);
    // Of one that is renamed what else is wrong is found when it is written.
    if (row === undefined || row.name === nameOf(declared))
      decided(current, declared, { type: change.type, keys, privateOk: false, row });
  });
}

/** What `changeThing` would do, also to a thing of the file. Throws as it would, and changes nothing. */
export async function planThing({ db, keys }: ApplyDeps, change: Omit<ThingChange, 'isPlan'>): Promise<PlannedThing> {
  return await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only');
    const current = await readCurrent(tx);
    const planned = { ...change, isPlan: true } as const;
    const { declared, row, warnings } = wantedOf(current, planned, keys);
    const isRenamed = row !== undefined && row.name !== nameOf(declared);
    const { name: _, ...rest } = change.body;
    // Decisions go by name, so what else changes is asked for under the old one.
    const { declared: kept } = isRenamed ? wantedOf(current, { ...planned, body: rest }, keys) : { declared };
    const { steps } = decided(current, kept, { type: change.type, keys, privateOk: false, row });
    const decision = changeOf(steps[0]!);
    const servers = serversOf(steps);
    if (!isRenamed) return { declared, warnings, servers, change: decision };
    const renaming = { path: 'name', old: row.name, new: nameOf(declared) };
    const base = decision ?? { resource_type: change.type, name: row.name, action: 'update', old: null, new: null };
    return { declared, warnings, servers, change: { ...base, diff: [renaming, ...(decision?.diff ?? [])] } };
  });
}

/** Whoever manages it. @throws MillraceError version_conflict */
export async function refuseVersion(tx: Transaction, ref: ThingRef): Promise<void> {
  if (ref.ifMatch === null) return;
  await tx.query(LOCK_APPLIERS);
  refuseChange({ ...findThing(await readCurrent(tx), ref), managed_by: 'api' }, ref);
}

/** @throws MillraceError managed_by_file, version_conflict */
export function refuseChange(row: Stored, { type, ifMatch }: Pick<ThingRef, 'type' | 'ifMatch'>): void {
  const { name, version, updated_by, managed_by } = row;
  const what = `${wordOf(type)} ${name}`;
  if (ifMatch !== null && !ifMatch.includes(version)) {
    const by = updated_by === null ? '' : ` by ${updated_by}`;
    throw new MillraceError('version_conflict', `${what} was changed${by} meanwhile: it has version ${version}`, {
      remedy: 'Read it again, and send the change with the ETag that it has then.',
      facts: { version, updated_by },
    });
  }
  if (managed_by !== 'file') return;
  throw new MillraceError('managed_by_file', `${what} is declared in the configuration file`, {
    remedy: `Change its entry and apply it, or: ${millrace('release', type, name)}`,
  });
}

/** By its id, else by its name. @throws MillraceError not_found */
export function findThing(current: Current, { type, ref }: Pick<ThingRef, 'type' | 'ref'>): Stored {
  const rows = storedOf(current, type);
  const row = rows.find(({ name }) => name === ref) ?? rows.find(({ id }) => id === ref);
  if (row) return row;
  throw new MillraceError('not_found', `there is no ${wordOf(type)} ${ref}`);
}

interface Wanted {
  current: Current;
  row: Stored | undefined;
  declared: ReturnType<typeof checkOne>['declared'];
  warnings: string[];
}

function wantedOf(current: Current, change: ThingChange, keys: KeyRing): Wanted {
  const { type, ref, body } = change;
  const row = ref === undefined ? undefined : findThing(current, { type, ref });
  if (row && !change.isPlan) refuseChange(row, change);
  const base = row && entryOf(current, row.name, { type, keys });
  const entry = merged(base ?? {}, body, isKey);
  // It was for the beginning, and a disabled sink has none.
  if (row && entry.status === 'disabled' && body.initial_backfill === undefined) delete entry.initial_backfill;
  // The default, which is shown of one that needs none: another one on its server may have it.
  if (row && type === 'database' && isObject(entry.slot) && !hasSlot(current, row.name, entry.slot)) delete entry.slot;
  refuseTaken(current, { type, row, name: entry.name });
  const isRenamed = row !== undefined && row.name !== entry.name;
  if (isRenamed) refuseRename(current, row, type);
  if (row && !body.destination && hasLostSecret(current, row.id, keys)) refuseFaults([LOST_SECRET]);
  if (base) refuseFaults(immutableFaults(type, base, entry));
  const { declared, faults, warnings } = checkOne(LISTS[type], entry, besideOf(current, row?.name, { type, keys }));
  refuseFaults(faults);
  return { current, row, declared, warnings: isRenamed ? [...renamedWarnings(row), ...warnings] : warnings };
}

const LOST_SECRET: Fault = {
  field: 'destination',
  message: 'has a stored credential that does not open',
  remedy: 'Send `destination` with the credential along.',
  refusedAs: 'secret_required',
};

function refuseTaken(
  current: Current,
  { type, row, name }: { type: ThingType; row: Stored | undefined; name: unknown },
): void {
  const other = namesakes(current, type).find((one) => one.name === name);
  if (other === undefined || other.id === row?.id) return;
  throw new MillraceError('name_taken', `there is already something of the name ${other.name}`, {
    remedy: 'Choose another name, or change what is there.',
    facts: { id: other.id },
  });
}

const nameOf = ({ databases, functions, sinks }: Wanted['declared']): string =>
  (sinks[0] ?? databases[0])?.settings.name ?? functions[0]!.name;

async function write(
  tx: Transaction,
  { current: before, row, declared, warnings, type, keys, privateOk }: Wanted & Writing,
): Promise<ChangedThing> {
  const name = nameOf(declared);
  const isRenamed = row !== undefined && row.name !== name;
  if (isRenamed) refuseFaults(reservedFaults(name).map((fault) => ({ ...fault, field: 'name' })));
  if (isRenamed) await tx.query(RENAME[type], [row.name, name]);
  const current = isRenamed ? await readCurrent(tx) : before;
  const { steps } = decided(current, declared, { type, keys, privateOk, row: row && { ...row, name } });
  const step = steps[0]!;
  if (step.action !== 'keep') await step.write(tx);
  if (step.action !== 'keep' || isRenamed) {
    await tx.query(START_POSITIONS);
    await tx.query(PUBLISH);
    const { old = {}, new: after = {}, action = 'update' } = changeOf(step) ?? {};
    const named = isRenamed
      ? { before: { ...old, name: row.name }, after: { ...after, name } }
      : { before: old, after };
    await recordChange(tx, { action, subject: `${type} ${name}`, ...named });
  }
  const { id } = row ?? findThing(await readCurrent(tx), { type, ref: name });
  return { id, name, warnings, servers: serversOf(steps) };
}

interface Writing {
  type: ThingType;
  keys: KeyRing;
  privateOk: boolean;
}

function decided(
  current: Current,
  declared: Wanted['declared'],
  { type, keys, privateOk, row }: Writing & { row: Stored | undefined },
): Decided {
  const name = nameOf(declared);
  const adopt = row?.released ? [`${type}:${name}`] : [];
  const found = decide(current, declared, { keys, adopt, managedBy: 'api', privateOk });
  refuseFaults(
    found.faults.map((fault) => ({
      ...fault,
      field: fault.field === name ? 'body' : fault.field.replace(`${name}.`, ''),
    })),
  );
  return found;
}

/** All of them in one answer. */
function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const [first] = faults;
  const isOne = faults.every(({ refusedAs }) => refusedAs === first!.refusedAs);
  const fields = [...new Set(faults.map(({ field }) => field))];
  throw new MillraceError((isOne && first!.refusedAs) || 'invalid', `Not valid: ${fields.join(', ')}`, {
    faults: [...faults],
  });
}
