/**
 * Rows of a table, a page at a time, in the order of its key (or of a column, then the key), each value as the text of its
 * type's output function: what the stream brings. A page ends by rows, by bytes and by time, whichever comes first; a row
 * whose text is too long to be held is given by its key alone.
 *
 * Reads through a cursor in the caller's transaction, in steps that grow with what the rows turn out to weigh. Where values
 * lie outside their rows the lengths are read first, which costs no value.
 */

import { queryTexts } from '../db/as-text.ts';
import type { Connection } from '../db/pool.ts';
import { quoteIdentifier, quoteTable } from '../model/quote.ts';
import { operatorOn, type TableColumn, type TableDescription } from './describe-table.ts';
import { asValue, operand } from './given-keys.ts';
import { asTexts, inTextForm, meant, type TextForm, type Texts } from './text-form.ts';

export interface PageRow {
  /** By the table's columns. */
  texts: Texts;
  /** Only the key is there: the row has about so many bytes. Null: all of it is. */
  tooLarge: number | null;
}

/** Where a page begins: after these values of the order, or from this value of its first column on. */
export interface PageRequest {
  table: TableDescription;
  sort: TableColumn | undefined;
  after: readonly string[] | undefined;
  from: string | undefined;
}

export interface PageBudget {
  rows: number;
  bytes: number;
  ms: number;
  /** Rows of one step, at most. */
  step: number;
  maxRowBytes: number;
  /** What a row weighs, as far as that is known: then the first step need not be small. */
  rowBytes?: number | undefined;
}

export interface ReadPage {
  rows: PageRow[];
  bytes: number;
  /** Values of the order of the last row; undefined without a row. */
  last: string[] | undefined;
  /** Nothing follows. */
  ended: boolean;
}

/** A value that Postgres compressed may be this much longer; bytes. */
const COMPRESSION = 4;
const FIRST_STEP = 32;

/**
 * `now`: milliseconds of a clock. The transaction must be a repeatable read, with the table locked against changes of it.
 * The client makes U+FFFD of what is no UTF-8; a page with such a character is read once more, as bytes.
 */
export async function readPage(
  deps: { client: Connection; now: () => number },
  request: PageRequest,
  budget: PageBudget,
): Promise<ReadPage> {
  const read = (form: TextForm): Promise<ReadPage> => readAs(form, deps, { request, budget });
  return await inTextForm(deps.client, read, ({ rows }) => rows.map(({ texts }) => texts));
}

async function readAs(
  form: TextForm,
  { client, now }: { client: Connection; now: () => number },
  { request, budget }: { request: PageRequest; budget: PageBudget },
): Promise<ReadPage> {
  const { table } = request;
  const ask = (text: string, values?: readonly unknown[]): Promise<(string | null)[][]> =>
    queryTexts(client, text, values);
  const most = mostRows(table, budget);
  const { order, rest, values } = pageSql({ ...request, form }, most);
  await ask(`declare millrace_page no scroll cursor for select ${form.list(table.columns)} ${rest}`, values);
  const sizes = table.toasted ? await readSizes(ask, { table, order, rest, values, form }) : undefined;
  const until = now() + budget.ms;
  const rows: PageRow[] = [];
  let bytes = 0;
  const first = budget.rowBytes === undefined ? FIRST_STEP : Math.floor(budget.bytes / (2 * budget.rowBytes));
  let step = Math.min(Math.max(1, first), budget.step);
  let ended = false;
  while (rows.length < most && bytes < budget.bytes && (rows.length === 0 || now() < until)) {
    const next = sizes?.[rows.length];
    if (next && next.bytes > budget.maxRowBytes) {
      await ask('move forward 1 from millrace_page');
      rows.push({ texts: table.columns.map((column) => next.order.get(column) ?? null), tooLarge: next.bytes });
      continue;
    }
    const left = { ...budget, bytes: budget.bytes - bytes };
    const count = Math.min(step, most - rows.length, fitting(sizes, rows.length, left));
    const got = await ask(`fetch forward ${count} from millrace_page`);
    for (const row of got) {
      const texts = meant(form, row);
      bytes += weightOf(texts);
      rows.push({ texts, tooLarge: null });
    }
    if (got.length < count) {
      ended = true;
      break;
    }
    const average = Math.max(1, bytes / rows.length);
    step = Math.min(budget.step, step * 4, Math.max(1, Math.floor((budget.bytes - bytes) / average)));
  }
  await ask('close millrace_page');
  const lastRow = rows.at(-1);
  const last = lastRow && order.map((column) => placeOf(lastRow.texts[table.columns.indexOf(column)] ?? ''));
  return { rows, bytes, last, ended };
}

/** Where lengths are read first, no more of them than twice what is likely to fit. */
function mostRows(table: TableDescription, { rows, bytes, rowBytes }: PageBudget): number {
  if (!table.toasted || rowBytes === undefined) return rows;
  return Math.min(rows, Math.max(FIRST_STEP, Math.ceil((2 * bytes) / rowBytes)));
}

