/** The settings of a database in a form, and which of them differ. */
import type { components } from '../../api/schema.gen.ts';
import type { Plain } from '../../lib/yaml.ts';
import { type Draft, EMPTY, numberOf, sslOf } from './draft.ts';

export interface Edited extends Draft {
  pool_size: string;
  max_row_bytes: string;
  invalid_utf8: string;
  trigger_errors: string;
}

/** What a form needs of a stored one. */
type Database = Pick<components['schemas']['Database'], 'name' | 'hostname' | 'port' | 'database' | 'username'>;
type Entry = components['schemas']['DatabaseEntry'];
type Settings = Pick<Entry, 'capture' | 'trigger_errors'> &
  Required<
    Pick<Entry, 'ssl' | 'pool_size' | 'max_row_bytes' | 'invalid_utf8' | 'slot' | 'publication' | 'annotations'>
  >;

/** Keys of its entry that an answer has as well. */
export const settingsOf = (database: Database): Settings => database as Database & Settings;

export function editedOf(database: Database): Edited {
  const { ssl, pool_size, max_row_bytes, invalid_utf8, slot, publication, ...more } = settingsOf(database);
  const { capture = 'replication', trigger_errors = 'fail' } = more;
  return {
    ...EMPTY,
    ...{ name: database.name, hostname: database.hostname, database: database.database },
    ...{ port: String(database.port ?? ''), username: database.username ?? '' },
    // One with a certificate of its own verifies.
    ssl: typeof ssl === 'object' ? 'true' : (String(ssl) as Edited['ssl']),
    ...{ capture, trigger_errors, slot: slot.name, publication: publication.name },
    ...{ pool_size: String(pool_size), max_row_bytes: String(max_row_bytes), invalid_utf8 },
  };
}

/** The default counts. */
const isLeft = (text: string): boolean => text.trim() === '';

const KEYS: Readonly<Partial<Record<keyof Edited, (draft: Edited) => Record<string, Plain>>>> = {
  hostname: ({ hostname }) => ({ hostname }),
  port: ({ port }) => ({ port: isLeft(port) ? null : numberOf(port) }),
  database: ({ database }) => ({ database }),
  username: ({ username }) => ({ username: isLeft(username) ? null : username }),
  password: ({ password }) => ({ password }),
  ssl: ({ ssl }) => ({ ssl: sslOf(ssl) }),
  capture: ({ capture }) => ({ capture }),
  slot: ({ slot }) => ({ slot: { name: slot } }),
  publication: ({ publication }) => ({ publication: { name: publication } }),
  pool_size: ({ pool_size }) => ({ pool_size: numberOf(pool_size) }),
  max_row_bytes: ({ max_row_bytes }) => ({ max_row_bytes: numberOf(max_row_bytes) }),
  invalid_utf8: ({ invalid_utf8 }) => ({ invalid_utf8 }),
  trigger_errors: ({ trigger_errors }) => ({ trigger_errors }),
};

/** Keys that differ, as a PATCH has them. */
export function changesOf(before: Edited, draft: Edited): Record<string, Plain> {
  const changed = Object.entries(KEYS).filter(([key]) => before[key as keyof Edited] !== draft[key as keyof Edited]);
  return Object.assign({}, ...changed.map(([, write]) => write(draft)));
}

/** The same for whoever copies it: of a password only that it is one. */
export const shownChanges = (changes: Record<string, Plain>): Record<string, Plain> => ({
  ...changes,
  ...('password' in changes ? { password: '...' } : {}),
});

/** What differs, for people to read; of a password that it does. */
export const differences = (
  before: Edited,
  draft: Edited,
): { path: string; old: string | null; new: string | null }[] =>
  (Object.keys(KEYS) as (keyof Edited)[])
    .filter((key) => before[key] !== draft[key])
    .map((key) =>
      key === 'password'
        ? { path: key, old: '********', new: '******** (changed)' }
        : { path: key, old: shown(before[key]), new: shown(draft[key]) },
    );

const shown = (value: string | boolean): string | null => (value === '' ? null : String(value));

/** They make capture of this database connect anew. */
const RECONNECTS = new Set(['hostname', 'port', 'database', 'username', 'password', 'ssl', 'publication']);

/** What saving does to capture. */
export function effectOf(before: Edited, draft: Edited): string {
  const changed = differences(before, draft).map(({ path }) => path);
  if (changed.includes('capture')) return 'Nothing is lost: capture goes on as before until the other way is ready.';
  if (changed.includes('slot')) return 'Another slot leaves a gap: capture stops until you resync.';
  return changed.some((path) => RECONNECTS.has(path))
    ? 'Only the capture of this database reconnects; nothing is lost.'
    : 'Capture is not interrupted.';
}

/** The entry of the file, as the form has it; without a port or a user that nobody knows. */
export function writtenOf(database: Database, draft: Edited): Plain {
  const known = settingsOf(database);
  return {
    name: database.name,
    hostname: draft.hostname,
    ...(isLeft(draft.port) ? {} : { port: numberOf(draft.port) }),
    database: draft.database,
    ...(isLeft(draft.username) ? {} : { username: draft.username }),
    password: '...',
    ssl: draft.ssl === editedOf(database).ssl ? known.ssl : sslOf(draft.ssl),
    ...(draft.capture === 'triggers' ? { capture: draft.capture } : {}),
    ...(draft.trigger_errors === 'fail' ? {} : { trigger_errors: draft.trigger_errors }),
    slot: { ...known.slot, name: draft.slot },
    publication: {
      ...{ name: draft.publication, create_if_not_exists: known.publication.create_if_not_exists },
      ...(known.publication.init_sql === null ? {} : { init_sql: known.publication.init_sql }),
    },
    ...{ pool_size: numberOf(draft.pool_size), max_row_bytes: numberOf(draft.max_row_bytes) },
    invalid_utf8: draft.invalid_utf8,
    ...(Object.keys(known.annotations).length > 0 ? { annotations: known.annotations } : {}),
  };
}
