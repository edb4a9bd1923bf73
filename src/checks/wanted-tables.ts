/**
 * Tables that a sink wants and whose changes do not come as they should: not there, not published, or published in a way
 * that breaks something.
 */
import type { SinkSettings } from '../model/declared.ts';
import type { NamedRelation, PublishedTable } from '../model/published-table.ts';
import { millrace, quoteIdentifier, quoteTable } from '../model/quote.ts';
import { qualified, takerOf, takesIn } from '../model/taken-in.ts';
import { byHand, type Finding, inSource, warning } from './finding.ts';
import { logging, neverCaptured } from './never-captured.ts';
import type { PublicationFacts } from './publication.ts';
import { checkTable, generatedLeftOut } from './table.ts';
import { checkTriggered, type TriggeredTable } from './triggers.ts';

/** Oids by name, of tables that were seen in the publication, or whose changes have come. */
export type KnownTables = ReadonlyMap<string, ReadonlySet<number>>;

export function knownTables(rows: readonly { oid: number; name: string }[]): KnownTables {
  const byName = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byName].map(([name, group]) => [name, new Set(group.map(({ oid }) => oid))]));
}

export interface PublishedTables extends PublicationFacts {
  tables: readonly PublishedTable[];
  /** Tables that somebody has locked, so that they could not come in or go out yet. */
  locked: readonly PublishedTable[];
  /** How the changes of those that are listed are noted; absent: by replication. */
  triggers?: ReadonlyMap<number, TriggeredTable>;
  /** Tables for which the server refused that: by oid, what it said. */
  refused: ReadonlyMap<number, string>;
  /** What is called as `inVain` says. */
  others?: readonly NamedRelation[];
}

export interface WantedTableFinding extends Finding {
  sinkNo: number;
  /** `schema.table` */
  table: string;
  /** Behind the repair the sink is to be brought up to date. */
  catchUp: boolean;
}

export const nameOf = (table: { schema: string; name: string }): string => `${table.schema}.${table.name}`;

/** A name that was known by another oid only is a table that was dropped and created again. */
export function wasRecreated(table: PublishedTable, known: KnownTables): boolean {
  const oids = known.get(nameOf(table));
  return oids !== undefined && !oids.has(table.oid);
}

export function checkWantedTables(
  sinks: readonly { no: number; settings: SinkSettings }[],
  publication: PublishedTables,
  known: KnownTables,
): WantedTableFinding[] {
  const by = lookedThrough(publication, known);
  return sinks
    .filter(({ settings }) => settings.status !== 'disabled')
    .flatMap(({ no, settings }) =>
      [
        ...checkNamed(settings, by, known),
        ...checkSchemas(settings, publication, known),
        ...checkExcluded(settings, publication, known),
        ...checkUnlogged(settings, publication, known),
        ...checkTaken(settings, by),
      ].map((finding) => ({ sinkNo: no, ...finding, item: finding.table })),
    );
}

type OfSink = Omit<WantedTableFinding, 'sinkNo'>;

/** There may be thousands of tables, and of sinks: none goes through all for those that it names, and each is judged once for all of them. */
interface LookedThrough extends PublishedTables {
  byName: ReadonlyMap<string, readonly PublishedTable[]>;
  judged(table: PublishedTable): OfSink[];
}

function lookedThrough(publication: PublishedTables, known: KnownTables): LookedThrough {
  const locked = new Set(publication.locked.map(({ oid }) => oid));
  const found = new Map<PublishedTable, OfSink[]>();
  const judged = (table: PublishedTable): OfSink[] => {
    const judgement = found.get(table) ?? checkOne(publication, table, { known, isLocked: locked.has(table.oid) });
    found.set(table, judgement);
    return judgement;
  };
  return { ...publication, byName: Map.groupBy(publication.tables, nameOf), judged };
}

