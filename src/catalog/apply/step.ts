/**
 * What applying a declaration does, thing by thing: decided before anything is written, so that a plan and an apply are the
 * same decisions.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '../../db/pool.ts';
import type { SinkSettings } from '../../model/declared.ts';
import type { Fault } from '../../model/errors.ts';
import { CHANGED, MASK } from '../../model/masked.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import { type Entry, Hidden, isObject } from '../declare/written.ts';

export type ManagedBy = 'file' | 'api';

/** `change_retention` and other kinds that have a list of their own: as an entry of it is called. */
export type ResourceType = 'token' | 'database' | 'function' | 'sink' | (string & {});

export interface Step {
  type: ResourceType;
  name: string;
  action: 'create' | 'update' | 'delete' | 'keep';
  /** As entries of the file, secrets hidden. Null: there is none. */
  old: Entry | null;
  new: Entry | null;
  /** Of a sink: its status in the declaration. */
  status?: SinkSettings['status'];
  /** Where it is reached. */
  server?: { host: string; privateOk: boolean };
  write(tx: Transaction): Promise<void>;
}

/** A server that something is reached at, which may be in a private network or not. */
export interface NamedServer {
  /** `sink hooks`. */
  thing: string;
  host: string;
  privateOk: boolean;
}

/** Those of what is made or changed. */
export const serversOf = (steps: readonly Step[]): NamedServer[] =>
  steps.flatMap(({ type, name, action, server }) =>
    server && (action === 'create' || action === 'update')
      ? [{ thing: `${type.replaceAll('_', ' ')} ${name}`, ...server }]
      : [],
  );

/** What all that is decided goes to. */
export interface Decided {
  steps: Step[];
  /** Sentences for whoever applies: what was asked for and is not done by itself. */
  notes: string[];
  faults: Fault[];
}

/** How a declaration is taken. */
export interface Taking {
  keys: KeyRing;
  /** Who it makes things for: what a file names is the file's. */
  managedBy: ManagedBy;
  /** It was written by whoever runs the machine: what it names may be in a private network. */
  privateOk: boolean;
  /** Was it released, and is not asked back? Then the file has no say. */
  isReleased(type: ResourceType, row: { name: string; released: boolean }): boolean;
}

/** A change as people and programs see it. */
export interface Change {
  resource_type: ResourceType;
  name: string;
  action: 'create' | 'update' | 'delete';
  old: Entry | null;
  new: Entry | null;
  diff: { path: string; old: unknown; new: unknown }[];
}

/** Undefined when nothing changes. No secret is in it: one that changes is told from one that does not. */
export function changeOf({ type, name, action, old, new: after }: Step): Change | undefined {
  if (action === 'keep') return undefined;
  const shown = { old: old && masked(old, null), new: after && masked(after, old) };
  return {
    ...{ resource_type: type, name, action },
    ...(shown as Pick<Change, 'old' | 'new'>),
    diff: action === 'update' ? differences(shown.old, shown.new, '') : [],
  };
}

function masked(value: unknown, before: unknown): unknown {
  if (value instanceof Hidden) return before instanceof Hidden && before.text !== value.text ? CHANGED : MASK;
  if (Array.isArray(value)) return value.map((one, at) => masked(one, Array.isArray(before) ? before[at] : undefined));
  if (!isObject(value)) return value;
  const known = isObject(before) ? before : {};
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, known[key])]));
}

function differences(old: unknown, after: unknown, path: string): Change['diff'] {
  if (isDeepStrictEqual(old, after)) return [];
  if (!isObject(old) || !isObject(after)) return [{ path, old: old ?? null, new: after ?? null }];
  const keys = new Set([...Object.keys(old), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differences(old[key], after[key], path === '' ? key : `${path}.${key}`));
}

/** Is what is stored equal to what is declared, once that is stored too? The order of keys does not count. */
export function sameJson(stored: unknown, declared: unknown): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(declared)));
}

/** Whose a thing is, and where its connections may go. */
export interface Standing {
  managed_by: ManagedBy;
  private_ok?: boolean;
}

/** That of a thing, once this declaration names it. `sameServer`: it leads where it led before. */
export function standingAfter(row: Standing | undefined, taking: Taking, sameServer: boolean): Required<Standing> {
  return {
    managed_by: taking.managedBy === 'file' ? 'file' : (row?.managed_by ?? 'api'),
    private_ok: taking.privateOk || (sameServer && row?.private_ok === true),
  };
}

/** Entries before and after, with what changes of the standing. */
export function withStanding(
  old: { entry: Entry; standing: Standing } | undefined,
  after: { entry: Entry; standing: Required<Standing> },
): { old: Entry | null; new: Entry; isSame: boolean } {
  if (old === undefined) return { old: null, new: after.entry, isSame: false };
  const keys = (['managed_by', 'private_ok'] as const).filter(
    (key) => old.standing[key] !== undefined && old.standing[key] !== after.standing[key],
  );
  const of = (standing: Standing): Entry => Object.fromEntries(keys.map((key) => [key, standing[key]]));
  return {
    old: { ...old.entry, ...of(old.standing) },
    new: { ...after.entry, ...of(after.standing) },
    isSame: keys.length === 0,
  };
}

/** The sentence about a thing that the file names and has no say in. */
export const releasedNote = (type: ResourceType, name: string): string =>
  `${type} ${name} was released from the file, so its entry has no effect. Remove the entry, or take it back: ` +
  `bin/millrace adopt ${type} ${name}`;
