/**
 * A source table as capture knows it after its Relation message: its key (relation-key.ts), its codec, its number among our source tables, and the sinks that want its changes.
 */

import { isDeepStrictEqual } from 'node:util';
import { compileRelation, type RowCodec } from '../codec/row.ts';
import type { RelationMessage } from '../codec/row-message.ts';
import type { TypeCatalogue } from '../codec/types.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { addNotices, noteMissed } from '../notices/add.ts';
import type { ComparedKey } from '../source/given-keys.ts';
import { loadTypes } from '../source/types.ts';
import { type Match, matchTable, type Route, type SinkEntry, type TableShape } from './match.ts';
import { keyNotices, keyShapeOf } from './other-key.ts';
import { type FactsDeps, readFacts, type TableFacts } from './relation-facts.ts';
import { hiddenOf, keyThen, namesNow } from './relation-key.ts';
import { isDone, type SaidNotices } from './said-notices.ts';
import { type ComputedColumn, widenRelation } from './widen.ts';

const KNOW_KEYS = statement('routing/know-keys');
const NOTE_NAMES = statement('routing/note-names');
const LEFT_OUT = statement('routing/left-out');

/** Ours: never captured, whatever a publication lists. */
const OWN_SCHEMAS = new Set(['millrace', 'millrace_private', 'millrace_jobs', 'millrace_capture']);
/** Kept beside change tables, in whatever schema they are. */
const PROGRESS_TABLE = 'millrace_progress';

export interface LoadedRelation {
  oid: number;
  schema: string;
  name: string;
  codec: RowCodec;
  /** Key columns in key order, as they are now; empty when the table does not have them any more. */
  keyTypes: readonly ComparedKey[];
  /** Its rows may pass on their keys within a transaction (capture/replication/passed-keys.ts). */
  isKeyDeferrable: boolean;
  /** What columns are called now, by the names in the message, as far as they are there. */
  namesNow: ReadonlyMap<string, string>;
  sourceTable: number;
  /** What it was loaded for, with a place for what is computed: load again when its types have changed. */
  message: RelationMessage;
  /** Columns that its changes do not bring, and that are computed. */
  computed: readonly ComputedColumn[];
  /** Types that are not Postgres' own, as they were. */
  types: TypeCatalogue;
  /** Some of them have attributes, which may get other names or others between them: no message tells so. */
  hasAttributes: boolean;
  routes: readonly Route[];
  /** What its routes were made of. */
  shape: TableShape;
  /** Its changes are shown as those of the table that it is a partition of. */
  isShownAsRoot: boolean;
  /** For `SaidNotices`. */
  load: number;
}

export interface RelationDeps extends FactsDeps {
  sinks: readonly SinkEntry[];
  /** Event tables of retentions in this database, `schema.table`. */
  changeTables: ReadonlySet<string>;
  said: SaidNotices;
}

/** Loads one beside the stream: what the message does not say. Replaces the table's notices on every sink. */
export async function loadRelation(deps: RelationDeps, sent: RelationMessage): Promise<LoadedRelation> {
  return (await loadAll(deps, [sent], 0))[0]!;
}

/** The same of several tables of the stream, which all differ, in their order. */
export async function loadRelations(deps: RelationDeps, sent: readonly RelationMessage[]): Promise<LoadedRelation[]> {
  return await loadAll(deps, sent, deps.said.begin());
}

async function loadAll(deps: RelationDeps, sent: readonly RelationMessage[], load: number): Promise<LoadedRelation[]> {
  const facts = await readFacts(deps, sent);
  const tables = sent.map((message, i) => knownTable(message, { facts: facts[i]!, load }));
  if (load > 0) await noteNames(deps, tables);
  const relations = await Promise.all(tables.map((table) => finished(deps, table)));
  await knowKeys(
    deps,
    tables.map((table, i) => ({ ...table, relation: relations[i]! })),
  );
  return relations;
}

/** Which sinks get its changes depends on its name: who looks at the tables learns what each was called meanwhile. */
async function noteNames({ messages, databaseNo }: RelationDeps, tables: readonly KnownTable[]): Promise<void> {
  const renamed = tables.filter(({ facts }) => facts.hasOtherNames);
  if (renamed.length === 0) return;
  const oids = renamed.map(({ message }) => message.oid);
  const cameAs = renamed.map(({ message: { schema, name }, facts }) =>
    JSON.stringify({ schema, name, free: facts.earlierNames }),
  );
  await messages.query(NOTE_NAMES, [databaseNo, oids, cameAs]);
}

/** Remembers the keys that are others than before, once the sinks are told what that means for them. */
async function knowKeys(
  deps: RelationDeps,
  tables: readonly (KnownTable & { relation: LoadedRelation })[],
): Promise<void> {
  const others = tables.flatMap(({ facts, message, keyColumns, relation: { types, routes, isShownAsRoot } }) => {
    if (keyColumns.length === 0) return [];
    const { now, keyShape, isKeyTold } = facts;
    const shape = keyShapeOf(message, { now, keyColumns, types });
    const isSame = isDeepStrictEqual(keyShape, shape);
    if (isSame && isKeyTold && isDeepStrictEqual(now.known, keyColumns)) return [];
    const before = { shape: keyShape ?? shape, names: now.known ?? keyColumns };
    const change = { table: `${message.schema}.${message.name}`, before, now: { shape, names: keyColumns }, types };
    const notices = isSame || isShownAsRoot ? [] : keyNotices(change, routes);
    return [{ no: facts.no, key: JSON.stringify(keyColumns), shape: JSON.stringify(shape), notices }];
  });
  if (others.length === 0) return;
  const notices = others.flatMap((one) => one.notices);
  const isSaid = notices.length === 0 || (await isDone(addNotices(deps.messages, notices)));
  // What could not be said is said when the table is loaded again.
  const shapes = others.map((one) => (isSaid || one.notices.length === 0 ? one.shape : null));
  await deps.messages.query(KNOW_KEYS, [others.map(({ no }) => no), others.map(({ key }) => key), shapes]);
}