/** Names of tables, as `schema.table`, that sinks name or that came, and that no table has that could be captured. */
export function inVain(
  sinks: readonly { settings: SinkSettings }[],
  { tables }: Pick<PublishedTables, 'tables'>,
  known: KnownTables,
): string[] {
  const there = new Set(tables.map(nameOf));
  const named = sinks.flatMap(({ settings }) => settings.source.include_tables ?? []).map(qualified);
  return [...new Set([...named, ...known.keys()])].filter((table) => !there.has(table));
}

/** Are the tables there that it names? */
function checkNamed(settings: SinkSettings, publication: LookedThrough, known: KnownTables): OfSink[] {
  const named = new Set(settings.source.include_tables?.map(qualified));
  return [...named].flatMap((table) => {
    if (publication.byName.has(table)) return [];
    const renamed = renamedTo(table, publication, known);
    const other = publication.others?.find((one) => nameOf(one) === table);
    // Changes come under the name of the partition then.
    if (other?.kind === 'partition' && !publication.viaRoot && !publication.byTriggers) return [];
    if (!renamed && other) return [{ table, catchUp: false, ...neverCaptured('table_missing', other) }];
    if (!renamed)
      return [{ table, catchUp: false, ...warning('table_missing', `there is no table ${table}`, NOTHING) }];
    const summary = `table ${table} is called ${nameOf(renamed)} now${renamed.published ? ': its changes still come' : ''}`;
    const repair = byHand(`Write ${nameOf(renamed)} into include_tables.`);
    return [
      { table, catchUp: false, ...warning('table_missing', summary, repair) },
      ...(takesIn(settings.source, renamed) ? [] : publication.judged(renamed)),
    ];
  });
}

const NOTHING = { remedy: null, sql: null, runOn: null };

/** Are there any tables in the schemas that it names? It stays bound to none that is moved to another one. */
function checkSchemas({ name, source }: SinkSettings, publication: PublishedTables, known: KnownTables): OfSink[] {
  // Tables that it names are looked for one by one, and partitions, whose names changes may come under, are not known here.
  if (!source.include_schemas || source.include_tables) return [];
  if (!publication.viaRoot && publication.tables.some((table) => table.partitioned)) return [];
  const there = new Set(publication.tables.map(({ schema }) => schema));
  return source.include_schemas
    .filter((schema) => !there.has(schema))
    .map((schema) => {
      const table = `${schema}.*`;
      const formerOf = formerNames(known, (name) => name.startsWith(`${schema}.`));
      const now = publication.tables.find(({ oid }) => formerOf.has(oid));
      if (!now)
        return { table, catchUp: false, ...warning('table_missing', `there is no table in schema ${schema}`, NOTHING) };
      const former = formerOf.get(now.oid);
      const summary = `there is no table in schema ${schema} any more, and ${former} is called ${nameOf(now)} now`;
      const send = `then send what was missed: ${millrace('backfill', name)}`;
      const repair = byHand(`Write ${now.schema} into include_schemas, ${send}`);
      return { table, catchUp: false, ...warning('table_missing', summary, repair) };
    });
}

/**
 * Tables that it leaves out by a name which they do not have any more: now their changes come. One that took the place of another table,
 * whose name it has, is meant to come.
 */
function checkExcluded({ source }: SinkSettings, publication: PublishedTables, known: KnownTables): OfSink[] {
  if (!source.exclude_tables && !source.exclude_schemas) return [];
  const there = new Set(publication.tables.map(({ schema }) => schema));
  const takes = takerOf(source);
  const excluded = new Set(source.exclude_tables?.map(qualified));
  const gone = (source.exclude_schemas ?? []).filter((schema) => !there.has(schema));
  if (excluded.size + gone.length === 0) return [];
  const formerOf = formerNames(
    known,
    (name) => excluded.has(name) || gone.some((schema) => name.startsWith(`${schema}.`)),
  );
  return publication.tables
    .filter((table) => table.published && takes(table))
    .filter((table) => [...(known.get(nameOf(table)) ?? [])].every((oid) => oid === table.oid))
    .flatMap((table) => {
      const name = nameOf(table);
      const was = formerOf.get(table.oid);
      if (was === undefined) return [];
      const summary = `table ${was}, which the sink leaves out, is called ${name} now: its changes come`;
      const repair = byHand(
        `Write ${name} into exclude_tables. If its changes are wanted, remove the former name there.`,
      );
      return [{ table: was, catchUp: false, ...warning('table_missing', summary, repair) }];
    });
}