/** The planner's estimate of the rows that a backfill reads. */
export async function estimateRows(client: Connection, request: PageRequest): Promise<number> {
  const { rest, values } = pageSql({ ...request, form: asTexts }, undefined);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    `explain (format json) select ${rest}`,
    [...values],
  );
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'];
}

function pageSql({ table, sort, after, from, form }: PageRequest & { form: TextForm }, limit: number | undefined) {
  const order = sort && !table.keys.includes(sort) ? [sort, ...table.keys] : [...table.keys];
  const first = sort ?? order[0]!;
  const conditions: string[] = [];
  const values: string[] = [];
  const given = (column: TableColumn, place: string): string => {
    const isBytes = place.startsWith(BYTES);
    const { value, sql } = isBytes ? HEX(place) : form.given(place);
    return asValue(sql(`$${values.push(value)}`), column.type);
  };
  if (from !== undefined) conditions.push(`${operand(first)} ${operatorOn(first, '>=')} ${given(first, from)}`);
  if (after !== undefined)
    conditions.push(
      isAfter(
        order,
        order.map((column, n) => given(column, after[n] ?? '')),
      ),
    );
  if (table.rowFilter !== null) conditions.push(`(${table.rowFilter})`);
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const only = table.partitioned ? '' : 'only ';
  // With the table's name: a name alone could be that of a column of the answer, such as `int8` and `case`.
  const ordered = order.map(({ name }) => `${quoteIdentifier(table.name)}.${quoteIdentifier(name)}`);
  const most = limit === undefined ? '' : ` order by ${ordered.join(', ')} limit ${limit}`;
  return { order, values, rest: `from ${only}${quoteTable(table)}${where}${most}` };
}

/** Does a row follow these values? One comparison of rows has one schema of operators; an index helps with the other form too. */
function isAfter(order: readonly TableColumn[], given: readonly string[]): string {
  const [first] = order;
  if (order.every(({ operators }) => operators === first!.operators))
    return `(${order.map((column) => operand(column)).join(', ')}) ${operatorOn(first!, '>')} (${given.join(', ')})`;
  const rest = order.map((column, n) => {
    const same = order.slice(0, n).map((one, m) => `${operand(one)} ${operatorOn(one, '=')} ${given[m]}`);
    return [...same, `${operand(column)} ${operatorOn(column, '>')} ${given[n]}`].join(' and ');
  });
  return `${operand(first!)} ${operatorOn(first!, '>=')} ${given[0]} and (${rest.join(' or ')})`;
}

/** Before the hex digits of a value that is no UTF-8, where a page ends. Only a SQL_ASCII database has many of them. */
const BYTES = '\u0001\\x';
const HEX: TextForm['given'] = (place) => ({
  value: place.slice(BYTES.length),
  sql: (placeholder) => `convert_from(decode(${placeholder}, 'hex'), 'SQL_ASCII')`,
});
const placeOf = (value: string | Buffer): string => (typeof value === 'string' ? value : BYTES + value.toString('hex'));

interface Size {
  bytes: number;
  /** Values of the columns that make the order. */
  order: ReadonlyMap<TableColumn, string | Buffer | null>;
}

/** How long a row is, about, without reading its values. */
export function sizeSql(columns: readonly TableColumn[]): string {
  const long = columns.filter((column) => column.long);
  const lengths = long.map(({ name, text }) =>
    text
      ? `coalesce(octet_length(${quoteIdentifier(name)}), 0)`
      : `coalesce(pg_column_size(${quoteIdentifier(name)}), 0) * ${COMPRESSION}`,
  );
  return `(${['64', ...lengths].join(' + ')})::bigint`;
}

/** How long the rows of the page are, about. */
async function readSizes(
  ask: (text: string, values: readonly unknown[]) => Promise<(string | null)[][]>,
  page: Omit<ReturnType<typeof pageSql>, 'order'> & {
    table: TableDescription;
    order: readonly TableColumn[];
    form: TextForm;
  },
): Promise<Size[]> {
  const { table, order, rest, values, form } = page;
  const known = (text: string | null | undefined) => (text === null || text === undefined ? null : form.value(text));
  const found = await ask(`select ${sizeSql(table.columns)}, ${form.list(order)} ${rest}`, values);
  return found.map(([bytes, ...texts]) => ({
    bytes: Number(bytes),
    order: new Map(order.map((column, n) => [column, known(texts[n])])),
  }));
}

/** How many rows from this one on fit into what is left of the budget; at least one. */
function fitting(sizes: readonly Size[] | undefined, from: number, budget: PageBudget): number {
  if (!sizes) return Number.POSITIVE_INFINITY;
  let left = budget.bytes;
  let count = 0;
  for (let n = from; n < sizes.length; n++) {
    const { bytes } = sizes[n]!;
    left -= bytes;
    if (bytes > budget.maxRowBytes || (left < 0 && count > 0)) break;
    count += 1;
  }
  return Math.max(1, count);
}

function weightOf(texts: Texts): number {
  let weight = 16;
  for (const text of texts) weight += (text?.length ?? 0) + 4;
  return weight;
}
