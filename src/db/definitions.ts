/**
 * The files that the schema is made of: migrations, which make tables and run once, and definitions (functions, views and
 * rights, and what is there no more), each of which replaces what it defines. A definition is applied again when its file has changed: a view that did not
 * is not locked. Bodies of functions are text and looked into when they run, so nearly all can be made in any order.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface SchemaFile {
  /** From the root of the project. */
  path: string;
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
  'deliver/undecided',
  'receive/earlier_in_group',
  'receive/earlier_leaving',
  'receive/blockers',
  'receive/last_blocker',
  'messages/count_states',
  'operation/error_shape',
  'operation/error_group',
  'messages/metadata_text',
  'messages/message_members',
  'messages/leased_message',
  'receive/ranges_of',
  'messages/message_text',
  'views/audit',
  'views/message_list',
  'views/pending_messages',
  'views/parked_messages',
  'views/sink_status',
  'views/consumer_status',
  'views/database_status',
  'views/backfill_status',
  'views/operation_status',
  'messages/latency_bounds',
  'views/sink_metrics',
];
/** Drops what has lost its file: after those that called it were made anew. */
const DROPPED = 'dropped';
/** Applied with any other: whoever makes a function gives everybody the right to execute it. */
const GRANTS = 'grants';

const ROOT = new URL('../../', import.meta.url);

/** In the order of their numbers. */
export const readMigrations = (): SchemaFile[] => readFiles('migrations/');

/** In an order in which they can be made from nothing. */
export function readDefinitions(): SchemaFile[] {
  const last = [...PARSED, DROPPED, GRANTS];
  return readFiles('sql/schema/').toSorted((one, other) => last.indexOf(one.name) - last.indexOf(other.name));
}

/** Those that are not applied as they are now, by the hashes of what was, by path. */
export function changedDefinitions(applied: ReadonlyMap<string, string>): SchemaFile[] {
  const all = readDefinitions();
  const changed = new Set(all.filter(({ path, sha256 }) => applied.get(path) !== sha256));
  return changed.size === 0 ? [] : all.filter((file) => changed.has(file) || file.name === GRANTS);
}

function readFiles(dir: string): SchemaFile[] {
  return readdirSync(new URL(dir, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((file) => {
      const text = readFileSync(new URL(dir + file, ROOT), 'utf8').replaceAll('\r\n', '\n');
      const sha256 = createHash('sha256').update(text).digest('hex');
      return { path: dir + file, name: file.slice(0, -'.sql'.length), text, sha256 };
    });
}
