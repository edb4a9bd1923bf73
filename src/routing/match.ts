/**
 * Which sinks a table's changes go to, and how: decided once per relation, from the catalog.
 */

import type { TypeCatalogue } from '../codec/types.ts';
import type { DeclaredAction, FunctionSettings, SinkSettings, SourceSettings } from '../model/declared.ts';
import { quoteTable } from '../model/quote.ts';
import type { SinkTraits } from '../model/sink.ts';
import { qualified, takesIn } from '../model/taken-in.ts';
import type { SinkNotice } from '../notices/notice.ts';
import { noKey } from '../source/no-key.ts';
import { type BoundFilter, bindFilter } from './filter.ts';

/** A sink as capture needs it (a part of the catalog's). */
export interface SinkEntry {
  no: number;
  name: string;
  traits: SinkTraits;
  lanes: number;
  settings: SinkSettings;
  /** Its functions that are asked about deletes: filter and routing. */
  judges?: readonly FunctionSettings[];
}

export interface TableShape {
  schema: string;
  name: string;
  /** `key`: in the replica identity, so that a delete carries it. */
  columns: readonly { name: string; typeOid: number; key: boolean }[];
  /** Of the columns, as far as they are not Postgres' own. */
  types: TypeCatalogue;
  keyColumns: readonly string[];
  /** Of a table without them: columns of its primary key that its messages do not have. */
  hiddenKey?: readonly string[];
  identity: 'default' | 'nothing' | 'full' | 'index';
  /** `schema.table` that it was called: a sink that names one of them stays bound to the table. */
  earlierNames?: readonly string[];
}

/** One sink's interest in one table. */
export interface Route {
  sinkNo: number;
  traits: SinkTraits;
  /** Push: lanes by hash of the group; of a receivable sink the one lane that new messages go to. */
  lanes: number;
  fixedLane: number | undefined;
  actions: ReadonlySet<DeclaredAction>;
  filters: readonly BoundFilter[];
  /** A row that an update takes out of the filters is deleted from the index. */
  deleteOnLeave: boolean;
  /** Column indexes whose values make the group; empty: the primary key. Undefined: no order. */
  groupColumns: readonly number[] | undefined;
  /** They are columns of the primary key: who has the key knows the group. */
  groupIsOfKey: boolean;
  /** Deletes carry those columns, as a rule: a partition may have an identity of its own. */
  identityIsFull: boolean;
  /** Every message is parked with this reason: the sink's settings do not fit the table. */
  parkReason: string | undefined;
}

export interface Match {
  routes: Route[];
  notices: SinkNotice[];
}

/** Does the sink take in this table by its name? Event tables of retentions only if it names them. */
export function isTakenIn(sink: SinkEntry, table: { schema: string; name: string }, changeTables: ReadonlySet<string>) {
  const { source } = sink.settings;
  const full = `${table.schema}.${table.name}`;
  return takesIn(source, table) && (!changeTables.has(full) || names(source, full));
}

/** Does the sink name the table as it was called? */
export function isBound(source: SourceSettings, { earlierNames = [] }: Pick<TableShape, 'earlierNames'>): boolean {
  return earlierNames.some((name) => names(source, name));
}

/** Is the table named by the sink, not merely taken in? */
function names(source: SourceSettings, full: string): boolean {
  return source.include_tables?.some((name) => qualified(name) === full) ?? false;
}

