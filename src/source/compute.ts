/**
 * Computes stored generated columns from values of their rows, as the source computed them when it wrote the rows: no table is
 * opened, and no function of anybody's but Postgres' own is called (generated.ts says which columns that is true of).
 *
 * What cannot be computed is not known, for that row and column alone: an error is hunted down by halves.
 */
import { queryTexts } from '../db/as-text.ts';
import { byHalves } from '../db/halving.ts';
import type { Connection } from '../db/pool.ts';
import { quoteIdentifier } from '../model/quote.ts';
import { isNotComputable, isOutdated, type ServerError } from '../model/sqlstate.ts';
import { asBytes, asTexts, isSuspect, meant, type TextForm } from './text-form.ts';

/** A column that an expression reads. */
export interface Input {
  name: string;
  /** As SQL writes it; of a domain its base type. */
  type: string;
  /** Where it is not the type's own; as SQL writes it. */
  collation: string | null;
}

export interface Computable {
  name: string;
  /** As SQL writes it. */
  type: string;
  inputs: readonly Input[];
  /** Its expression. */
  sql: string;
}

export interface ComputeQuery {
  columns: readonly Computable[];
  /** Values by column name, null for NULL: all that the columns need. */
  rows: readonly ReadonlyMap<string, string | null>[];
  /** Bytes of an answer, about: what is beyond them is left for another question. The first row is never left. */
  limit: number;
  /** Bytes that the values of one row may have. */
  most: number;
}

export interface ComputedRow {
  /** Of its values, about. */
  bytes: number;
  /**
   * By the place of the column: text, bytes where it is no UTF-8, null for NULL, undefined where it could not be computed.
   * Of a row with too many bytes all are null. Absent: left.
   */
  values?: readonly (string | Buffer | null | undefined)[];
}

export interface Trouble {
  /** Errors that may still be looked into: each costs a question. */
  patience: number;
  /** The one that came last. */
  last?: ServerError;
}

/** The protocol counts them with 16 bits. */
const MOST_PARAMETERS = 60_000;

/** For each row, in their order. `client` has no transaction open. Throws what is no fault of an expression. */
export async function compute(
  client: Connection,
  query: ComputeQuery,
  trouble: Trouble = { patience: 100 },
): Promise<ComputedRow[]> {
  const { columns, rows } = query;
  const found = rows.map(() => unknown(columns.length));
  await byHalves([...rows.keys()], async (part) => {
    const asked = { ...query, rows: part.map((row) => rows[row]!) };
    const answer = await tried(client, asked, trouble);
    for (const [n, row] of part.entries()) if (answer) found[row] = answer[n]!;
    return answer !== undefined || trouble.patience <= 0;
  });
  return found;
}

/** Undefined: one of them cannot be computed. */
async function tried(client: Connection, query: ComputeQuery, trouble: Trouble): Promise<ComputedRow[] | undefined> {
  const isTooMuch = query.rows.length > 1 && query.rows.length * inputsOf(query.columns).length > MOST_PARAMETERS;
  if (isTooMuch || trouble.patience <= 0) return undefined;
  try {
    return await inForm(client, query);
  } catch (error) {
    if (!isNotComputable(error)) throw error;
    trouble.patience -= 1;
    trouble.last = error;
  }
  if (query.columns.length > 1) return await byColumn(client, query, trouble);
  // That has nothing to do with the values.
  return isOutdated(trouble.last) ? query.rows.map(() => unknown(1)) : undefined;
}

const unknown = (columns: number): ComputedRow => ({
  bytes: 0,
  values: Array.from({ length: columns }, () => undefined),
});

async function byColumn(client: Connection, query: ComputeQuery, trouble: Trouble): Promise<ComputedRow[]> {
  const found: ComputedRow[][] = [];
  for (const column of query.columns) found.push(await compute(client, { ...query, columns: [column] }, trouble));
  return query.rows.map((_, row) => {
    const parts = found.map((rows) => rows[row]!);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    return parts.every((part) => part.values) ? { bytes, values: parts.flatMap((part) => part.values!) } : { bytes };
  });
}

/** What the columns are made of, each once. */
const inputsOf = (columns: readonly Computable[]): Input[] => [
  ...new Map(columns.flatMap(({ inputs }) => inputs.map((input) => [input.name, input] as const))).values(),
];

async function inForm(client: Connection, query: ComputeQuery): Promise<ComputedRow[]> {
  const found = await select(client, query, asTexts);
  return found.some(({ values }) => values && isSuspect(values.filter((value) => value !== undefined)))
    ? await select(client, query, asBytes)
    : found;
}

async function select(client: Connection, query: ComputeQuery, form: TextForm): Promise<ComputedRow[]> {
  const { rows, limit, most } = query;
  const { text, names } = computeSql(query, form);
  const given = rows.flatMap((row) => names.map((name) => row.get(name) ?? null));
  const answer = await queryTexts(client, text, [limit, most, ...given]);
  return answer.map(([isThere, bytes, ...texts]) => ({
    bytes: Number(bytes),
    ...(isThere === 't' ? { values: meant(form, texts) } : {}),
  }));
}

/**
 * The values of the columns `names`, in that order, row after row, are the parameters from $3 on. Each is a parameter of its
 * type: a cast of a text might be a function of whoever owns the type.
 */
function computeSql({ columns, rows }: ComputeQuery, form: TextForm): { text: string; names: string[] } {
  const inputs = inputsOf(columns);
  const values = rows.map((_, row) =>
    [row + 1, ...inputs.map(({ type }, n) => `$${3 + row * inputs.length + n}::${type}`)].join(', '),
  );
  const given = inputs.map(
    ({ name, collation }, n) =>
      `, i${n}${collation === null ? '' : ` collate ${collation}`} as ${quoteIdentifier(name)}`,
  );
  const names = ['millrace_place', ...inputs.map((_, n) => `i${n}`)];
  const each = (write: (place: string, column: Computable) => string): string =>
    columns.map((column, n) => write(`r${n}`, column)).join(', ');
  const text = `with texts as materialized (
      select place, ${each((r) => `case when ${r} is distinct from null then format('%s', ${r}) end as ${r}`)}
        from (select millrace_place as place, ${each((r, { sql, type }) => `(${sql})::${type} as ${r}`)}
                from (select millrace_place${given.join('')} from (values (${values.join('), (')})) v (${names.join(', ')})) t
              offset 0) c
    ), measured as (
      select *, ${columns.map((_, n) => `coalesce(octet_length(r${n}), 0)::bigint`).join(' + ')} as bytes from texts
    ), fitting as (
      select *, place = 1 or sum(bytes) over (order by place) <= $1::bigint as fits from measured
    )
    select fits or bytes > $2::bigint, bytes, ${form.list(columns.map((_, n) => ({ name: `r${n}` })))}
      from (select place, bytes, fits, ${each((r) => `case when fits and bytes <= $2::bigint then ${r} end as ${r}`)}
              from fitting) f
     order by place`;
  return { text, names: inputs.map(({ name }) => name) };
}
