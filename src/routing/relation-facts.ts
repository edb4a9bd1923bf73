/**
 * What the stream does not say of the tables that it announces: their columns and keys as they are now, what the message database
 * knows of them, and how they are shown. For many tables at once: after its start capture meets every table of its source.
 */
import type { RelationMessage } from '../codec/row-message.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { FOUND_BY } from '../notices/replace.ts';
import { type GeneratedColumn, generatedColumns } from '../source/generated.ts';
import type { ComparedKey } from '../source/given-keys.ts';
import { schemasOf } from '../source/tables.ts';
import { freeNames } from './earlier-names.ts';
import type { KeyShape } from './other-key.ts';
import type { TableNow } from './relation-key.ts';

const KEY_COLUMNS = statement('routing/key-columns');
const SOURCE_TABLES = statement('routing/source-tables');
const TABLES_NOW = statement('routing/tables-now');
const SHOWN_AS_ROOT = statement('routing/shown-as-root');

export interface FactsDeps {
  source: Database;
  messages: Database;
  databaseNo: number;
  publication: string;
}

export interface TableFacts {
  /** Its number among our source tables. */
  no: number;
  now: TableNow;
  /** The key is stored under its name as `now.known` says. */
  isKeyTold: boolean;
  /** The shape of its key when its changes last came; null: not known. */
  keyShape: KeyShape | null;
  /** Its primary key of now, in key order. */
  keyNow: readonly ComparedKey[];
  /** A transaction may give a key to one row before another row gives it up. */
  isKeyDeferrable: boolean;
  partitioned: boolean;
  /** Generated columns that its changes do not bring. */
  generated: readonly GeneratedColumn[];
  /** Names that the same table had when its changes came, and that no other table has now: sinks stay bound to it. */
  earlierNames: readonly string[];
  /** Its changes came under another name too. */
  hasOtherNames: boolean;
  /** Postgres announces a partition beside the table whose changes its own are shown as: it is nothing to speak of. */
  isShownAsRoot: boolean;
  /** A sink has a notice about its columns. */
  isNoted: boolean;
}

interface KnownRow {
  no: number;
  key_columns: string[] | null;
  told: boolean;
  shape: KeyShape | null;
  earlier: { schema: string; name: string }[] | null;
  noted: boolean;
}

interface NowRow {
  oid: number;
  columns: string;
  partitioned: boolean;
  partition: boolean;
  unsent: boolean;
}

/** In the order of `sent`, whose tables all differ. Numbers those that come for the first time. Of usual tables: one round trip. */
export async function readFacts(deps: FactsDeps, sent: readonly RelationMessage[]): Promise<TableFacts[]> {
  const { source, messages, databaseNo, publication } = deps;
  const oids = sent.map(({ oid }) => oid);
  const names = [sent.map(({ schema }) => schema), sent.map(({ name }) => name)];
  const [keys, now, { rows: known }] = await Promise.all([
    source.query<ComparedKey & { oid: number; deferrable: boolean }>(KEY_COLUMNS, [oids]),
    source.query<NowRow>(TABLES_NOW, [oids]),
    messages.query<KnownRow>(SOURCE_TABLES, [databaseNo, oids, ...names, FOUND_BY.columns]),
  ]);
  const those = (which: (row: NowRow) => boolean): number[] => now.rows.filter(which).map(({ oid }) => oid);
  const generated = await generatedColumns(
    source,
    publication,
    those(({ unsent }) => unsent),
  );
  const shown = await shownAsRoot(
    deps,
    those(({ partition }) => partition),
  );
  const free = await freeNames(
    source,
    known.flatMap(({ earlier }, i) => (earlier ?? []).map((one) => ({ ...one, oid: oids[i]! }))),
  );
  const keysOf = Map.groupBy(keys.rows, ({ oid }) => oid);
  const nowOf = new Map(now.rows.map((row) => [row.oid, row]));
  const generatedOf = Map.groupBy(generated, ({ oid }) => oid);
  return oids.map((oid, i) => {
    const { no, key_columns, told, shape, noted, earlier } = known[i]!;
    const found = nowOf.get(oid);
    const keyRows = keysOf.get(oid) ?? [];
    const keyNow = keyRows.map(({ oid: _, deferrable: __, ...column }) => column);
    const columns = found && (JSON.parse(found.columns) as NonNullable<TableNow['columns']>);
    return {
      ...{ no, keyNow, isKeyTold: told, keyShape: shape, isNoted: noted, isShownAsRoot: shown.has(oid) },
      isKeyDeferrable: keyRows.some(({ deferrable }) => deferrable),
      now: { columns, key: keyNow.map(({ name }) => name), known: key_columns },
      partitioned: found?.partitioned ?? false,
      generated: generatedOf.get(oid) ?? [],
      earlierNames: free.get(oid) ?? [],
      hasOtherNames: earlier !== null,
    };
  });
}

/** Those of these partitions. */
async function shownAsRoot(
  { source, publication }: FactsDeps,
  partitions: readonly number[],
): Promise<ReadonlySet<number>> {
  if (partitions.length === 0) return new Set();
  const values = [partitions, publication, await schemasOf(source, publication)];
  const { rows } = await source.query<{ oid: number }>(SHOWN_AS_ROOT, values);
  return new Set(rows.map(({ oid }) => oid));
}
