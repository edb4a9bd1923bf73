/**
 * What no entry can know by itself: that names are unique, that what is referred to exists and has the right type, and
 * that what each source needs is declared. An entry with faults of its own still counts as existing, so that one mistake
 * is reported once.
 */
import { capturesByTriggers, type FunctionType } from '../../model/declared.ts';
import { COMPARED, type Finding, nearest, type Path } from '../../model/finding.ts';
import type { DatabaseDeclared } from './database.ts';
import type { Entries, Entry } from './entry.ts';
import type { FunctionDeclared } from './function.ts';
import { checkRetentions } from './retention-circles.ts';
import type { SinkDeclared } from './sink.ts';
import type { UserDeclared } from './user.ts';

export interface References {
  faults: Finding[];
  warnings: Finding[];
}

/** `loopbackOnly`: only this machine reaches the port, so that a token may be weak. */
export function checkReferences(entries: Entries, options: { loopbackOnly?: boolean | undefined }): References {
  const databases = byName(entries.databases);
  const functions = byName(entries.functions);
  const weak = weakTokens(entries);
  const consuming = consumeFindings(entries);
  return {
    faults: [
      ...duplicates(entries.databases, 'a database'),
      ...duplicates(entries.functions, 'a function'),
      ...duplicates(entries.sinks, 'a sink or change retention'),
      ...duplicates(entries.api_tokens, 'a token'),
      ...duplicateUsers(entries.users ?? []),
      ...entries.sinks.flatMap((sink) => [...databaseFaults(sink, databases), ...functionFaults(sink, functions)]),
      ...sourceFaults(entries),
      ...tokenFaults(entries),
      ...consuming.faults,
      ...(options.loopbackOnly === true ? [] : weak),
      ...clashes(entries),
    ],
    warnings: [
      ...(options.loopbackOnly === true ? weak : []),
      ...unscopedTokens(entries),
      ...consuming.warnings,
      ...indexWarnings(entries),
      ...publicationWarnings(entries),
    ],
  };
}

/** What two entries may not both be, or have; the later one is at fault. */
export const clashes = (entries: Pick<Entries, 'databases' | 'sinks'>): Finding[] => [
  ...slotFaults(entries),
  ...noteFaults(entries),
  ...checkRetentions(entries),
];

function duplicates(entries: Entry<unknown>[], what: string): Finding[] {
  const told = { message: `is the name of ${what} above`, remedy: 'Give it another name.' };
  return repeated(entries, ({ name }) => name).map(({ path }) => ({ path: [...path, 'name'], ...told }));
}

function duplicateUsers(users: Entry<UserDeclared>[]): Finding[] {
  const message = 'is the address of a user above (capital letters make no difference)';
  const told = { message, remedy: 'Remove one of the two.' };
  return repeated(users, ({ value }) => value?.email).map(({ path }) => ({ path: [...path, 'email'], ...told }));
}

/** Those with a key that one before them has. */
function repeated<Value>(entries: Entry<Value>[], keyOf: (entry: Entry<Value>) => string | undefined): Entry<Value>[] {
  const first = new Map<string | undefined, Entry<Value>>();
  return entries.filter((entry) => {
    const key = keyOf(entry);
    if (!first.has(key)) first.set(key, entry);
    return key !== undefined && first.get(key) !== entry;
  });
}

/** Entries by name, the first one of a name. */
type ByName<Value> = ReadonlyMap<string, Entry<Value>>;

function byName<Value>(entries: Entry<Value>[]): ByName<Value> {
  const found = new Map<string, Entry<Value>>();
  for (const entry of entries) if (entry.name !== undefined && !found.has(entry.name)) found.set(entry.name, entry);
  return found;
}

function unknownName(path: Path, { what, name }: { what: string; name: string }, known: ByName<unknown>): Finding {
  const close = nearest(name, [...known.keys().take(COMPARED)]);
  const remedy = close === undefined ? `Declare it in this file, or name one that is.` : `Did you mean \`${close}\`?`;
  return { path, message: `names no ${what} of this file`, remedy };
}

