/** The settings of a database in a form, and which of them differ. */
import type { components } from '../../api/schema.gen.ts';
import type { Plain } from '../../lib/yaml.ts';
import { pairs, pairsText } from '../../parts/form/values.ts';
import { type Draft, EMPTY, numberOf, sslOf, tlsOf } from './draft.ts';

export interface Edited extends Omit<Draft, 'creates'> {
  creates_slot: boolean;
  creates_publication: boolean;
  init_sql: string;
  pool_size: string;
  max_row_bytes: string;
  invalid_utf8: string;
  trigger_errors: string;
  /** A line each. */
  annotations: string;
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
  const { capture = 'replication', trigger_errors = 'fail', annotations } = more;
  const { creates: _, ...empty } = EMPTY;
  return {
    ...empty,
    ...{ name: database.name, hostname: database.hostname, database: database.database },
    ...{ port: String(database.port ?? ''), username: database.username ?? '' },
    ...tlsOf(ssl),
    ...{ capture, trigger_errors, slot: slot.name, publication: publication.name },
    creates_slot: slot.create_if_not_exists ?? false,
    creates_publication: publication.create_if_not_exists ?? false,
    init_sql: publication.init_sql ?? '',
    ...{ pool_size: String(pool_size), max_row_bytes: String(max_row_bytes), invalid_utf8 },
    annotations: pairsText(annotations),
  };
}

/** The default counts. */
const isLeft = (text: string): boolean => text.trim() === '';

interface Key {
  /** As the file has it. */
  path: string;
  write: (draft: Edited) => Plain;
  /** It makes capture of this database connect anew. */
  reconnects?: true;
}

const emptied = (text: string): string | null => (isLeft(text) ? null : text);

const KEYS: Readonly<Partial<Record<keyof Edited, Key>>> = {
  name: { path: 'name', write: ({ name }) => name },
  hostname: { path: 'hostname', write: ({ hostname }) => hostname, reconnects: true },
  port: { path: 'port', write: ({ port }) => (isLeft(port) ? null : numberOf(port)), reconnects: true },
  database: { path: 'database', write: ({ database }) => database, reconnects: true },
  username: { path: 'username', write: ({ username }) => emptied(username), reconnects: true },
  password: { path: 'password', write: ({ password }) => password, reconnects: true },
  ssl: { path: 'ssl', write: sslOf, reconnects: true },
  ca: { path: 'ssl', write: sslOf, reconnects: true },
  channel_binding: { path: 'ssl', write: sslOf, reconnects: true },
  capture: { path: 'capture', write: ({ capture }) => capture },
  slot: { path: 'slot.name', write: ({ slot }) => slot },
  creates_slot: { path: 'slot.create_if_not_exists', write: (draft) => draft.creates_slot },
  publication: { path: 'publication.name', write: ({ publication }) => publication, reconnects: true },
  creates_publication: { path: 'publication.create_if_not_exists', write: (draft) => draft.creates_publication },
  init_sql: { path: 'publication.init_sql', write: ({ init_sql }) => emptied(init_sql) },
  pool_size: { path: 'pool_size', write: ({ pool_size }) => numberOf(pool_size) },
  max_row_bytes: { path: 'max_row_bytes', write: ({ max_row_bytes }) => numberOf(max_row_bytes) },
  invalid_utf8: { path: 'invalid_utf8', write: ({ invalid_utf8 }) => invalid_utf8 },
  trigger_errors: { path: 'trigger_errors', write: (draft) => draft.trigger_errors },
  annotations: { path: 'annotations', write: ({ annotations }) => pairs(annotations) },
};

const differing = (before: Edited, draft: Edited): Key[] =>
  Object.entries(KEYS)
    .filter(([key]) => before[key as keyof Edited] !== draft[key as keyof Edited])
    .map(([, key]) => key);

/** Keys that differ, as a PATCH has them. */
export function changesOf(before: Edited, draft: Edited): Record<string, Plain> {
  const changes: Record<string, Plain> = {};
  for (const { path, write } of differing(before, draft)) {
    const [key = '', inner] = path.split('.');
    const value = write(draft);
    changes[key] = inner === undefined ? value : { ...(changes[key] as Record<string, Plain>), [inner]: value };
  }
  return changes;
}

/** The same for whoever copies it: of a password only that it is one. */
export const shownChanges = (changes: Record<string, Plain>): Record<string, Plain> => ({
  ...changes,
  ...('password' in changes ? { password: '...' } : {}),
});

interface Difference {
  path: string;
  old: Plain;
  new: Plain;
}

/** What differs, for people to read; of a password that it does. */
export function differences(before: Edited, draft: Edited): Difference[] {
  const found = differing(before, draft).map(
    ({ path, write }): Difference =>
      path === 'password'
        ? { path, old: '********', new: '******** (changed)' }
        : { path, old: write(before), new: write(draft) },
  );
  return found.filter(({ path }, at) => found.findIndex((one) => one.path === path) === at);
}

/** What saving does to capture. */
export function effectOf(before: Edited, draft: Edited): string {
  const changed = differing(before, draft);
  if (changed.some(({ path }) => path === 'capture'))
    return 'Nothing is lost: capture goes on as before until the other way is ready.';
  if (changed.some(({ path }) => path === 'slot.name'))
    return 'Another slot leaves a gap: capture stops until you resync.';
  return changed.some(({ reconnects }) => reconnects)
    ? 'Only the capture of this database reconnects; nothing is lost.'
    : 'Capture is not interrupted.';
}

/** The entry of the file, as the form has it; without a port or a user that nobody knows. */
export function writtenOf(draft: Edited): Plain {
  const annotations = pairs(draft.annotations);
  return {
    name: draft.name,
    hostname: draft.hostname,
    ...(isLeft(draft.port) ? {} : { port: numberOf(draft.port) }),
    database: draft.database,
    ...(isLeft(draft.username) ? {} : { username: draft.username }),
    password: '...',
    ssl: sslOf(draft),
    ...(draft.capture === 'triggers' ? { capture: draft.capture } : {}),
    ...(draft.trigger_errors === 'fail' ? {} : { trigger_errors: draft.trigger_errors }),
    slot: { name: draft.slot, create_if_not_exists: draft.creates_slot },
    publication: {
      ...{ name: draft.publication, create_if_not_exists: draft.creates_publication },
      ...(isLeft(draft.init_sql) ? {} : { init_sql: draft.init_sql }),
    },
    ...{ pool_size: numberOf(draft.pool_size), max_row_bytes: numberOf(draft.max_row_bytes) },
    invalid_utf8: draft.invalid_utf8,
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}