/** Tables that came, and that it takes in without naming them, are not captured any more since they are unlogged. */
function checkUnlogged({ source }: SinkSettings, { others = [] }: PublishedTables, known: KnownTables): OfSink[] {
  const takes = takerOf(source);
  const named = new Set(source.include_tables?.map(qualified));
  return others
    .filter((one) => one.kind === 'unlogged' && takes(one))
    .filter((one) => known.has(nameOf(one)) && !named.has(nameOf(one)))
    .map((one) => ({
      ...{ table: nameOf(one), catchUp: false },
      ...warning('not_published', `${nameOf(one)} is unlogged now: Postgres tells nobody of its changes`, logging(one)),
    }));
}

/** Those that it takes in, one by one. */
function checkTaken({ source }: SinkSettings, { tables, byName, judged }: LookedThrough): OfSink[] {
  const named = source.include_tables && new Set(source.include_tables.map(qualified));
  const asked = named ? [...named].flatMap((name) => byName.get(name) ?? []) : tables;
  return asked.filter(takerOf(source)).flatMap(judged);
}

function checkOne(
  publication: PublishedTables,
  table: PublishedTable,
  { known, isLocked }: { known: KnownTables; isLocked: boolean },
): OfSink[] {
  const refused = publication.refused.get(table.oid);
  const found = isLocked
    ? [lockedOut(table)]
    : refused !== undefined
      ? [refusedBySource(publication, table, refused)]
      : [
          checkTable(publication, table, wasRecreated(table, known)),
          triggeredIn(publication, table),
          generatedLeftOut(publication, table),
        ];
  return found
    .filter((one) => one !== undefined)
    .map((one) => ({ table: nameOf(table), catchUp: one.id === 'table_detached', ...one }));
}

function triggeredIn(publication: PublishedTables, table: PublishedTable): Finding | undefined {
  const triggered = table.published ? publication.triggers?.get(table.oid) : undefined;
  return triggered && checkTriggered(triggered, publication);
}

function lockedOut(table: PublishedTable): Finding {
  const verb = table.published ? 'leave' : 'come into';
  return warning(
    'not_published',
    `${nameOf(table)} is to ${verb} the publication, and somebody has it locked: it is tried again each 30 s`,
    inSource(
      `select pid, mode, query from pg_locks join pg_stat_activity using (pid) where relation = ${table.oid} and granted`,
    ),
  );
}

function refusedBySource({ name }: PublicationFacts, table: PublishedTable, why: string): Finding {
  const [verb, alter] = table.published ? ['leave', 'drop'] : ['come into', 'add'];
  return warning(
    'not_published',
    `${nameOf(table)} is to ${verb} the publication, and its database refuses that: ${why}`,
    inSource(
      `alter publication ${quoteIdentifier(name)} ${alter} table only ${quoteTable(table)}`,
      'it is tried again each 30 s',
    ),
  );
}

/** By oid: such a name that the table had when it came. */
function formerNames(known: KnownTables, isWanted: (name: string) => boolean): Map<number, string> {
  const wanted = [...known].filter(([name]) => isWanted(name));
  return new Map(wanted.flatMap(([name, oids]) => [...oids].map((oid): [number, string] => [oid, name])));
}

function renamedTo(name: string, { tables }: PublishedTables, known: KnownTables): PublishedTable | undefined {
  const oids = known.get(name);
  return oids && tables.find(({ oid }) => oids.has(oid));
}