/** The routes of a table. `changeTables`: event tables of retentions, which only sinks that name them get. */
export function matchTable(sinks: readonly SinkEntry[], table: TableShape, changeTables: ReadonlySet<string>): Match {
  const full = `${table.schema}.${table.name}`;
  const match: Match = { routes: [], notices: [] };
  for (const sink of sinks) {
    const { settings, traits } = sink;
    if (settings.status === 'disabled' || !(takesIn(settings.source, table) || isBound(settings.source, table)))
      continue;
    if (changeTables.has(full) && !names(settings.source, full)) continue;
    const note = (code: string, message: string, remedy: string | null = null) =>
      match.notices.push({ sinkNo: sink.no, code, table: full, message, remedy });
    if (traits.order === 'key' && table.keyColumns.length === 0) {
      const { why, remedy } = noKey(table, table.hiddenKey ?? []);
      note('no_primary_key', `${full} ${why}, so its rows have no _id: it is left out`, remedy);
      continue;
    }
    if (table.identity !== 'full' && !traits.replaces) {
      note(
        'no_old_values',
        `${full}: old values are not known; changes is {} and deletes hold the key only`,
        fullIdentity(table),
      );
    }
    const bound = bindAll(settings, table);
    if (bound.fault)
      note(
        'filter_fault',
        `${full}: ${bound.fault}; its messages are parked`,
        'Fix it, then retry or discard the parked messages: no filter looks at them again.',
      );
    const uncarried = uncarriedBy(settings, table, bound.filters);
    if (uncarried.length > 0)
      note(
        'filter_needs_identity',
        `${full}: deletes do not carry ${uncarried.join(', ')}, so the filter lets all of them pass`,
        fullIdentity(table),
      );
    const misread = misreadBy(sink, table);
    if (misread.columns.length > 0)
      note(
        'function_needs_identity',
        `${full}: deletes do not carry ${misread.columns.join(', ')}, which ${misread.functions.join(' and ')} may read: there it is undefined`,
        fullIdentity(table),
      );
    const groupColumns = groupOf(sink, table, bound);
    match.routes.push({
      sinkNo: sink.no,
      traits,
      lanes: Math.max(1, sink.lanes),
      fixedLane: traits.receivable ? Math.min(sink.lanes, 1) : undefined,
      actions: new Set(settings.actions),
      filters: bound.filters,
      deleteOnLeave: traits.replaces && settings.filter_leave === 'delete',
      groupColumns,
      groupIsOfKey: (groupColumns ?? []).every((index) => table.keyColumns.includes(table.columns[index]!.name)),
      identityIsFull: table.identity === 'full',
      parkReason: bound.fault,
    });
  }
  return match;
}

function bindAll(settings: SinkSettings, table: TableShape): { filters: BoundFilter[]; fault?: string } {
  const filters: BoundFilter[] = [];
  for (const filter of settings.filters) {
    const index = table.columns.findIndex((column) => column.name === filter.column_name);
    if (index < 0) return { filters: [], fault: `there is no published column ${filter.column_name} to filter by` };
    const bound = bindFilter(filter, { index, typeOid: table.columns[index]!.typeOid, types: table.types });
    if (typeof bound === 'string') return { filters: [], fault: bound };
    filters.push(bound);
  }
  return { filters };
}

/** Columns of filters that cannot be judged on a delete. */
function uncarriedBy(settings: SinkSettings, table: TableShape, filters: readonly BoundFilter[]): string[] {
  if (table.identity === 'full' || !settings.actions.includes('delete')) return [];
  const columns = filters.map(({ columnIndex }) => table.columns[columnIndex]!).filter(({ key }) => !key);
  return [...new Set(columns.map(({ name }) => name))];
}

/** Columns that a delete does not carry and functions name, unless they know of deletes. */
function misreadBy({ settings, judges = [] }: SinkEntry, table: TableShape): Record<'columns' | 'functions', string[]> {
  const columns = new Set<string>();
  const functions = new Set<string>();
  if (table.identity === 'full' || !settings.actions.includes('delete')) return { columns: [], functions: [] };
  for (const { name: fn, code, path } of judges) {
    const text = code ?? path ?? '';
    const words = new Set<string>(text.match(/[\p{L}\p{N}_$]+/gu));
    if (words.has('delete')) continue;
    for (const { name, key } of table.columns) {
      if (key || !(words.has(name) || (/[^\p{L}\p{N}_$]/u.test(name) && text.includes(name)))) continue;
      columns.add(name);
      functions.add(fn);
    }
  }
  return { columns: [...columns], functions: [...functions] };
}

function groupOf(sink: SinkEntry, table: TableShape, bound: { fault?: string }): number[] | undefined {
  if (sink.traits.order === 'commit') return undefined;
  if (sink.traits.order === 'key') return [];
  if (!sink.settings.message_grouping) return undefined;
  const declaredFor = (full: string) => sink.settings.tables.find((entry) => qualified(entry.name) === full);
  // Of a table that is called otherwise now, rows stay in the groups that they were in.
  const names = [`${table.schema}.${table.name}`, ...(table.earlierNames ?? [])];
  const grouping = names.map(declaredFor).find((entry) => entry !== undefined);
  if (!grouping || grouping.group_column_names.length === 0) return table.keyColumns.length === 0 ? undefined : [];
  const indexes = grouping.group_column_names.map((name) => table.columns.findIndex((column) => column.name === name));
  const missing = indexes.indexOf(-1);
  if (missing < 0) return indexes;
  bound.fault ??= `there is no column ${grouping.group_column_names[missing]} to group by`;
  return table.keyColumns.length === 0 ? undefined : [];
}

const fullIdentity = (table: TableShape): string => `alter table ${quoteTable(table)} replica identity full`;
