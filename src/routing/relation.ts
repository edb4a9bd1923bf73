/**
 * A source table as capture knows it after its Relation message: its key (relation-key.ts), its codec, its number among our source tables, and the sinks that want its changes.
 */

import { isDeepStrictEqual } from 'node:util';
import { compileRelation, type RowCodec } from '../codec/row.ts';
import type { RelationMessage } from '../codec/row-message.ts';
import type { TypeCatalogue } from '../codec/types.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { isDeadlock, isForeignKeyViolation } from '../model/sqlstate.ts';
import type { SinkNotice } from '../notices/notice.ts';
import { replaceNotices } from '../notices/replace.ts';
import type { ComparedKey } from '../source/given-keys.ts';
import { loadTypes } from '../source/types.ts';
import { type Match, matchTable, type Route, type SinkEntry, type TableShape } from './match.ts';
import { type FactsDeps, readFacts, type TableFacts } from './relation-facts.ts';
import { hiddenOf, keyThen, namesNow } from './relation-key.ts';
import { type ComputedColumn, widenRelation } from './widen.ts';

const KNOW_KEYS = statement('routing/know-keys');

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
  /** What columns are called now, by the names in the message, as far as they are there. */
  namesNow: ReadonlyMap<string, string>;
  sourceTable: number;
  /** What it was loaded for, with a place for what is computed: load again when its types have changed. */
  message: RelationMessage;
  /** Columns that its changes do not bring, and that are computed. */
  computed: readonly ComputedColumn[];
  /** Types that are not Postgres' own, as they were. */
  types: TypeCatalogue;
  routes: readonly Route[];
  /** What its routes were made of. */
  shape: TableShape;
  /** Its changes are shown as those of the table that it is a partition of. */
  isShownAsRoot: boolean;
}

export interface RelationDeps extends FactsDeps {
  sinks: readonly SinkEntry[];
  /** Event tables of retentions in this database, `schema.table`. */
  changeTables: ReadonlySet<string>;
  /** Notices as they were said last, by the table's oid. */
  said: Map<number, string>;
}

/** Loads what the message does not say, and replaces the table's notices on every sink. */
export async function loadRelation(deps: RelationDeps, sent: RelationMessage): Promise<LoadedRelation> {
  return (await loadRelations(deps, [sent]))[0]!;
}

/** The same of several tables, which all differ, in their order. */
export async function loadRelations(deps: RelationDeps, sent: readonly RelationMessage[]): Promise<LoadedRelation[]> {
  const facts = await readFacts(deps, sent);
  const tables = sent.map((message, i) => knownTable(message, facts[i]!));
  const told = tables.filter(({ facts: { now, isKeyTold }, keyColumns }) => {
    return keyColumns.length > 0 && !(isKeyTold && isDeepStrictEqual(now.known, keyColumns));
  });
  if (told.length > 0) {
    const keys = told.map(({ keyColumns }) => JSON.stringify(keyColumns));
    await deps.messages.query(KNOW_KEYS, [told.map(({ facts }) => facts.no), keys]);
  }
  return await Promise.all(tables.map((table) => finished(deps, table)));
}

interface KnownTable {
  facts: TableFacts;
  /** With a place for what is computed. */
  message: RelationMessage;
  computed: readonly ComputedColumn[];
  keyColumns: readonly string[];
}

function knownTable(sent: RelationMessage, facts: TableFacts): KnownTable {
  const { message, computed } = widenRelation(sent, facts.generated, facts.now);
  return { facts, message, computed, keyColumns: keyThen(message, facts.now) };
}

async function finished(
  deps: RelationDeps,
  { facts, message, computed, keyColumns }: KnownTable,
): Promise<LoadedRelation> {
  const { oid, schema, name } = message;
  const { now, keyNow, partitioned, earlierNames, isShownAsRoot } = facts;
  const types = await loadTypes(
    deps.source,
    message.columns.map((column) => column.typeOid),
  );
  const codec = compileRelation(types, message, { keyColumns, partitioned });
  const hiddenKey = keyColumns.length === 0 ? hiddenOf(message, now) : [];
  const shape = { ...message, keyColumns, hiddenKey, types, earlierNames };
  const { routes, notices } = matchOf(deps, shape);
  if (!isShownAsRoot && (facts.isNoted || notices.length > 0)) await note(deps, message, notices);
  else if (!isShownAsRoot) deps.said.set(oid, JSON.stringify(notices));
  const names = namesNow(message, now);
  const keyTypes = keyColumns.flatMap((column) => keyNow.find((one) => one.name === names.get(column)) ?? []);
  return {
    ...{ oid, schema, name, codec, sourceTable: facts.no, message, computed, types, routes, shape, isShownAsRoot },
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
    const { notices } = matchOf(deps, relation.shape);
    if (deps.said.get(relation.oid) !== JSON.stringify(notices)) await note(deps, relation, notices);
  }
}

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
  return { ...relation, types, shape, codec: compileRelation(types, message, { keyColumns, partitioned }) };
}

/** Renews each relation that has types of the user's own, unless another one took its place meanwhile. */
export async function renewAll(
  relations: Map<number, LoadedRelation>,
  renew: (relation: LoadedRelation) => Promise<LoadedRelation>,
): Promise<void> {
  for (const [oid, relation] of relations) {
    if (relation.types.size === 0) continue;
    const fresh = await renew(relation);
    if (relations.get(oid) === relation) relations.set(oid, fresh);
  }
}

async function note(
  deps: RelationDeps,
  { oid, schema, name }: Pick<LoadedRelation, 'oid' | 'schema' | 'name'>,
  notices: readonly SinkNotice[],
): Promise<void> {
  const table = `${schema}.${name}`;
  try {
    await replaceNotices(deps.messages, { by: 'columns', databaseNo: deps.databaseNo, table }, notices);
    deps.said.set(oid, JSON.stringify(notices));
  } catch (error) {
    // They are said again as soon as the stream has the newer catalog.
    if (!isOvertaken(error)) throw error;
    deps.said.delete(oid);
  }
}

/** Is it a notice for a sink that is not there any more, or one that met another change of the catalog? */
export const isOvertaken = (error: unknown): boolean => isForeignKeyViolation(error) || isDeadlock(error);
