/** What is looked at in a source in either way of capture: its list of tables, what there is room for, what is as it should be. */
import { isSource } from '../../catalog/apply/stored.ts';
import type { Catalog, CatalogDatabase, CatalogSink } from '../../catalog/store.ts';
import type { CapacityFacts } from '../../checks/capacity.ts';
import type { Now } from '../../checks/continuity.ts';
import type { Finding } from '../../checks/finding.ts';
import { initSqlFailed, plannedPublication, publicationMissing } from '../../checks/publication.ts';
import { checkServer } from '../../checks/server.ts';
import type { TriggerFacts } from '../../checks/triggers.ts';
import {
  checkWantedTables,
  inVain,
  knownTables,
  type PublishedTables,
  type WantedTableFinding,
} from '../../checks/wanted-tables.ts';
import type { WellFacts } from '../../checks/well.ts';
import type { Database, PoolOptions, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { StoredPosition } from '../../messages/position.ts';
import { capturesByTriggers, type DatabaseSettings } from '../../model/declared.ts';
import type { PublishedTable } from '../../model/published-table.ts';
import { takesIn } from '../../model/taken-in.ts';
import {
  isWanted,
  publicationSql,
  refusedBeforehand,
  standardPublicationSql,
  wantedPublication,
} from '../../source/publication.ts';
import { readNamed, readTables } from '../../source/tables.ts';

const ROOM = statement('db/count-room');
const KNOWN = statement('capture/known-tables');
const TLS = 'select version as tls from pg_catalog.pg_stat_ssl where pid = pg_backend_pid() and ssl';
const CATCH_UP = statement('admin/doctor/catch-up');

export interface SourceLook {
  /** Of the database. */
  findings: Finding[];
  /** Of its sinks: how the changes of their tables come. Undefined: not looked at. */
  tables: WantedTableFinding[] | undefined;
}

export interface LookedAt {
  database: CatalogDatabase;
  /** All that the catalog has; absent: it is none of them. */
  databases?: readonly CatalogDatabase[];
  /** That read from it. */
  sinks: readonly CatalogSink[];
  /** As capture said last; null: no sink reads from it. */
  state: string | null;
  /** What capture said with it. */
  reason: string | null;
  /** It is to be captured, whether or not a sink reads from it; absent: where one does. */
  isSource?: boolean;
  /** What is as it should be is told too. */
  whole?: boolean;
}

/** The database and its sinks, and whether it is a source at all. */
export function lookedAt(
  catalog: Catalog,
  database: CatalogDatabase,
): Pick<LookedAt, 'database' | 'sinks' | 'isSource'> {
  const sinks = catalog.sinks.filter(({ databaseNo }) => databaseNo === database.no);
  return { database, sinks, ...(isSource(database.settings, sinks) ? {} : { isSource: false }) };
}

export interface Reached {
  messages: Queryable;
  source: Database;
  options: PoolOptions;
}

export const roomOf = async (source: Database): Promise<number> =>
  (await source.query<{ room: number }>(ROOM)).rows[0]!.room;

type Found = Pick<Now, 'source' | 'publication'> &
  ({ slot: Now['slot']; capacity: CapacityFacts } | { triggers: TriggerFacts });

export async function wellFacts(
  { source }: Pick<Reached, 'source'>,
  { database, isSource }: LookedAt,
  now: Found,
): Promise<WellFacts> {
  const { source: facts, publication } = now;
  const { settings } = database;
  const { name, create_if_not_exists: isOurs } = settings.publication;
  const { rows } = await source.query<{ tls: string | null }>(TLS);
  const planned = { version: facts.version, isOurs, byTriggers: capturesByTriggers(settings) };
  const published = publication ?? plannedPublication(name, planned);
  const tables = isSource === false ? [] : await readTables(source, name);
  const come = tables.filter((table) => table.published || (published.ours && isWanted(table, published)));
  return {
    address: database.address(),
    tls: rows[0]?.tls ?? null,
    source: facts,
    capture:
      isSource === false
        ? null
        : {
            ...('triggers' in now
              ? { triggers: triggeredOf(now.triggers) }
              : {
                  capacity: now.capacity,
                  slot: { name: settings.slot.name, isThere: now.slot !== undefined },
                }),
            publication: { name, isThere: publication !== undefined },
            tables: { all: tables.length, come: come.length },
          },
  };
}

/** What capture reads from; nobody has asked for it yet where it is not there, or it would be a finding. */
export function inPlace(what: 'slot' | 'triggers', isThere: unknown, isRead: boolean): string {
  const both = `the ${what} and the publication`;
  if (isThere) return `${both} are in place`;
  return isRead ? `${both} are made as soon as capture runs` : 'capture begins with the first sink that reads from it';
}

const triggeredOf = ({ schemaVersion, tables }: TriggerFacts) => ({
  hasSchema: schemaVersion !== null,
  tables: [...tables.values()].filter(({ hasTriggers }) => hasTriggers).length,
});

export const formerSlots = (stored: StoredPosition | undefined): string[] => [
  ...(stored?.formerSlots ?? []),
  ...(stored?.identity ? [stored.identity.slotName] : []),
];

export async function missingPublication(
  source: Database,
  settings: DatabaseSettings,
  {
    source: facts,
    publication,
    sinks,
    state,
    reason,
  }: Pick<Now, 'source' | 'publication'> & Pick<LookedAt, 'sinks' | 'state' | 'reason'>,
): Promise<Finding[]> {
  if (publication) return [];
  const wanted = { ...wantedPublication(settings, sinks), byTriggers: capturesByTriggers(settings) };
  const { name } = wanted;
  if (!wanted.create_if_not_exists)
    return [publicationMissing(name, await publicationSql(source, wanted, facts.version))];
  if (wanted.init_sql === null) {
    const refused = await refusedBeforehand(source, wanted, facts.version);
    return refused ? [refused] : [];
  }
  // Whoever found fault with the server did not come to it.
  if (state !== 'error' || checkServer(facts, settings.capture).length > 0) return [];
  const sql = await standardPublicationSql(source, wanted, facts.version);
  return [initSqlFailed(name, { reason, sql })];
}

/** Oids of the published tables that some sink takes in. */
export const takenIn = (tables: readonly PublishedTable[], sinks: readonly CatalogSink[]): number[] =>
  tables
    .filter((table) => table.published && sinks.some(({ settings }) => takesIn(settings.source, table)))
    .map(({ oid }) => oid);

export async function wantedTables(
  { source, messages }: Pick<Reached, 'source' | 'messages'>,
  publication: PublishedTables,
  { database, sinks }: Pick<LookedAt, 'database' | 'sinks'>,
): Promise<WantedTableFinding[]> {
  const { rows } = await messages.query<{ oid: number; name: string }>(KNOWN, [database.no]);
  const known = knownTables(rows);
  const others = await readNamed(source, inVain(sinks, publication, known));
  const found = checkWantedTables(sinks, { ...publication, others }, known);
  return await Promise.all(found.map((finding) => withCatchUp(messages, finding)));
}

/** What was missed meanwhile is made good behind the repair. */
async function withCatchUp(messages: Queryable, finding: WantedTableFinding): Promise<WantedTableFinding> {
  if (!finding.catchUp) return finding;
  const { rows } = await messages.query<{ remedy: string }>(CATCH_UP, [finding.sinkNo, finding.id, finding.table]);
  return { ...finding, remedy: [finding.remedy, `then: ${rows[0]!.remedy}`].filter(Boolean).join('; ') };
}