/** The text under a key of an entry as it was written. */
export function textAt(raw: unknown, key: string): string | undefined {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, key)) return undefined;
  const value: unknown = Reflect.get(raw, key);
  return typeof value === 'string' ? value : undefined;
}

/** The keys of a sink, then of a retention, that name databases: the source first. */
function databaseKeys(sink: Entry<SinkDeclared>): string[] {
  return sink.path[0] === 'sinks' ? ['database'] : ['source_database', 'destination_database'];
}

function databaseFaults(sink: Entry<SinkDeclared>, databases: ByName<DatabaseDeclared>): Finding[] {
  return databaseKeys(sink).flatMap((key) => {
    const name = textAt(sink.raw, key);
    if (name === undefined || name === '' || databases.has(name)) return [];
    return [unknownName([...sink.path, key], { what: 'database', name }, databases)];
  });
}

export type FunctionRole = 'filter' | 'transform' | 'routing';

/** Types of functions that a sink takes as each. */
export const FITTING: Record<FunctionRole, readonly FunctionType[]> = {
  filter: ['filter'],
  transform: ['transform', 'path'],
  routing: ['routing'],
};

function functionFaults(sink: Entry<SinkDeclared>, functions: ByName<FunctionDeclared>): Finding[] {
  if (sink.path[0] !== 'sinks') return [];
  return (['filter', 'transform', 'routing'] as const).flatMap((role): Finding[] => {
    const name = textAt(sink.raw, role);
    if (name === undefined || name === 'none' || name === '') return [];
    const path = [...sink.path, role];
    const entry = functions.get(name);
    if (entry === undefined) return [unknownName(path, { what: 'function', name }, functions)];
    const found = entry.value?.settings;
    if (found === undefined) return [];
    if (!FITTING[role].includes(found.type)) {
      const remedy = `Name a function of type ${FITTING[role].join(' or ')}.`;
      return [{ path, message: `names a function of type ${found.type}`, remedy }];
    }
    const kind = sink.value?.kind;
    return found.sink_type === null || kind === undefined || found.sink_type === kind.names[0]
      ? []
      : [
          {
            path,
            message: `names a routing function for ${found.sink_type}`,
            remedy: 'Name one for this kind of sink.',
          },
        ];
  });
}

function sourceFaults({ databases, sinks }: Entries): Finding[] {
  const sources = new Set(sinks.map((sink) => textAt(sink.raw, databaseKeys(sink)[0]!)));
  return databases.flatMap(({ path, name, value }) => {
    if (value === undefined || !sources.has(name)) return [];
    const example = { message: 'is missing', remedy: '' };
    const faults: Finding[] = [];
    for (const key of ['slot', 'publication'] as const) {
      if (key === 'slot' ? value.hasSlot || capturesByTriggers(value.settings) : value.hasPublication) continue;
      const remedy = `Add \`${key}: { name: millrace, create_if_not_exists: true }\`: sinks read from this database.`;
      faults.push({ ...example, path: [...path, key], remedy });
    }
    return faults;
  });
}

/** A slot's name belongs to a whole server, not to a database. One that captures by triggers reads no slot. */
function slotFaults({ databases }: Pick<Entries, 'databases'>): Finding[] {
  const message = 'has the slot of a database above, on the same server';
  return shared(
    databases.filter(({ value }) => value?.hasSlot === true && !capturesByTriggers(value.settings)),
    ({ address, settings }) => [address.host.toLowerCase(), address.port, settings.slot.name],
  ).map(({ path }) => ({ path: [...path, 'slot'], message, remedy: 'Give each database a slot of its own.' }));
}

/** What the triggers of a database note is read once, and then removed there. */
function noteFaults({ databases }: Pick<Entries, 'databases'>): Finding[] {
  const message = 'is triggers, and a database above captures the same database by triggers';
  const remedy = 'Let the sinks of both read from one of the two: any number of sinks may.';
  return shared(
    databases.filter(({ value }) => value !== undefined && capturesByTriggers(value.settings)),
    ({ address }) => [address.host.toLowerCase(), address.port, address.database],
  ).map(({ path }) => ({ path: [...path, 'capture'], message, remedy }));
}

