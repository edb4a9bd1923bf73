/**
 * Rows of a table, a page at a time, in the order of its key (or of a column, then the key), each value as the text of its
 * type's output function: what the stream brings. A page ends by rows, by bytes and by time, whichever comes first; a row
 * whose text is too long to be held is given by its key alone.
 *
 * Rows come by COPY, as bytes, in steps that grow with what the rows turn out to weigh; each begins after the last row of the
 * one before, in the same snapshot. Where values lie outside their rows a step ends before what does not fit: the lengths are
 * summed up on the server, which reads no value for it.
 */

import { isUtf8 } from 'node:buffer';
import type { Transcode } from '../codec/encoding.ts';
import { type Tuple, tupleOf } from '../codec/tuple.ts';
import { copyOut, Given } from '../db/copy-out.ts';
import type { Connection } from '../db/pool.ts';
import { inSavepoint } from '../db/savepoint.ts';
import { quoteIdentifier, quoteTable } from '../model/quote.ts';
import { isUnconvertible } from '../model/sqlstate.ts';
import { operatorOn, type TableColumn, type TableDescription } from './describe-table.ts';
import { asValue, operand } from './given-keys.ts';
import { PageRows } from './page-rows.ts';
import { asTexts, givenAsStored, sendAsStored, type TextForm } from './text-form.ts';

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
  rows: PageRows;
  bytes: number;
  /** Values of the order of the last row; undefined without a row. */
  last: string[] | undefined;
  /** Nothing follows. */
  ended: boolean;
}

/** A value that Postgres compressed may be this much longer; bytes. */
const COMPRESSION = 4;
const FIRST_STEP = 32;
/** What a row takes in memory besides its bytes, and each value of it. */
const ROW_BYTES = 16;
const VALUE_BYTES = 4;

/** How rows are asked for, and what the bytes of one mean. */
interface Form {
  given: TextForm['given'];
  transcode: Transcode | undefined;
}

/**
 * `now`: milliseconds of a clock. The transaction must be a repeatable read, with the table locked against changes of it.
 * Bytes that are no UTF-8 come as they are. A server that cannot convert a character (22P05) sends none of the rows: then
 * they are taken as they are stored, until the transaction ends.
 */
export async function readPage(
  deps: { client: Connection; now: () => number },
  request: PageRequest,
  budget: PageBudget,
): Promise<ReadPage> {
  const { client } = deps;
  try {
    const form = { given: asTexts.given, transcode: undefined };
    return await inSavepoint(client, () => new Page({ ...deps, request, budget, form }).read());
  } catch (error) {
    if (!isUnconvertible(error)) throw error;
    const form = { given: givenAsStored, transcode: await sendAsStored(client) };
    return await new Page({ ...deps, request, budget, form }).read();
  }
}

interface PageInput {
  client: Connection;
  now: () => number;
  request: PageRequest;
  budget: PageBudget;
  form: Form;
}

class Page {
  readonly #input: PageInput;
  readonly #order: readonly TableColumn[];
  readonly #rows: PageRows;
  #bytes = 0;
  #last: string[] | undefined;
  /** Nothing follows, or what does has no room. */
  #end: 'table' | 'page' | undefined;

  constructor(input: PageInput) {
    this.#input = input;
    this.#order = orderOf(input.request);
    this.#rows = new PageRows(input.form.transcode);
  }

