/** What is stored, thing by thing, for whoever changes one of them: whose it is, its entry, and the others beside it. */
import { capturesByTriggers, type DatabaseSettings } from '../../model/declared.ts';
import { MASK } from '../../model/masked.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import { kindOfType } from '../../sinks/kinds.ts';
import { DEFAULT_SLOT } from '../declare/database.ts';
import type { Entries } from '../declare/entry.ts';
import type { List } from '../declare/one.ts';
import {
  databaseEntry,
  type Entry,
  functionEntry,
  listOf,
  maskedDestination,
  sinkEntry,
  withSecrets,
} from '../declare/written.ts';
import type { Current } from './current.ts';
import { addressOf } from './databases.ts';
import { kindOf, secretOf } from './sinks.ts';
import type { ManagedBy } from './step.ts';

/** As a list of the file is called, and one of its entries. */
export const LISTS = {
  sink: 'sinks',
  change_retention: 'change_retentions',
  database: 'databases',
  function: 'functions',
} as const satisfies Record<string, List>;

export type ThingType = keyof typeof LISTS;

/** A thing that is there, of any type. */
export interface Stored {
  id: string;
  name: string;
  managed_by: ManagedBy;
  released: boolean;
  /** That of its entry in the file it was released from, where it has another name now. */
  entry_name: string | null;
  version: number;
  updated_by: string | null;
}

/** For people: `change retention`. */
export const wordOf = (type: ThingType): string => type.replaceAll('_', ' ');

/** Those among which a name is the only one. Of a sink also change retentions, and the other way round. */
export function namesakes(current: Current, type: ThingType): readonly Stored[] {
  if (type === 'database') return current.databases;
  return type === 'function' ? current.functions : current.sinks;
}

export function storedOf(current: Current, type: ThingType): readonly Stored[] {
  if (type === 'database' || type === 'function') return namesakes(current, type);
  return current.sinks.filter(({ kind, settings }) => kindOfType(kind) && listOf(settings) === LISTS[type]);
}

/** As it is written, with secrets masked. @throws MillraceError bad_setting: another SECRET_KEY. */
export function entryOf(current: Current, name: string, { type, keys }: { type: ThingType; keys: KeyRing }): Entry {
  const masked = (entry: Entry): Entry => withSecrets(entry, () => MASK) as Entry;
  if (type === 'database') {
    const row = current.databases.find((one) => one.name === name)!;
    return masked(databaseEntry(row.settings, addressOf(keys, row)));
  }
  if (type === 'function') return masked(functionEntry(current.functions.find((one) => one.name === name)!.settings));
  const row = current.sinks.find((one) => one.name === name)!;
  const secret = secretOf(keys, row);
  const entry = masked(sinkEntry(row.settings, secret ?? null));
  // A credential that is there, and does not open: empty keys would be another one.
  const isLost = secret === undefined && type === 'sink';
  return isLost ? { ...entry, destination: maskedDestination(row.settings.destination) } : entry;
}

/** Is there a credential that does not open? An edit that says nothing of it would lose it. @throws as `entryOf`. */
export const hasLostSecret = ({ sinks }: Current, id: string, keys: KeyRing): boolean =>
  sinks.some((row) => row.id === id && secretOf(keys, row) === undefined);

interface Slot {
  name?: unknown;
  create_if_not_exists?: unknown;
}

/** Was it given a slot? Of one that nothing reads from, the default is stored whether it was written or not. */
export const hasSlot = (
  { sinks }: { sinks: readonly { database_name: string }[] },
  name: string,
  { name: slot, create_if_not_exists }: Slot,
): boolean => slot !== DEFAULT_SLOT || create_if_not_exists === true || sinks.some((row) => row.database_name === name);

/** Is it read, or meant to be? One that is only written into needs nothing that capture needs. `sinks`: that read from it. */
export const isSource = (settings: DatabaseSettings, sinks: readonly unknown[]): boolean =>
  sinks.length > 0 || capturesByTriggers(settings) || hasSlot({ sinks: [] }, settings.name, settings.slot);

/** All but one. Addresses are opened where they are compared. @throws MillraceError bad_setting: another SECRET_KEY. */
export function besideOf(
  current: Current,
  without: string | undefined,
  { type, keys }: { type: ThingType; keys: KeyRing },
): Entries {
  const isOther = ({ name }: { name: string }): boolean => name !== without;
  const isDatabase = type === 'database';
  const isFunction = type === 'function';
  return {
    api_tokens: [],
    databases: current.databases
      .filter((row) => !isDatabase || isOther(row))
      .map((row) => {
        const address = type === 'sink' || isFunction ? undefined : addressOf(keys, row);
        const { settings } = row;
        const value = address && {
          settings,
          address,
          hasSlot: hasSlot(current, row.name, row.settings.slot),
          hasPublication: true,
          notes: [],
        };
        return { path: ['beside'], name: row.name, value, raw: {} };
      }),
    functions: current.functions
      .filter((row) => !isFunction || isOther(row))
      .map(({ name, settings }) => ({
        ...{ path: ['beside'], name, raw: {} },
        value: { settings, file: null, codePath: ['code'] },
      })),
    sinks: current.sinks
      .filter((row) => kindOfType(row.kind) && (isDatabase || isFunction || isOther(row)))
      .map(({ name, settings }) => ({
        ...{ path: [listOf(settings)], name, raw: { database: settings.database, source_database: settings.database } },
        value: { settings, kind: kindOf(settings), secret: null, notes: [] },
      })),
  };
}
