/**
 * Listed rows of a table, each with the version that was read: two reads that have the same one saw the same write of the
 * row (a row that was written again has another xmin or ctid).
 */
import type pg from 'pg';
import { isUnconvertible } from '../capture/codec-encoding.ts';
import { quoted, type SourceTable, sqlName } from './table.ts';
import { AS_TEXT, asBytes, asStored, asTexts, isSuspect, type TextForm, type Texts } from './text-form.ts';

export interface FoundRow {
  texts: Texts;
  version: string;
}

export interface RowsByKey {
  rows: FoundRow[];
  /** Keys that no row can have: their values do not fit the columns' types. */
  alien: (readonly string[])[];
}

type Keys = readonly (readonly string[])[];

/** In the transaction of `client`, which holds the table. Keys of another length than the table's are alien. */
export async function readRowsOf(client: pg.ClientBase, table: SourceTable, keys: Keys): Promise<RowsByKey> {
  const isWhole = (key: readonly string[]): boolean => key.length === table.keys.length;
  const found: RowsByKey = { rows: [], alien: keys.filter((key) => !isWhole(key)) };
  await addFitting(client, { table, found }, keys.filter(isWhole));
  return found;
}

/** Data exceptions: a text is not of its type. */
const isDataException = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('22');

/** Halves what Postgres refuses until the key that does not fit stands alone. */
async function addFitting(
  client: pg.ClientBase,
  into: { table: SourceTable; found: RowsByKey },
  keys: Keys,
): Promise<void> {
  if (keys.length === 0) return;
  const { table, found } = into;
  const tried = await inSavepoint(client, async () => {
    const rows = await select(client, { table, form: asTexts }, keys);
    return rows.some((row) => isSuspect(row.texts)) ? await select(client, { table, form: asBytes }, keys) : rows;
  });
  if (!('error' in tried)) found.rows.push(...tried.result);
  else if (keys.length > 1) {
    const half = Math.ceil(keys.length / 2);
    await addFitting(client, into, keys.slice(0, half));
    await addFitting(client, into, keys.slice(half));
  } else {
    // The row may be what cannot be converted, and not the key.
    const stored = isUnconvertible(tried.error)
      ? await inSavepoint(client, async () => await select(client, { table, form: await asStored(client) }, keys))
      : tried;
    if ('error' in stored) found.alien.push(keys[0]!);
    else found.rows.push(...stored.result);
    if (stored !== tried) await client.query('reset client_encoding');
  }
}

async function inSavepoint<Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<{ result: Result } | { error: unknown }> {
  await client.query('savepoint keys');
  try {
    const result = await work();
    await client.query('release savepoint keys');
    return { result };
  } catch (error) {
    if (!isDataException(error)) throw error;
    await client.query('rollback to savepoint keys');
    return { error };
  }
}

async function select(
  client: pg.ClientBase,
  { table, form }: { table: SourceTable; form: TextForm },
  wanted: Keys,
): Promise<FoundRow[]> {
  const { keys, columns } = table;
  const given = wanted.map((key) => key.map(form.given));
  const text = `select format('%s %s %s', t.tableoid, t.xmin, t.ctid), ${form.list(columns)}
    from unnest(${keys.map((_, n) => `$${n + 1}::text[]`).join(', ')}) as w (${keys.map((_, n) => `millrace_k${n}`).join(', ')})
    join ${table.partitioned ? '' : 'only '}${sqlName(table)} t
      on ${keys.map((key, n) => `t.${quoted(key.name)} = ${given[0]![n]!.sql(`w.millrace_k${n}`)}::${key.type}`).join(' and ')}
   ${table.rowFilter === null ? '' : `where (${table.rowFilter})`}`;
  const values = keys.map((_, n) => given.map((key) => key[n]!.value));
  const { rows } = await client.query<(string | null)[]>({ text, values, rowMode: 'array', types: AS_TEXT });
  return rows.map(([version, ...texts]) => ({
    version: version ?? '',
    texts: texts.map((value) => (value === null ? null : form.value(value))),
  }));
}