/** Sinks that left the table out while it had no key are told so before the notice of that goes away. */
async function noteLeftOut(
  { messages, databaseNo }: RelationDeps,
  { schema, name }: RelationMessage,
  routes: readonly Route[],
): Promise<void> {
  const table = `${schema}.${name}`;
  const { rows } = await messages.query<{ no: number }>(LEFT_OUT, [databaseNo, table]);
  const sinks = rows.map(({ no }) => no).filter((no) => routes.some(({ sinkNo }) => sinkNo === no));
  const message = `${table} had no primary key for a while: its rows and changes of that time are missing`;
  if (sinks.length > 0) await noteMissed(messages, sinks, { code: 'changes_left_out', table, message });
}

interface KnownTable {
  facts: TableFacts;
  /** With a place for what is computed. */
  message: RelationMessage;
  computed: readonly ComputedColumn[];
  keyColumns: readonly string[];
  load: number;
}

function knownTable(sent: RelationMessage, { facts, load }: Pick<KnownTable, 'facts' | 'load'>): KnownTable {
  const { message, computed } = widenRelation(sent, facts.generated, facts.now);
  return { facts, load, message, computed, keyColumns: keyThen(message, facts.now) };
}

async function finished(
  deps: RelationDeps,
  { facts, message, computed, keyColumns, load }: KnownTable,
): Promise<LoadedRelation> {
  const { oid, schema, name } = message;
  const { now, keyNow, isKeyDeferrable, partitioned, earlierNames, isShownAsRoot } = facts;
  const types = await loadTypes(
    deps.source,
    message.columns.map((column) => column.typeOid),
  );
  const codec = compileRelation(types, message, { keyColumns, partitioned });
  const hiddenKey = keyColumns.length === 0 ? hiddenOf(message, now) : [];
  const shape = { ...message, keyColumns, hiddenKey, types, earlierNames };
  const { routes } = matchOf(deps, shape);
  const { isNoted } = facts;
  if (!isShownAsRoot && isNoted && keyColumns.length > 0) await noteLeftOut(deps, message, routes);
  const notices = () => matchOf(deps, shape).notices;
  if (!isShownAsRoot) await deps.said.say(deps, { oid, schema, name, load }, { notices, isNoted });
  const names = namesNow(message, now);
  const keyTypes = keyColumns.flatMap((column) => keyNow.find((one) => one.name === names.get(column)) ?? []);
  return {
    ...{
      oid,
      schema,
      name,
      codec,
      sourceTable: facts.no,
      message,
      computed,
      types,
      hasAttributes: haveAttributes(types),
      routes,
      shape,
      isShownAsRoot,
      isKeyDeferrable,
      load,
    },
    keyTypes: keyTypes.length === keyColumns.length ? keyTypes : [],
    namesNow: names,
  };
}

const matchOf = (deps: Pick<RelationDeps, 'sinks' | 'changeTables'>, shape: TableShape): Match =>
  OWN_SCHEMAS.has(shape.schema) || shape.name === PROGRESS_TABLE
    ? { routes: [], notices: [] }
    : matchTable(deps.sinks, shape, deps.changeTables);

/** The relation with the routes that the sinks of now give it. */
export const routedAgain = (deps: RelationDeps, relation: LoadedRelation): LoadedRelation => ({
  ...relation,
  routes: matchOf(deps, relation.shape).routes,
});

/** Says what the sinks of now make of these tables, where it is not what was said. */
export async function noteAgain(deps: RelationDeps, relations: Iterable<LoadedRelation>): Promise<void> {
  for (const relation of [...relations]) {
    if (relation.isShownAsRoot) continue;
    const notices = () => matchOf(deps, relation.shape).notices;
    await deps.said.say(deps, relation, { notices, isNoted: false });
  }
}

const haveAttributes = (types: TypeCatalogue): boolean => [...types.values()].some(({ kind }) => kind === 'composite');

/** The relation with its types as they are now; itself when they have not changed. */
export async function renewTypes(source: Database, relation: LoadedRelation): Promise<LoadedRelation> {
  const { message } = relation;
  const types = await loadTypes(
    source,
    message.columns.map((column) => column.typeOid),
  );
  if (JSON.stringify([...types]) === JSON.stringify([...relation.types])) return relation;
  const keyColumns = relation.codec.keyIndexes.map((index) => relation.codec.columns[index]!.name);
  const { partitioned } = relation.codec;
  const shape = { ...relation.shape, types };
  return {
    ...relation,
    types,
    hasAttributes: haveAttributes(types),
    shape,
    codec: compileRelation(types, message, { keyColumns, partitioned }),
  };
}
