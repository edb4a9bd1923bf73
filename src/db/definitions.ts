/**
 * The files that the schema is made of: migrations, which make tables and run once, and definitions (functions, views and
 * rights), each of which replaces what it defines. A definition is applied again when its file has changed: a view that did not
 * is not locked. Bodies of functions are text and looked into when they run, so nearly all can be made in any order.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface SchemaFile {
  /** Without `.sql`; of a migration its name, of a definition its path below sql/schema/. */
  name: string;
  text: string;
  /** Hexadecimal, of the text with line ends of Unix. */
  sha256: string;
}

/**
 * What Postgres parses when it is made, and so only after what it names: views, and functions that it puts into a statement
 * (others of those name none of ours).
 */
export const PARSED = [
  'receive/earlier_in_group',
  'receive/earlier_leaving',
  'receive/blockers',
  'messages/metadata_text',
  'messages/message_members',
  'messages/message_text',
  'views/message_list',
  'views/pending_messages',
  'views/parked_messages',
  'views/sink_status',
  'views/consumer_status',
  'views/database_status',
  'views/backfill_status',
];
/** Applied with any other: whoever makes a function gives everybody the right to execute it. */
const GRANTS = 'grants';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const DEFINITIONS = new URL('../../sql/schema/', import.meta.url);

/** In the order of their numbers. */
export const readMigrations = (): SchemaFile[] => readFiles(MIGRATIONS);

/** In an order in which they can be made from nothing. */
export function readDefinitions(): SchemaFile[] {
  const last = [...PARSED, GRANTS];
  return readFiles(DEFINITIONS).toSorted((one, other) => last.indexOf(one.name) - last.indexOf(other.name));
}

/** Those that are not applied as they are now, by the hashes of what was. */
export function changedDefinitions(applied: ReadonlyMap<string, string>): SchemaFile[] {
  const all = readDefinitions();
  const changed = new Set(all.filter(({ name, sha256 }) => applied.get(name) !== sha256).map(({ name }) => name));
  return changed.size === 0 ? [] : all.filter(({ name }) => changed.has(name) || name === GRANTS);
}

function readFiles(dir: URL): SchemaFile[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((file) => {
      const text = readFileSync(new URL(file, dir), 'utf8').replaceAll('\r\n', '\n');
      return { name: file.slice(0, -'.sql'.length), text, sha256: createHash('sha256').update(text).digest('hex') };
    });
}