/** Entries that have the same as one above them. */
function shared<Value>(entries: Entry<Value>[], what: (value: Value) => unknown[]): Entry<Value>[] {
  const seen = new Set<string>();
  return entries.filter(({ value }) => {
    if (value === undefined) return false;
    const key = JSON.stringify(what(value));
    const isSeen = seen.has(key);
    seen.add(key);
    return isSeen;
  });
}

function tokenFaults({ api_tokens }: Entries): Finding[] {
  const seen = new Set<string>();
  return api_tokens.flatMap(({ path, value }) => {
    const hash = value?.hash?.toString('hex');
    if (hash === undefined) return [];
    const isSeen = seen.has(hash);
    seen.add(hash);
    const remedy = 'Make a new one.';
    return isSeen ? [{ path: [...path, 'token'], message: 'is the token of another entry', remedy }] : [];
  });
}

/**
 * Scopes `consume:` that lead to no consumer. Of a token that is there, as an export shows it, they stay: it was made over HTTP before
 * its consumer, or has outlived it.
 */
function consumeFindings({ api_tokens, sinks }: Entries): References {
  const named = byName(sinks);
  const found: References = { faults: [], warnings: [] };
  for (const { path, value } of api_tokens) {
    for (const [index, scope] of (value?.scopes ?? []).entries()) {
      if (!scope.startsWith('consume:')) continue;
      const name = scope.slice('consume:'.length);
      const at = [...path, 'scopes', index];
      const sink = named.get(name);
      const into = value?.hash === null ? found.warnings : found.faults;
      if (sink === undefined) into.push(unknownName(at, { what: 'sink', name }, named));
      else if (sink.value?.kind.traits.receivable === false)
        into.push({ path: at, message: 'names a sink that nobody pulls from', remedy: 'Name a pull consumer.' });
    }
  }
  return found;
}

function weakTokens({ api_tokens }: Entries): Finding[] {
  const remedy =
    'Use a random one: `openssl rand -hex 24`. Others are taken only where HOST is a loopback address, so that nobody else reaches the port.';
  return api_tokens.flatMap(({ path, value }) =>
    value?.weakness === undefined ? [] : [{ path: [...path, 'token'], message: value.weakness, remedy }],
  );
}

function unscopedTokens({ api_tokens }: Entries): Finding[] {
  const message = "has no `scopes`, so it is an admin's: it may do everything";
  const remedy = 'Write `scopes: [admin]` if it should, else less: `[read]`, or `["consume:<sink name>"]`.';
  return api_tokens.flatMap(({ path, value }) => (value?.unscoped === true ? [{ path, message, remedy }] : []));
}

function indexWarnings({ sinks }: Entries): Finding[] {
  return sinks.flatMap(({ path, value }): Finding[] => {
    if (value === undefined) return [];
    const { settings, kind } = value;
    if (settings.routing === null) {
      if (!kind.traits.replaces || (settings.source.include_tables?.length ?? 0) < 2) return [];
      const message = 'sends several tables into one index, where equal keys overwrite each other';
      return [{ path: [...path, 'source'], message, remedy: 'Use a routing function, or a sink for each table.' }];
    }
    if (kind.traits.replaces) return [];
    const message = 'has no effect here: only a search index has an index name';
    return [{ path: [...path, 'routing'], message, remedy: 'Remove it.' }];
  });
}

function publicationWarnings({ databases }: Entries): Finding[] {
  return databases.flatMap(({ path, value }) => {
    const publication = value?.settings.publication;
    if (publication === undefined || publication.init_sql === null || publication.create_if_not_exists) return [];
    const message = 'is not run, because `create_if_not_exists` is false';
    return [{ path: [...path, 'publication', 'init_sql'], message, remedy: 'Set it to true, or remove the SQL.' }];
  });
}
