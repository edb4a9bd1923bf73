/**
 * Removes a database: drops the replication slot, the triggers and the publication that Millrace made in a source, then
 * forgets the database. A slot that nobody reads keeps WAL until the source's disk is full, so it goes first: after death
 * on any line the same command goes on. What cannot be dropped is returned as SQL.
 */
import { removeDatabase as removeFromCatalog } from '../catalog/apply/remove-database.ts';
import { isNotedElsewhere, isSameDatabase } from '../catalog/same-source.ts';
import type { Catalog, CatalogDatabase } from '../catalog/store.ts';
import { captureDrops } from '../checks/triggers.ts';
import { limitSql } from '../db/deadline.ts';
import { type Database, openPool, type Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { optionsOf } from '../db/tls.ts';
import { unreachable } from '../model/connection-fault.ts';
import { capturesByTriggers } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { quoteIdentifier, quoteLiteral } from '../model/quote.ts';
import { isDeadlock, isLockTimeout } from '../model/sqlstate.ts';
import { readReader } from '../source/read-changes.ts';
import { readFunctions } from '../source/triggers/left.ts';
import { noSuch } from './no-such.ts';

const HOLDER = statement('admin/slot-holder');
const PUBLICATION = statement('admin/publication-is-there');
const CAPTURE = statement('admin/capture-is-there');

/** Capture looks every 30 s whether somebody wants its changes. */
const LET_GO_MS = 60_000;
const LOOK_MS = 500;
const STATEMENT_MS = 15_000;
/** Whoever writes to a table waits behind us as long: it is tried again. Less than after what Postgres looks for a deadlock. */
const LOCK_MS = 500;

export interface RemoveDatabaseDeps {
  db: Transacting;
  catalog: Catalog;
  agree(dropping: Dropping): Promise<boolean>;
  /** It may not be forgotten while that is left in the source. @throws MillraceError; absent: it may. */
  mayLeave?(removal: DatabaseRemoval): void;
  /** Milliseconds. */
  now(): number;
  sleep(ms: number): Promise<void>;
  letGoMs?: number;
}

/** What is dropped in the source: names; null what Millrace has not made. */
export interface Dropping {
  database: string;
  slot: string | null;
  publication: string | null;
  /** Schema millrace_capture, with the triggers that note changes in it. */
  triggers: boolean;
}

export interface DatabaseRemoval {
  /** SQL that drops what is left in the source. */
  left: readonly string[];
  /** Why something of ours is left there. */
  fault: MillraceError | null;
  /** Sentences about what stays because others may use it. */
  warnings: readonly string[];
}

/**
 * Undefined when nobody agreed, and nothing was removed.
 * @throws MillraceError not_found; in_use; unavailable: its slot is read by somebody else; what `agree` throws.
 */
export async function removeDatabase(deps: RemoveDatabaseDeps, name: string): Promise<DatabaseRemoval | undefined> {
  const { db, catalog } = deps;
  const database = find(catalog, name);
  ensureUnused(catalog, database);
  const { slot, publication } = database.settings;
  const dropping = {
    database: name,
    slot: slot.create_if_not_exists ? slot.name : null,
    publication: publication.create_if_not_exists ? publication.name : null,
    triggers: capturesByTriggers(database.settings),
  };
  if (!(await deps.agree(dropping))) return undefined;
  const removal = await dropThere(deps, database);
  deps.mayLeave?.(removal);
  if (!(await removeFromCatalog(db, name))) ensureUnused(catalog, database, 'a sink that was declared meanwhile');
  return removal;
}

function find({ databases }: Catalog, name: string): CatalogDatabase {
  const found = databases.find(({ settings }) => settings.name === name);
  if (found) return found;
  throw noSuch(
    'database',
    name,
    databases.map(({ settings }) => settings.name),
  );
}

function ensureUnused({ sinks }: Catalog, { no, settings: { name } }: CatalogDatabase, also?: string): void {
  const users = sinks.filter(({ databaseNo, into }) => databaseNo === no || into?.database === name);
  const names = [...users.map((sink) => sink.name), ...(also ? [also] : [])];
  if (names.length === 0) return;
  throw new MillraceError('in_use', `database ${name} is used by ${names.join(', ')}`, {
    remedy: `Remove it first: bin/millrace sink remove ${users[0]?.name ?? 'NAME'}`,
  });
}

/** @throws MillraceError unavailable when somebody keeps reading the slot. */
async function dropThere(deps: RemoveDatabaseDeps, database: CatalogDatabase): Promise<DatabaseRemoval> {
  const { slot, publication } = database.settings;
  const dropSlot = `select pg_drop_replication_slot(${quoteLiteral(slot.name)})`;
  const dropPublication = `drop publication ${quoteIdentifier(publication.name)}`;
  const byTriggers = capturesByTriggers(database.settings);
  // The name of a slot that triggers have no need of may be anybody's.
  const mayHaveSlot = !byTriggers || slot.create_if_not_exists;
  let left = [...(mayHaveSlot ? [dropSlot] : []), ...(byTriggers ? captureDrops([]) : []), dropPublication];
  let source: Database | undefined;
  try {
    const pool = { max: 1, applicationName: `millrace remove ${database.settings.name}` };
    source = openPool({
      ...(await optionsOf({ ...database, address: database.address() }, pool)),
      statementTimeoutMs: STATEMENT_MS,
      queryTimeoutMs: STATEMENT_MS + 1_000,
    });
    const isThere = mayHaveSlot && (await untilLetGo(deps, source, slot.name));
    const isMade = byTriggers
      ? await untilUnread(deps, source, database)
      : // From before a switch of the way.
        (await source.query<{ made: boolean }>(CAPTURE, [''])).rows[0]!.made;
    // Another entry, or another service, may capture the same database by them.
    const isNoted = (await readReader(source)) !== undefined;
    const mayGo = isMade && !isNotedElsewhere(deps.catalog.databases, database) && !isNoted;
    const { rows: published } = await source.query<{ slot: string | null }>(PUBLICATION, [
      publication.name,
      mayHaveSlot ? slot.name : '',
    ]);
    const user = published[0] && (publicationUser(deps.catalog, database) ?? readerOf(published[0].slot, isNoted));
    const drops = mayGo ? captureDrops(await readFunctions(source)) : [];
    left = [...(isThere ? [dropSlot] : []), ...drops, ...(published[0] && !user ? [dropPublication] : [])];
    const warnings =
      user === undefined ? [] : [`Publication ${publication.name} stays: ${user}. If it is not: ${dropPublication}`];
    const ours = [
      ...(slot.create_if_not_exists ? [dropSlot] : []),
      ...(byTriggers ? drops : []),
      ...(publication.create_if_not_exists ? [dropPublication] : []),
    ];
    for (const sql of left.filter((one) => ours.includes(one))) {
      await (drops.includes(sql) ? inTurns(deps, source, sql) : source.query(sql));
      left = left.filter((one) => one !== sql);
    }
    return { left, fault: null, warnings };
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    return { left, fault: unreachable('Not all can be dropped in the source', error), warnings: [] };
  } finally {
    await source?.close();
  }
}

/** Another entry whose sinks read by the same publication. */
function publicationUser({ databases, sinks }: Catalog, database: CatalogDatabase): string | undefined {
  const user = databases.find(
    (other) =>
      other.no !== database.no &&
      isSameDatabase(other, database) &&
      other.settings.publication.name === database.settings.publication.name &&
      sinks.some(({ databaseNo }) => databaseNo === other.no),
  );
  return user && `it is used for database ${user.settings.name}`;
}

/** A slot does not say which publication it is read by. */
function readerOf(slot: string | null, isNoted: boolean): string | undefined {
  if (isNoted) return 'it may be used by another service, which reads what triggers note here';
  return slot === null ? undefined : `it may be used for replication slot ${slot}`;
}

/** Is there a slot of ours to drop? */
async function untilLetGo(deps: RemoveDatabaseDeps, source: Database, slot: string): Promise<boolean> {
  const until = deps.now() + (deps.letGoMs ?? LET_GO_MS);
  for (;;) {
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
        facts: { slot, pid: holder.pid },
      });
    }
    await deps.sleep(LOOK_MS);
  }
}

