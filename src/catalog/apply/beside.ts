/**
 * What a file declares, together with what is there beside it: things that were made without it, and that it does not name. Each file
 * by itself is checked where it is read.
 */
import type { SinkSettings } from '../../model/declared.ts';
import type { Fault } from '../../model/errors.ts';
import { fieldOf } from '../../model/finding.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Declared } from '../declare/declaration.ts';
import type { Entries } from '../declare/entry.ts';
import { clashes } from '../declare/references.ts';
import type { Current } from './current.ts';
import type { DatabaseRow } from './databases.ts';
import { misfit, usesOf } from './function-uses.ts';
import { kindOf } from './sinks.ts';
import type { Decided, Step, Taking } from './step.ts';
import { besideOf, hasSlot } from './stored.ts';

const NONE = new Set<string>();

/** Of what is made or changed. @throws MillraceError bad_setting: another SECRET_KEY. */
export function besideFaults(
  current: Current,
  declared: Declared,
  { decided, taking: { keys, managedBy } }: { decided: Decided; taking: Pick<Taking, 'keys' | 'managedBy'> },
): Fault[] {
  const named = namesIn(decided.steps);
  const written = namesIn(decided.steps.filter(({ action }) => action !== 'keep'));
  const others: Current = {
    ...current,
    databases: current.databases.filter(({ name }) => !named.databases.has(name)),
    sinks: current.sinks.filter(({ name }) => !named.sinks.has(name)),
  };
  const misfits = declared.functions.flatMap((wanted) =>
    written.functions.has(wanted.name)
      ? usesOf(others.sinks, wanted.name).flatMap((use) =>
          misfit(wanted, use).map((fault) => ({ ...fault, field: `${wanted.name}.${fault.field}` })),
        )
      : [],
  );
  const made = namesIn(decided.steps.filter(({ action }) => action === 'create')).sinks;
  const all = together({ ...others, databases: nearOnes(others, declared, made) }, declared, { named, keys });
  const slots = declared.sinks.flatMap(({ settings }) => (made.has(settings.name) ? ofAnother(all, settings) : []));
  if (managedBy === 'api') return slots;
  const found = clashes(all).flatMap(({ path, message, remedy }) => {
    const [list, ...at] = path;
    const isOurs = (list === 'databases' ? written.databases : list === 'sinks' ? written.sinks : NONE).has(
      String(at[0]),
    );
    return isOurs
      ? [{ field: fieldOf(at), message: message.replace(/ above\b/, ' that the file does not name'), remedy }]
      : [];
  });
  return [...misfits, ...slots, ...found];
}

/**
 * Those that may share something with what is declared: on its servers, or on that of a database that a new sink reads from. What is
 * sealed of others is not opened: whoever makes a consumer does without SECRET_KEY.
 */
function nearOnes({ databases }: Current, declared: Declared, made: ReadonlySet<string>): Current['databases'] {
  const hosts = new Set(declared.databases.map(({ address }) => address.host.toLowerCase()));
  for (const { settings } of declared.sinks) {
    const own = databases.find(({ name }) => made.has(settings.name) && name === settings.database);
    const isRival = (row: DatabaseRow): boolean =>
      row !== own && row.hostname === own?.hostname && row.settings.slot.name === own.settings.slot.name;
    if (own !== undefined && databases.some(isRival)) hosts.add(own.hostname.toLowerCase());
  }
  return databases.filter(({ hostname }) => hosts.has(hostname.toLowerCase()));
}

/** A sink's database is read from then, and so its slot is another one's no longer. */
function ofAnother({ databases }: Pick<Entries, 'databases'>, { name, database }: SinkSettings): Fault[] {
  const own = databases.find((one) => one.name === database);
  if (own?.value === undefined) return [];
  const read = { ...own, path: ['own'], value: { ...own.value, hasSlot: true } };
  const last = [...databases.filter((one) => one !== own), read];
  const isTaken = clashes({ databases: last, sinks: [] }).some(({ path }) => path.join('.') === 'own.slot');
  if (!isTaken) return [];
  const message = `reads from ${database}, which has no slot of its own: another database on its server has that one`;
  return [{ field: `${name}.database`, message, remedy: `Give ${database} a slot of its own, then make the sink.` }];
}

interface Names {
  databases: ReadonlySet<string>;
  functions: ReadonlySet<string>;
  /** Of change retentions too. */
  sinks: ReadonlySet<string>;
}

function namesIn(steps: readonly Step[]): Names {
  const of = (isWanted: (type: string) => boolean): Set<string> =>
    new Set(steps.filter(({ type }) => isWanted(type)).map(({ name }) => name));
  return {
    databases: of((type) => type === 'database'),
    functions: of((type) => type === 'function'),
    sinks: of((type) => !['database', 'function', 'token', 'user'].includes(type)),
  };
}

/** What the file says comes last: it is at fault. What was released, it does not say. */
function together(
  others: Current,
  declared: Declared,
  { named, keys }: { named: Names; keys: KeyRing },
): Pick<Entries, 'databases' | 'sinks'> {
  const beside = besideOf(others, undefined, { type: 'database', keys });
  const sinks = declared.sinks.filter(({ settings }) => named.sinks.has(settings.name));
  const reading = { sinks: [...others.sinks, ...sinks.map(({ settings }) => ({ database_name: settings.database }))] };
  const databases = declared.databases.filter(({ settings }) => named.databases.has(settings.name));
  return {
    databases: [
      ...beside.databases,
      ...databases.map(({ settings, address }) => ({
        ...{ path: ['databases', settings.name], name: settings.name, raw: {} },
        value: {
          ...{ settings, address, hasPublication: true, notes: [] },
          hasSlot: hasSlot(reading, settings.name, settings.slot),
        },
      })),
    ],
    sinks: [
      ...beside.sinks,
      ...sinks.map(({ settings }) => ({
        ...{ path: ['sinks', settings.name], name: settings.name, raw: {} },
        value: { settings, kind: kindOf(settings), secret: null, notes: [] },
      })),
    ],
  };
}