  async read(): Promise<ReadPage> {
    const { now, request, budget } = this.#input;
    const most = mostRows(request.table, budget);
    const until = now() + budget.ms;
    const first = budget.rowBytes === undefined ? FIRST_STEP : Math.floor(budget.bytes / (2 * budget.rowBytes));
    let step = Math.min(Math.max(1, first), budget.step);
    const isOpen = (): boolean => this.#rows.length < most && this.#bytes < budget.bytes && !this.#end;
    while (isOpen() && (this.#rows.length === 0 || now() < until)) {
      await this.#step(Math.min(step, most - this.#rows.length));
      const average = Math.max(1, this.#bytes / Math.max(1, this.#rows.length));
      step = Math.min(budget.step, step * 4, Math.max(1, Math.floor((budget.bytes - this.#bytes) / average)));
    }
    return { rows: this.#rows, bytes: this.#bytes, last: this.#last, ended: this.#end === 'table' };
  }

  async #step(count: number): Promise<void> {
    const { table } = this.#input.request;
    const before = this.#rows.length;
    const given = new Given();
    if (!table.toasted) await this.#add(this.#select(count, given), given);
    else if (count > 1) await this.#add(this.#fittingSql(count, given), given);
    if (this.#rows.length - before === count) return;
    if (table.toasted) await this.#next();
    else this.#end = 'table';
  }

  /** The row that a step ended before, or the end of the table. Looked at and read by turns: each may take long. */
  async #next(): Promise<void> {
    const { client, request, budget, form } = this.#input;
    const { table } = request;
    const keys = this.#order.map(({ name }) => quoteIdentifier(name)).join(', ');
    const found = new PageRows(form.transcode);
    const given = new Given();
    const sql = `copy (select ${sizeSql(table.columns)}, ${keys} ${this.#rest(1, given)}) to stdout`;
    await copyOut(client, { sql, given }, (line) => found.addLine(line));
    if (found.length === 0) {
      this.#end = 'table';
      return;
    }
    const { tuple } = found.at(0);
    const bytes = Number(valueAt(tuple, 0));
    const values = this.#order.map((_, n) => valueAt(tuple, n + 1));
    if (bytes > budget.maxRowBytes) {
      const keyOnly = table.columns.map((column) => values[this.#order.indexOf(column)] ?? null);
      this.#rows.addTooLarge(tupleOf(keyOnly), bytes);
      this.#last = values.map(placeOf);
    } else if (this.#rows.length > 0 && this.#bytes + bytes > budget.bytes) this.#end = 'page';
    else {
      const given = new Given();
      await this.#add(this.#select(1, given), given);
    }
  }

  async #add(select: string, given: Given): Promise<void> {
    const { client, request } = this.#input;
    const { columns } = request.table;
    const before = this.#rows.length;
    await copyOut(client, { sql: `copy (${select}) to stdout`, given }, (line) => {
      this.#rows.addLine(line);
      this.#bytes += ROW_BYTES + line.length + columns.length * VALUE_BYTES;
    });
    if (this.#rows.length === before) return;
    const { tuple } = this.#rows.at(this.#rows.length - 1);
    this.#last = this.#order.map((column) => placeOf(valueAt(tuple, columns.indexOf(column))));
  }

  get #columns(): string {
    return this.#input.request.table.columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  }

  #select(limit: number, given: Given): string {
    return `select ${this.#columns} ${this.#rest(limit, given)}`;
  }

  /** The next rows, so many at most, up to the first that the page has no room for, or that is too large. */
  #fittingSql(count: number, given: Given): string {
    const { request, budget } = this.#input;
    const name = quoteIdentifier(request.table.name);
    const size = sizeSql(request.table.columns);
    const weight = `case when ${size} > ${Math.min(budget.maxRowBytes, MOST)} then ${MOST} else ${size}::integer end`;
    const upTo = `sum(${weight}) over (order by ${this.#ordered} rows unbounded preceding) as millrace_upto`;
    const left = given.add(String(Math.min(budget.bytes - this.#bytes, MOST - 1)));
    return `select ${this.#columns} from (select ${this.#columns}, ${upTo} from (${this.#select(count, given)}) ${name}) ${name}
      where millrace_upto <= ${left}::bigint order by ${this.#ordered}`;
  }

  /** From `from` on. */
  #rest(limit: number, given: Given): string {
    const { request, form } = this.#input;
    const after = this.#last ?? request.after;
    const from = fromSql({ ...request, after, given: form.given }, (text) => given.add(text));
    return `${from} order by ${this.#ordered} limit ${given.add(String(limit))}::bigint`;
  }

  /** With the table's name: a name alone could be that of a column of the answer, such as `int8` and `case`. */
  get #ordered(): string {
    const table = quoteIdentifier(this.#input.request.table.name);
    return this.#order.map(({ name }) => `${table}.${quoteIdentifier(name)}`).join(', ');
  }
}

/** Of an integer in Postgres. */
const MOST = 2 ** 31 - 1;

const orderOf = ({ table, sort }: PageRequest): TableColumn[] =>
  sort && !table.keys.includes(sort) ? [sort, ...table.keys] : [...table.keys];

function valueAt({ bytes, ranges }: Tuple, index: number): Buffer | null {
  const start = ranges[index * 2]!;
  return start < 0 ? null : bytes.subarray(start, ranges[index * 2 + 1]!);
}

/** Where lengths are read first, no more of them than twice what is likely to fit. */
function mostRows(table: TableDescription, { rows, bytes, rowBytes }: PageBudget): number {
  if (!table.toasted || rowBytes === undefined) return rows;
  return Math.min(rows, Math.max(FIRST_STEP, Math.ceil((2 * bytes) / rowBytes)));
}

/** The planner's estimate of the rows that a backfill reads. */
export async function estimateRows(client: Connection, request: PageRequest): Promise<number> {
  const values: string[] = [];
  const from = fromSql({ ...request, given: asTexts.given }, (text) => `$${values.push(text)}`);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    `explain (format json) select ${from}`,
    values,
  );
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'];
}

/** `put`: SQL of a text, which is a row's and must not stand in a statement. */
function fromSql(page: PageRequest & Pick<TextForm, 'given'>, put: (text: string) => string): string {
  const { table, sort, after, from } = page;
  const order = orderOf(page);
  const first = sort ?? order[0]!;
  const conditions: string[] = [];
  const given = (column: TableColumn, place: string): string => {
    const { value, sql } = place.startsWith(BYTES) ? HEX(place) : page.given(place);
    return asValue(sql(put(value)), column.type);
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
  return `from ${table.partitioned ? '' : 'only '}${quoteTable(table)}${where}`;
}

/** Does a row follow these values? One comparison of rows has one schema of operators; an index helps with the other form too. */
function isAfter(order: readonly TableColumn[], given: readonly string[]): string {
  const [first] = order;
  if (order.every((column) => operatorOn(column, '>') === operatorOn(first!, '>')))
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
function placeOf(value: Buffer | null): string {
  if (value === null) return '';
  return isUtf8(value) ? value.toString() : BYTES + value.toString('hex');
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
