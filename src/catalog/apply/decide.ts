/** What applying a declaration would do with the catalog as it is now: everything decided, nothing written. */
import type { Fault } from '../../model/errors.ts';
import { annotationFaults } from '../declare/annotation-bound.ts';
import type { Declared } from '../declare/declaration.ts';
import { besideFaults } from './beside.ts';
import { boundFaults } from './bounds.ts';
import type { Current } from './current.ts';
import { decideDatabases } from './databases.ts';
import { withoutFormer } from './former-entries.ts';
import { decideFunctions } from './functions.ts';
import { decidePruned } from './prune.ts';
import { impossibleChanges, type Known, references } from './references.ts';
import { decideSinks, typeOf } from './sinks.ts';
import type { Decided, ResourceType, Taking } from './step.ts';
import { decideTokens } from './tokens.ts';
import { decideUsers } from './users.ts';

export interface Wishes extends Omit<Taking, 'isReleased'> {
  /** Released things that are taken back: `sink:NAME`. */
  adopt?: readonly string[] | undefined;
  /** Of passwords of declared people, by address: made before the catalog was locked. */
  hashes?: ReadonlyMap<string, string> | undefined;
  /** What files have made and this one does not name goes. */
  prune?: boolean | undefined;
  /** The name of the API token that asks, if one does: it is not pruned. */
  asker?: string | undefined;
}

/** All faults are in the answer. @throws MillraceError bad_setting: a wrong SECRET_KEY. */
export function decide(current: Current, given: Declared, wishes: Wishes): Decided {
  const adopted = new Set(wishes.adopt);
  const { declared, notes } =
    wishes.managedBy === 'file' ? withoutFormer(current, given, adopted) : { declared: given, notes: [] };
  const decided: Decided = { steps: [], notes, faults: [] };
  const isReleased = (type: ResourceType, { name, released }: { name: string; released: boolean }): boolean =>
    released && !adopted.has(`${type}:${name}`);
  decided.faults.push(...notReleased(current, adopted));
  const into = { taking: { ...wishes, isReleased }, decided };
  decideUsers(current.emails, declared.users, { hashes: wishes.hashes ?? new Map(), decided });
  decideTokens(current.tokens, declared.tokens, into);
  decideDatabases(current.databases, declared.databases, into);
  decideFunctions(current.functions, declared.functions, into);
  decideSinks(current.sinks, declared.sinks, into);
  if (wishes.prune === true) decidePruned(current, given, { keys: wishes.keys, asker: wishes.asker, decided });
  decided.faults.push(...besideFaults(current, declared, { decided, taking: into.taking }));
  decided.faults.push(...boundFaults(current, decided.steps));
  for (const { name, old, new: after } of decided.steps)
    decided.faults.push(...annotationFaults({ name, annotations: after?.annotations, before: old?.annotations }));
  decided.faults.push(
    ...decided.steps.flatMap(({ action, name }) => (action === 'create' ? reservedFaults(name) : [])),
  );
  const rows = new Map(current.sinks.map((row) => [row.name, row]));
  const known = knownAfter(current, declared);
  for (const { settings } of declared.sinks)
    decided.faults.push(...references(settings, known), ...impossibleChanges(settings, rows.get(settings.name)));
  return decided;
}

/** Words that stand in addresses where a name stands. */
const RESERVED = new Set(['test_connection', 'setup_sql', 'run', 'sql']);

/** A name for something new. */
export const reservedFaults = (name: string): Fault[] =>
  RESERVED.has(name) ? [{ field: `${name}.name`, message: 'is a reserved word', remedy: 'Choose another name.' }] : [];

function notReleased(current: Current, adopted: ReadonlySet<string>): Fault[] {
  const names = (type: ResourceType, row: { name: string; released: boolean; entry_name: string | null }): string[] =>
    [...(row.released ? [row.name] : []), ...(row.entry_name === null ? [] : [row.entry_name])].map(
      (name) => `${type}:${name}`,
    );
  const released = new Set([
    ...current.databases.flatMap((row) => names('database', row)),
    ...current.functions.flatMap((row) => names('function', row)),
    ...current.sinks.flatMap((row) => names(typeOf(row.settings), row)),
  ]);
  const all = released.size === 0 ? 'Nothing was released.' : `These were released: ${[...released].join(', ')}.`;
  return [...adopted]
    .filter((one) => !released.has(one))
    .map((one) => ({ field: 'adopt', message: `names ${one}, which was not released`, remedy: all }));
}

function knownAfter(current: Current, declared: Declared): Known {
  const databases = [...current.databases, ...declared.databases.map(({ settings }) => settings)];
  return {
    databases: new Set(databases.map(({ name }) => name)),
    functions: new Set([...current.functions, ...declared.functions].map(({ name }) => name)),
  };
}