/** Is there a schema of ours to drop? Capture that still reads would make it again. */
async function untilUnread(deps: RemoveDatabaseDeps, source: Database, database: CatalogDatabase): Promise<boolean> {
  const until = deps.now() + (deps.letGoMs ?? LET_GO_MS);
  for (;;) {
    const { rows } = await source.query<{ made: boolean; pid: number | null }>(CAPTURE, [
      `millrace capture ${database.settings.name}`,
    ]);
    const { made, pid } = rows[0]!;
    if (pid === null) return made;
    if (deps.now() > until) {
      const message = `what triggers note is still read by process ${pid} (capture); nothing was removed`;
      throw new MillraceError('unavailable', message, {
        remedy: `Stop it, or: select pg_terminate_backend(${pid}); then try again.`,
        facts: { pid },
      });
    }
    await deps.sleep(LOOK_MS);
  }
}

/**
 * Whoever holds a table is waited for in short turns, so that nobody queues up behind us. The triggers of each table go with their function,
 * by themselves: nobody writes to two tables of which we hold one and wait for the other.
 */
async function inTurns(deps: RemoveDatabaseDeps, source: Database, sql: string): Promise<void> {
  const until = deps.now() + STATEMENT_MS;
  for (;;) {
    try {
      await source.transaction(async (tx) => {
        await tx.query(limitSql({ lockMs: LOCK_MS }));
        await tx.query(sql);
      });
      return;
    } catch (error) {
      if (!(isLockTimeout(error) || isDeadlock(error)) || deps.now() > until) throw error;
    }
    await deps.sleep(LOOK_MS);
  }
}
