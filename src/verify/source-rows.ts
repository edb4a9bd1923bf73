/**
 * Reads rows of the source: pages in key order, and listed rows with the version of each, by which two reads of one row
 * can be told to have seen the same write of it (xmin and ctid: a row that was written again has others).
 */

import { tupleOf } from '../codec/tuple.ts';
import { keyValue } from '../codec/utf8.ts';
import type { Connection, Database } from '../db/pool.ts';
import { inSnapshot } from '../db/snapshot.ts';
import { MillraceError } from '../model/errors.ts';
import { isCancelled } from '../model/sqlstate.ts';
import type { TableDescription } from '../source/describe-table.ts';
import { holdTable, ReloadError } from '../source/hold-table.ts';
import { estimateRows, readPage } from '../source/read-page.ts';
import { fittingKeys, readRowsOf, readSizesOf } from '../source/rows-by-key.ts';
import type { Texts } from '../source/text-form.ts';
import type { ReadRow } from './expect.ts';

export interface RowsPage {
  rows: ReadRow[];
  /** Key of the last row; undefined when nothing follows. */
  next: readonly string[] | undefined;
  /** It took too long as it was asked for: so would the next one. */
  narrow: boolean;
}

export interface RowsWanted {
  table: TableDescription;
  after: readonly string[] | undefined;
  /** As the page before says. */
  narrow?: boolean;
  patience?: Patience;
}

export interface VersionedRow extends ReadRow {
  key: readonly string[];
  version: string;
}

const PAGE = { rows: 2_000, bytes: 8 * 1024 * 1024, ms: 5_000, step: 500 };
/** Of `PageBudget`, once a page has taken too long. */
const NARROW = 64;
/** Of one query, which is tried so often while the table is locked or the source is slow. */
const PATIENCE = { statementMs: 30_000, tries: 20 };
type Patience = typeof PATIENCE;
const KEYS_AT_ONCE = 500;

/** @throws MillraceError bad_source when the table has changed since it was described, or another one has its name. */
export async function readRowsAfter(
  source: Database,
  { table, after, narrow: before = false, patience = PATIENCE }: RowsWanted,
  maxRowBytes: number,
): Promise<RowsPage> {
  return await reading({ source, table, patience }, async (client, tried) => {
    await hold(client, table);
    const request = { table, sort: undefined, from: undefined, after };
    const narrow = before || tried > 1;
    const budget = { ...PAGE, maxRowBytes, narrow: narrow ? NARROW : undefined };
    const page = await readPage({ client, now: performance.now.bind(performance) }, request, budget);
    return { rows: [...page.rows], next: page.ended ? undefined : page.last, narrow };
  });
}

/** How many there are, about. */
export async function countRows(source: Database, table: TableDescription): Promise<number> {
  const request = { table, sort: undefined, after: undefined, from: undefined };
  return await reading({ source, table, patience: PATIENCE }, (client) => estimateRows(client, request));
}

/** The rows with these keys, as far as they are there; a key that does not fit the columns' types is no row's. */
export async function readRowsByKey(
  source: Database,
  table: TableDescription,
  keys: readonly (readonly string[])[],
): Promise<VersionedRow[]> {
  const found: VersionedRow[] = [];
  const possible = keys.filter((key) => key.length === table.keys.length && isPossible(table, key));
  for (let from = 0, taken = 0; from < possible.length; from += taken) {
    const wanted = possible.slice(from, from + KEYS_AT_ONCE);
    found.push(
      ...(await reading({ source, table, patience: PATIENCE }, async (client) => {
        await hold(client, table);
        const sizes = table.toasted ? await readSizesOf(client, table, wanted) : new Map<number, number>();
        taken = fittingKeys(sizes, wanted.length, { bytes: PAGE.bytes, maxRowBytes: Number.POSITIVE_INFINITY });
        const { rows } = await readRowsOf(client, table, wanted.slice(0, taken));
        return rows.map(({ texts, version }) => ({
          tuple: tupleOf(texts),
          version,
          tooLarge: null,
          key: keyOf(table, texts),
        }));
      })),
    );
  }
  return found;
}

interface Reading {
  source: Database;
  table: TableDescription;
  patience: Patience;
}

/** @throws MillraceError unavailable when a table is locked, or too slow, for too long. */
async function reading<Result>(
  { source, table, patience: { statementMs, tries } }: Reading,
  work: (client: Connection, tried: number) => Promise<Result>,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await source.session((client) => inSnapshot(client, { statementMs }, () => work(client, tried)));
    } catch (error) {
      if (!isCancelled(error)) throw error;
      if (tried < tries) continue;
      const seconds = Math.round((tries * statementMs) / 1_000);
      throw new MillraceError('unavailable', `${table.schema}.${table.name} could not be read for ${seconds} s`, {
        remedy:
          'A session of the source holds a lock on it, or the source is slow: see pg_locks there. Then verify again.',
        cause: error,
      });
    }
  }
}

const keyOf = ({ keys, columns }: TableDescription, texts: Texts): string[] =>
  keys.map((key) => keyValue(texts[columns.indexOf(key)] ?? ''));

async function hold(client: Connection, table: TableDescription): Promise<void> {
  try {
    await holdTable(client, table);
  } catch (error) {
    if (!(error instanceof ReloadError)) throw error;
    throw new MillraceError(
      'bad_source',
      `${table.schema}.${table.name} changed meanwhile, or another table has its name`,
      {
        remedy: 'Verify again.',
      },
    );
  }
}

/** What these types never are, so that Postgres need not be asked. */
const FORMS: Readonly<Record<number, RegExp>> = {
  20: /^-?\d{1,19}$/,
  21: /^-?\d{1,5}$/,
  23: /^-?\d{1,10}$/,
  2950: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
};

function isPossible(table: TableDescription, key: readonly string[]): boolean {
  return table.keys.every(({ typeOid }, n) => FORMS[typeOid]?.test(key[n] ?? '') ?? !key[n]?.includes('\u0000'));
}
