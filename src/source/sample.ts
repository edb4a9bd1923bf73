/**
 * Some rows of a table, and how they look to a function: for a person who writes one. Published or not, with or without a key.
 * Values become JSON by the one codec, from the text of Postgres' own output functions.
 */
import { compileRelation } from '../codec/row.ts';
import type { RowMessage } from '../codec/row-message.ts';
import { tupleOf } from '../codec/tuple.ts';
import type { TypeCatalogue } from '../codec/types.ts';
import { queryTexts } from '../db/as-text.ts';
import { limitSql } from '../db/deadline.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { type QuotedTable, quoteIdentifier, quoteTable } from '../model/quote.ts';
import { inTextForm, meant, type TextForm, type Texts } from './text-form.ts';
import { loadTypes } from './types.ts';

const SHAPE = statement('source/table-shape');

export interface ShapeColumn {
  name: string;
  typeOid: number;
  typmod: number;
  /** As SQL writes it. */
  type: string;
  notNull: boolean;
  /** 0-based place in the primary key. */
  keyPlace: number | null;
}

export interface TableShape extends QuotedTable {
  oid: number;
  columns: readonly ShapeColumn[];
  types: TypeCatalogue;
  /** Of enums, by the oid of the type. */
  labels: ReadonlyMap<number, readonly string[]>;
}

interface Row {
  oid: number;
  columns: ShapeColumn[] | null;
  labels: Record<string, string[]> | null;
}

/** @throws MillraceError not_found */
export async function readShape(source: Database, { schema, name }: QuotedTable): Promise<TableShape> {
  const row = (await source.query<Row>(SHAPE, [schema, name])).rows[0];
  if (row === undefined) {
    throw new MillraceError('not_found', `there is no table ${schema}.${name} in the source`, {
      remedy: 'Write schema.table as the database has the names.',
    });
  }
  const columns = row.columns ?? [];
  const types = await loadTypes(
    source,
    columns.map(({ typeOid }) => typeOid),
  );
  const labels = new Map(Object.entries(row.labels ?? {}).map(([oid, all]) => [Number(oid), all]));
  return { schema, name, oid: row.oid, columns, types, labels };
}

export interface SampledRow {
  /** JSON */
  record: string;
  /** Values of the primary key, as text. */
  pks: string[];
}

/** A value may be this long, and as long are all of them together. */
const MOST_BYTES = 4_194_304;
const STATEMENT_MS = 2_000;
const LOCK_MS = 500;

/** The last ones by its key; without one, any. @throws what Postgres says. */
export async function sampleRows(source: Database, table: TableShape, limit: number): Promise<SampledRow[]> {
  if (table.columns.length === 0) return [];
  const keys = table.columns
    .filter(({ keyPlace }) => keyPlace !== null)
    .toSorted((a, b) => (a.keyPlace ?? 0) - (b.keyPlace ?? 0));
  // With the table's name: a name alone could be that of a column of the answer.
  const last = keys.map(({ name }) => `${quoteIdentifier(table.name)}.${quoteIdentifier(name)} desc`);
  const order = keys.length === 0 ? '' : ` order by ${last.join(', ')}`;
  const rest = `from ${quoteTable(table)}${order} limit ${Math.trunc(limit)}`;
  const rows = await source.session(async (client) => {
    try {
      await client.query(`begin transaction read only; ${limitSql({ statementMs: STATEMENT_MS, lockMs: LOCK_MS })}`);
      const read = async (form: TextForm): Promise<Texts[]> =>
        (await queryTexts(client, `select ${form.list(table.columns)} ${rest}`)).map((texts) => meant(form, texts));
      return await inTextForm(client, read, (texts) => texts);
    } finally {
      await client.query('rollback').catch(() => undefined);
    }
  });
  return written(table, rows, keys);
}

function written(table: TableShape, rows: readonly Texts[], keys: readonly ShapeColumn[]): SampledRow[] {
  const { oid, schema, name, columns } = table;
  const relation = {
    ...{ tag: 'relation' as const, oid, schema, name, identity: 'full' as const },
    columns: columns.map((column) => ({ ...column, key: true })),
  };
  const codec = compileRelation(table.types, relation, { keyColumns: keys.map((key) => key.name) });
  let bytes = 0;
  return rows.flatMap((texts) => {
    const message: RowMessage = { tag: 'insert', oid, new: tupleOf(texts) };
    bytes += message.new.bytes.length;
    // A row that is too large to be shown is one that nobody would read.
    if (bytes > MOST_BYTES) return [];
    const pks = codec.keyIndexes.map((index) => String(texts[index] ?? ''));
    return [{ record: codec.record(message), pks }];
  });
}
