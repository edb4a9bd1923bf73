/** What files have made and the declaration does not name any more: decides that it goes, sinks first. */
import { statement } from '../../db/statement.ts';
import type { Fault } from '../../model/errors.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Declared } from '../declare/declaration.ts';
import { databaseEntry, functionEntry, sinkEntry, tokenEntry } from '../declare/written.ts';
import type { Current } from './current.ts';
import { addressOf } from './databases.ts';
import { kindOf, secretOf, typeOf } from './sinks.ts';
import type { Decided, ManagedBy, ResourceType, Step } from './step.ts';

const REMOVE_SINK = statement('catalog/remove-sink');
const REMOVE_FUNCTION = statement('catalog/remove-function');
const REMOVE_DATABASE = statement('catalog/remove-database');
const REMOVE_TOKEN = statement('catalog/remove-token');

interface Managed {
  name: string;
  managed_by: ManagedBy;
  released?: boolean;
  entry_name?: string | null;
}

/** What would be left without something that it needs is a fault. @throws MillraceError bad_setting: a wrong SECRET_KEY. */
export function decidePruned(
  current: Current,
  declared: Declared,
  { keys, asker, decided }: { keys: KeyRing; asker: string | undefined; decided: Decided },
): void {
  const sinks = gone(current.sinks, declared.sinks);
  const functions = gone(current.functions, declared.functions);
  const databases = gone(current.databases, declared.databases);
  const renamed = new Set(decided.steps.flatMap(({ old, name }) => (old && old.name !== name ? [old.name] : [])));
  const tokens = gone(current.tokens, declared.tokens).filter(({ name, revoked }) => !revoked && !renamed.has(name));
  checkUse(current, { sinks, functions, databases }, decided);
  if (tokens.some(({ name }) => name === asker)) decided.faults.push(asksItself(asker!));
  decided.steps.push(
    ...sinks.map((row) => {
      const old = sinkEntry(row.settings, secretOf(keys, row) ?? null);
      return removal({ type: typeOf(row.settings), name: row.name, old }, REMOVE_SINK);
    }),
    ...functions.map(({ name, settings }) =>
      removal({ type: 'function', name, old: functionEntry(settings) }, REMOVE_FUNCTION),
    ),
    ...databases.map((row) => {
      const old = databaseEntry(row.settings, addressOf(keys, row));
      return removal({ type: 'database', name: row.name, old }, REMOVE_DATABASE);
    }),
    ...tokens.map(({ name, hash, scopes }) => {
      const old = tokenEntry({ name, scopes, identity: hash.toString('hex') });
      return removal({ type: 'token', name, old }, REMOVE_TOKEN);
    }),
  );
}

/** Whoever prunes it would be locked out, and could not even hear what became of it. */
const asksItself = (name: string): Fault => ({
  field: `api_tokens ${name}`,
  message: 'is not named any more, and it is the token that asks: pruning would remove it',
  remedy: 'Name it, or prune with another token.',
});

function gone<Row extends Managed>(
  rows: readonly Row[],
  declared: readonly ({ name: string } | { settings: { name: string } })[],
): Row[] {
  const named = new Set(declared.map((one) => ('settings' in one ? one.settings.name : one.name)));
  return rows.filter(
    (row) =>
      row.managed_by === 'file' &&
      row.released !== true &&
      !named.has(row.name) &&
      !(row.entry_name && named.has(row.entry_name)),
  );
}

function removal(
  { type, name, old }: Pick<Step, 'name' | 'old'> & { type: ResourceType },
  remove: ReturnType<typeof statement>,
): Step {
  const write: Step['write'] = async (tx) => void (await tx.query(remove, [name]));
  return { type, name, action: 'delete', old, new: null, write };
}

/** Those that the declaration names are checked with their references. */
function checkUse(
  current: Current,
  going: Pick<Current, 'sinks' | 'functions' | 'databases'>,
  { faults, steps }: Decided,
): void {
  const isWritten = ({ name, settings }: Current['sinks'][number]): boolean =>
    steps.some((step) => step.name === name && step.type === typeOf(settings));
  const stay = current.sinks.filter((row) => !going.sinks.includes(row) && !isWritten(row));
  const check = (type: ResourceType, rows: readonly Managed[], uses: (row: (typeof stay)[number]) => unknown[]): void =>
    rows.forEach(({ name }) => {
      const users = stay.filter((sink) => uses(sink).includes(name)).map((sink) => sink.name);
      if (users.length === 0) return;
      const remedy = `Name it, remove ${users[0]}, or: bin/millrace release ${type} ${name}`;
      faults.push({ field: name, message: `is not named any more, and ${users.join(', ')} uses it`, remedy });
    });
  check('function', going.functions, ({ settings: { filter, transform, routing } }) => [filter, transform, routing]);
  check('database', going.databases, ({ settings, database_name }) => [
    database_name,
    kindOf(settings).writesInto?.(settings.destination).database,
  ]);
}
