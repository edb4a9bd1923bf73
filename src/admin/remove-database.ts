/**
 * `millrace database remove NAME`: drops the replication slot and the publication that Millrace made in a source, then
 * forgets the database. A slot that nobody reads keeps WAL until the source's disk is full, so it goes first: after death
 * on any line the same command goes on. What cannot be dropped is printed as SQL.
 */

import { removeDatabase } from '../catalog/apply/remove-database.ts';
import type { Catalog, CatalogDatabase } from '../catalog/store.ts';
import { type Database, openPool } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { optionsOf } from '../db/tls.ts';
import { unreachable } from '../model/connection-fault.ts';
import { MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';
import { quoteIdentifier, quoteLiteral } from '../model/quote.ts';

const HOLDER = statement('admin/slot-holder');
const PUBLICATION = statement('admin/publication-is-there');

/** Capture looks every 30 s whether somebody wants its changes. */
const LET_GO_MS = 60_000;
const LOOK_MS = 500;
const STATEMENT_MS = 15_000;

export interface RemoveDatabaseDeps {
  db: Database;
  catalog: Catalog;
  /** Answers the question; undefined where nobody can be asked. */
  ask: ((question: string) => Promise<string>) | undefined;
  say(line: string): void;
  now(): number;
  sleep(ms: number): Promise<void>;
  letGoMs?: number;
}

/** False when the answer was no. @throws MillraceError not_found; bad_request: in use, nobody can be asked; unavailable. */
export async function runRemoveDatabase(
  deps: RemoveDatabaseDeps,
  name: string,
  options: { yes: boolean },
): Promise<boolean> {
  const { db, catalog, ask, say } = deps;
  const database = find(catalog, name);
  ensureUnused(catalog, database);
  const { slot, publication } = database.settings;
  const ours = [
    ...(slot.create_if_not_exists ? [`replication slot ${slot.name}`] : []),
    ...(publication.create_if_not_exists ? [`publication ${publication.name}`] : []),
  ];
  const losing = ours.length > 0 ? `Its ${ours.join(' and its ')} are dropped` : 'Nothing is dropped there';
  if (!options.yes) {
    if (!ask) {
      throw new MillraceError('bad_request', `nobody can be asked whether database ${name} may go`, {
        remedy: `${losing}: bin/millrace database remove ${name} --yes`,
      });
    }
    const answer = await ask(`Remove database ${name}? ${losing}. [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) {
      say('Nothing was removed.');
      return false;
    }
  }
  const left = await dropThere(deps, database);
  if (!(await removeDatabase(db, name))) ensureUnused(catalog, database, 'a sink that was declared meanwhile');
  say(`Database ${name} is removed.`);
  say('Remove its entry from millrace.yaml too: the next start would declare it again.');
  if (left.length > 0) {
    say('Still in the source (a slot that nobody reads keeps WAL):');
    for (const sql of left) say(`  ${sql};`);
  }
  return true;
}

function find({ databases }: Catalog, name: string): CatalogDatabase {
  const found = databases.find(({ settings }) => settings.name === name);
  if (found) return found;
  const names = databases.map(({ settings }) => settings.name);
  const close = nearest(name, names);
  const all = names.length === 0 ? 'None is declared.' : `There are: ${names.join(', ')}.`;
  const remedy = close === undefined ? all : `Did you mean ${close}? ${all}`;
  throw new MillraceError('not_found', `there is no database ${name}`, { remedy });
}

function ensureUnused({ sinks }: Catalog, { no, settings: { name } }: CatalogDatabase, also?: string): void {
  const users = sinks.filter(
    ({ databaseNo, settings: { destination } }) =>
      databaseNo === no || (destination.type === 'change_table' && destination.database === name),
  );
  const names = [...users.map((sink) => sink.name), ...(also ? [also] : [])];
  if (names.length === 0) return;
  throw new MillraceError('bad_request', `database ${name} is used by ${names.join(', ')}`, {
    remedy: `Remove it first: bin/millrace sink remove ${users[0]?.name ?? 'NAME'}`,
  });
}

/** Returns the SQL of what is left. @throws MillraceError unavailable when somebody keeps reading the slot. */
async function dropThere(deps: RemoveDatabaseDeps, database: CatalogDatabase): Promise<string[]> {
  const { slot, publication } = database.settings;
  const dropSlot = `select pg_drop_replication_slot(${quoteLiteral(slot.name)})`;
  const dropPublication = `drop publication ${quoteIdentifier(publication.name)}`;
  let left = [dropSlot, dropPublication];
  let source: Database | undefined;
  try {
    const pool = { max: 1, applicationName: `millrace remove ${database.settings.name}` };
    source = openPool({
      ...(await optionsOf({ ...database, address: database.address() }, pool)),
      statementTimeoutMs: STATEMENT_MS,
    });
    const isThere = await untilLetGo(deps, source, slot.name);
    const isPublished = (await source.query(PUBLICATION, [publication.name])).rowCount > 0;
    left = [...(isThere ? [dropSlot] : []), ...(isPublished ? [dropPublication] : [])];
    const ours = [
      ...(slot.create_if_not_exists ? [dropSlot] : []),
      ...(publication.create_if_not_exists ? [dropPublication] : []),
    ];
    for (const sql of left.filter((one) => ours.includes(one))) {
      await source.query(sql);
      left = left.filter((one) => one !== sql);
    }
    return left;
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    const { message, remedy } = unreachable('Not all can be dropped in the source', error);
    deps.say(remedy === undefined ? message : `${message}. ${remedy}`);
    return left;
  } finally {
    await source?.close();
  }
}

/** Is there a slot of ours to drop? */
async function untilLetGo(deps: RemoveDatabaseDeps, source: Database, slot: string): Promise<boolean> {
  const until = deps.now() + (deps.letGoMs ?? LET_GO_MS);
  for (let waited = false; ; waited = true) {
    const { rows } = await source.query<{ active: boolean; pid: number | null; application_name: string | null }>(
      HOLDER,
      [slot],
    );
    const [holder] = rows;
    if (!holder?.active) return holder !== undefined;
    if (deps.now() > until) {
      const who = `process ${holder.pid ?? '?'} (${holder.application_name ?? 'unknown'})`;
      throw new MillraceError('unavailable', `replication slot ${slot} is still read by ${who}; nothing was removed`, {
        remedy: `Stop it, or: select pg_terminate_backend(${holder.pid ?? 'PID'}); then try again.`,
      });
    }
    if (!waited) deps.say('Capture still reads the slot: it lets it go within 30 s.');
    await deps.sleep(LOOK_MS);
  }
}
