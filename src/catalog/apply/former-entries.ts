/**
 * Entries of things that were released from the file, and have another name since. Such an entry has no effect, as with the name
 * unchanged, and what names it means the thing. It counts again where the file is given it back (`--adopt`), where the thing is
 * the file's under its new name, or where another thing of the file has the former one.
 */
import type { SinkSettings } from '../../model/declared.ts';
import type { Declared } from '../declare/declaration.ts';
import type { Current } from './current.ts';
import { kindOf, typeOf } from './sinks.ts';
import type { ManagedBy, ResourceType } from './step.ts';

interface Thing {
  type: ResourceType;
  name: string;
  entry_name: string | null;
  managed_by: ManagedBy;
}

type Named = Pick<Thing, 'type' | 'name'>;

/** What is left of a declaration by a file. `adopted`: things, or former entries, that it is given back: `sink:NAME`. */
export function withoutFormer(
  current: Current,
  declared: Declared,
  adopted: ReadonlySet<string>,
): { declared: Declared; notes: string[] } {
  const databases = former(
    current.databases.map((row) => ({ ...row, type: 'database' })),
    declared.databases.map(({ settings: { name } }) => ({ type: 'database', name })),
    adopted,
  );
  const functions = former(
    current.functions.map((row) => ({ ...row, type: 'function' })),
    declared.functions.map(({ name }) => ({ type: 'function', name })),
    adopted,
  );
  const sinks = former(
    current.sinks.map((row) => ({ ...row, type: typeOf(row.settings) })),
    declared.sinks.map(({ settings }) => ({ type: typeOf(settings), name: settings.name })),
    adopted,
  );
  const all = [...databases, ...functions, ...sinks];
  if (all.length === 0) return { declared, notes: [] };
  return {
    declared: {
      ...declared,
      databases: declared.databases.filter(({ settings }) => !databases.has(settings.name)),
      functions: declared.functions.filter(({ name }) => !functions.has(name)),
      sinks: declared.sinks
        .filter(({ settings }) => !sinks.has(settings.name))
        .map((sink) => ({ ...sink, settings: meaning(sink.settings, { databases, functions }) })),
      tokens: declared.tokens.map((token) => ({ ...token, scopes: token.scopes.map((one) => scopeOf(one, sinks)) })),
    },
    notes: all.map(([entry, thing]) => noteOf(entry, thing)),
  };
}

/** Things by the names of their entries. */
type Former = ReadonlyMap<string, Thing>;

function former(rows: readonly Thing[], entries: readonly Named[], adopted: ReadonlySet<string>): Former {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const named = new Map(entries.map((entry) => [entry.name, entry]));
  const isOfFile = ({ type, name }: Named): boolean =>
    adopted.has(`${type}:${name}`) || byName.get(name)?.managed_by === 'file';
  return new Map(
    rows.flatMap((row): [string, Thing][] => {
      const entry = row.entry_name === null ? undefined : named.get(row.entry_name);
      if (entry === undefined || isOfFile(entry)) return [];
      return named.has(row.name) && isOfFile(row) ? [] : [[entry.name, row]];
    }),
  );
}

function meaning(settings: SinkSettings, { databases, functions }: Record<'databases' | 'functions', Former>) {
  const of = <Name extends string | null>(name: Name, things: Former): Name | string =>
    (name === null ? undefined : things.get(name)?.name) ?? name;
  const into = kindOf(settings).writesInto?.(settings.destination).database;
  return {
    ...settings,
    database: of(settings.database, databases),
    filter: of(settings.filter, functions),
    transform: of(settings.transform, functions),
    routing: of(settings.routing, functions),
    ...(into === undefined ? {} : { destination: { ...settings.destination, database: of(into, databases) } }),
  };
}

function scopeOf(scope: string, sinks: Former): string {
  const [, entry = ''] = /^consume:(.*)$/s.exec(scope) ?? [];
  const thing = sinks.get(entry);
  return thing === undefined ? scope : `consume:${thing.name}`;
}

function noteOf(entry: string, { type, name, managed_by }: Thing): string {
  const words = `${type.replaceAll('_', ' ')} ${name}`;
  if (managed_by === 'file')
    return `${words} is still called ${entry} in the file, so that entry has no effect. Call the entry ${name}`;
  return (
    `${words} was released from the file as ${entry}, so the entry ${entry} has no effect. Remove it, or call it ${name} and take ` +
    `that back: bin/millrace adopt ${type} ${name}`
  );
}
