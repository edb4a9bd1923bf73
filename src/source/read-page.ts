/**
 * Rows of a table, a page at a time, in the order of its key (or of a column, then the key), each value as the text of its
 * type's output function: what the stream brings. A page ends by rows, by bytes and by time, whichever comes first; a row
 * whose text is too long to be held is given by its key alone.
 *
 * Rows come by COPY, as bytes, in steps that grow with what the rows turn out to weigh; each begins after the last row of the
 * one before, in the same snapshot. Where values lie outside their rows a step ends before what does not fit: the lengths are
 * summed up on the server, which reads no value for it.
 *
 * A publication's row filter may let a row through in a million: to find the next one takes as long as it takes. With
 * `narrow` no query goes through more than so many rows, and a page may end where no row of it was.
 */

import type { Transcode } from '../codec/encoding.ts';
import { type Tuple, tupleOf } from '../codec/tuple.ts';
import { copyOut, Given } from '../db/copy-out.ts';
import type { Connection } from '../db/pool.ts';
import { inSavepoint } from '../db/savepoint.ts';
import { quoteIdentifier } from '../model/quote.ts';
import { isUnconvertible } from '../model/sqlstate.ts';
import type { TableColumn, TableDescription } from './describe-table.ts';
import { PageRows } from './page-rows.ts';
import { type Bounded, fromSql, orderOf, type PageRequest, placeOf } from './page-sql.ts';
import { asTexts, givenAsStored, sendAsStored, type TextForm } from './text-form.ts';

export interface PageBudget {
  rows: number;
  bytes: number;
  ms: number;
  /** Rows of one step, at most. */
  step: number;
  maxRowBytes: number;
  /** Rows of the table that one step of a filtered one goes through, for each that it may bring; absent: as many as it takes. */
  narrow?: number | undefined;
  /** What a row weighs, as far as that is known: then the first step need not be small. */
  rowBytes?: number | undefined;
}

export interface ReadPage {
  rows: PageRows;
  bytes: number;
  /** Values of the order where it ends; undefined without a row that was looked at. */
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
  /** No query looks beyond these values of the order; `upTo` undefined: nothing follows that one. */
  #within: { upTo: string[] | undefined } | undefined;

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
    while (isOpen() && (this.#last === undefined || now() < until)) {
      await this.#step(Math.min(step, most - this.#rows.length));
      const average = Math.max(1, this.#bytes / Math.max(1, this.#rows.length));
      step = Math.min(budget.step, step * 4, Math.max(1, Math.floor((budget.bytes - this.#bytes) / average)));
    }
    return { rows: this.#rows, bytes: this.#bytes, last: this.#last, ended: this.#end === 'table' };
  }

  async #step(count: number): Promise<void> {
    const { request, budget } = this.#input;
    const { table } = request;
    const before = this.#rows.length;
    if (budget.narrow !== undefined && table.rowFilter !== null)
      this.#within ??= { upTo: await this.#placeAfter(count * budget.narrow) };
    const given = new Given();
    if (!table.toasted) await this.#add(this.#select(count, given), given);
    else if (count > 1) await this.#add(this.#fittingSql(count, given), given);
    if (this.#rows.length - before === count) return;
    if (table.toasted) await this.#next();
    else this.#passed();
  }

  #passed(): void {
    const upTo = this.#within?.upTo;
    this.#within = undefined;
    if (upTo === undefined) this.#end = 'table';
    else this.#last = upTo;
  }

  /** The values of the order so many rows further, whatever the filter says of them; undefined where there are not so many. */
  async #placeAfter(rows: number): Promise<string[] | undefined> {
    const { client, request, form } = this.#input;
    const given = new Given();
    const keys = this.#order.map(({ name }) => quoteIdentifier(name)).join(', ');
    const unfiltered = { ...request, table: { ...request.table, rowFilter: null } };
    const from = this.#from(unfiltered, given);
    const sql = `copy (select ${keys} ${from} order by ${this.#ordered} limit 1 offset ${given.add(String(rows - 1))}::bigint) to stdout`;
    const found = new PageRows(form.transcode);
    await copyOut(client, { sql, given }, (line) => found.addLine(line));
    return found.length === 0 ? undefined : this.#order.map((_, n) => placeOf(valueAt(found.at(0).tuple, n)));
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
      this.#passed();
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
    const from = this.#from({ ...this.#input.request, upTo: this.#within?.upTo }, given);
    return `${from} order by ${this.#ordered} limit ${given.add(String(limit))}::bigint`;
  }

  #from(request: Bounded, given: Given): string {
    const after = this.#last ?? request.after;
    return fromSql({ ...request, after, given: this.#input.form.given }, (text) => given.add(text));
  }

  /** With the table's name: a name alone could be that of a column of the answer, such as `int8` and `case`. */
  get #ordered(): string {
    const table = quoteIdentifier(this.#input.request.table.name);
    return this.#order.map(({ name }) => `${table}.${quoteIdentifier(name)}`).join(', ');
  }
}

/** Of an integer in Postgres. */
const MOST = 2 ** 31 - 1;

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
