/**
 * Looks at suspects again, until each is cleared, proven, or given up as ever changing. Everything that happens in one
 * look, and in which order, is what makes the proof of look.ts hold: rows, then the sink passes all that was committed,
 * then the index is refreshed, then documents, then the rows again.
 */

import type { Database } from '../db/pool.ts';
import type { IndexedDocument, IndexReader } from '../model/index-reader.ts';
import type { Drift } from './drift.ts';
import { type ExpectDeps, expectRows } from './expect.ts';
import { type Expected, judge, type Row, type Rules, type Verdict, volatileFields } from './look.ts';
import { keyOf } from './orphans.ts';
import { readRowsByKey, type VersionedRow } from './source-rows.ts';
import type { VerifiedTable } from './tables.ts';

export interface Suspect {
  /** Where the document is; of a row: where it should be. */
  index: string;
  id: string;
  /** The row it is about: its document is followed to wherever it is routed. Absent: a document that no row was known for. */
  row?: { table: VerifiedTable; key: readonly string[] };
  /** The document's version when it was seen without a row. */
  seen?: string;
}

export interface RecheckDeps extends ExpectDeps {
  source: Database;
  reader: IndexReader;
  tables: readonly VerifiedTable[];
  rules: Rules;
  /** Everything that is committed by now is delivered, and a search sees it. */
  settled(): Promise<void>;
  /** Fields that were not compared are told here. */
  onVolatile(fields: ReadonlySet<string>): void;
  signal: AbortSignal;
}

export interface Rechecked {
  drifts: Drift[];
  changing: number;
}

const ROUNDS = 6;

export async function recheck(deps: RecheckDeps, suspects: readonly Suspect[]): Promise<Rechecked> {
  const result: Rechecked = { drifts: [], changing: 0 };
  let left = suspects;
  for (let round = 0; round < ROUNDS && left.length > 0; round += 1) {
    deps.signal.throwIfAborted();
    left = await lookAt(deps, left, result);
  }
  result.changing = left.length;
  return result;
}

interface Found extends VersionedRow {
  table: VerifiedTable;
}

/** One look at each; returns those that must be looked at again. */
async function lookAt(deps: RecheckDeps, suspects: readonly Suspect[], result: Rechecked): Promise<Suspect[]> {
  const before = await rowsOf(deps, suspects);
  const rows = await expectedRows(deps, before);
  await deps.settled();
  const placed = suspects.map((suspect) => ({ suspect, index: indexFor(suspect, rows.get(suspect)) }));
  const documents = await fetchAll(deps, placed);
  const after = await rowsOf(deps, suspects);
  const seen: Seen[] = placed.map(({ suspect, index }) => {
    const document = documents.get(index)?.get(suspect.id);
    const row = rows.get(suspect);
    const look = { index, before: row, after: after.get(suspect), document, seen: suspect.seen };
    return {
      suspect,
      index,
      document,
      row: before.get(suspect),
      expected: row?.expected,
      verdict: judge(look, deps.rules),
    };
  });
  await forgiveVolatile(deps, seen);
  for (const one of seen) if (isProof(one.verdict)) result.drifts.push(driftOf(one, one.verdict));
  return seen.flatMap(({ suspect, index, verdict }) =>
    verdict.kind === 'again' ? [{ ...suspect, index, ...(verdict.seen ? { seen: verdict.seen } : {}) }] : [],
  );
}

interface Seen {
  suspect: Suspect;
  index: string;
  document: IndexedDocument | undefined;
  row: Found | undefined;
  expected: Expected | undefined;
  verdict: Verdict;
}

type Proof = Exclude<Verdict, { kind: 'fine' | 'again' }>;
const isProof = (verdict: Verdict): verdict is Proof => verdict.kind !== 'fine' && verdict.kind !== 'again';

/** A row's document is looked for where the row is routed now. */
function indexFor(suspect: Suspect, row: Row | undefined): string {
  return suspect.row && row?.expected.kind === 'document' ? row.expected.index : suspect.index;
}

function driftOf({ suspect, index, row }: Seen, verdict: Proof): Drift {
  const { fields, reason } = verdict.kind === 'different' ? verdict : { fields: [], reason: null };
  return {
    kind: verdict.kind,
    index,
    id: suspect.id,
    table: row?.table.name ?? suspect.row?.table.name ?? null,
    key: row?.key ?? null,
    fields,
    reason,
    hopeless: reason !== null,
  };
}

/** The row of each suspect, by its key or by the one that its `_id` is made of. */
async function rowsOf(deps: RecheckDeps, suspects: readonly Suspect[]): Promise<Map<Suspect, Found>> {
  const found = new Map<Suspect, Found>();
  for (const table of deps.tables) {
    const wanted = new Map<string, Suspect[]>();
    const keys: (readonly string[])[] = [];
    for (const suspect of suspects) {
      if (suspect.row ? suspect.row.table !== table : found.has(suspect)) continue;
      const key = suspect.row ? suspect.row.key : keyOf(table.source, suspect.id);
      if (key === undefined) continue;
      const name = JSON.stringify(key);
      const beside = wanted.get(name);
      if (beside) beside.push(suspect);
      else {
        wanted.set(name, [suspect]);
        keys.push(key);
      }
    }
    for (const row of await readRowsByKey(deps.source, table.source, keys)) {
      // A key that Postgres prints otherwise than it was asked for is another document's.
      for (const suspect of wanted.get(JSON.stringify(row.key)) ?? []) found.set(suspect, { ...row, table });
    }
  }
  return found;
}

async function expectedRows(deps: RecheckDeps, found: ReadonlyMap<Suspect, Found>): Promise<Map<Suspect, Row>> {
  const rows = new Map<Suspect, Row>();
  for (const [table, entries] of Map.groupBy(found, ([, row]) => row.table)) {
    const expected = await expectRows(deps, { table, rows: entries.map(([, row]) => row) });
    for (const [n, [suspect, { version }]] of entries.entries()) rows.set(suspect, { version, expected: expected[n]! });
  }
  return rows;
}

async function fetchAll(
  { reader, signal }: RecheckDeps,
  placed: readonly { suspect: Suspect; index: string }[],
): Promise<Map<string, Map<string, IndexedDocument>>> {
  const documents = new Map<string, Map<string, IndexedDocument>>();
  for (const [index, entries] of Map.groupBy(placed, (entry) => entry.index)) {
    const ids = [...new Set(entries.map(({ suspect }) => suspect.id))];
    documents.set(index, await reader.fetch(index, ids, signal));
  }
  return documents;
}

/**
 * A transform may use more than the row: the time of the commit, the action. Such fields are found by shaping the row once
 * more with others, and a difference in nothing else is none.
 */
async function forgiveVolatile(deps: RecheckDeps, seen: readonly Seen[]): Promise<void> {
  if (deps.functions.transform === undefined) return;
  const doubtful = seen.filter(({ verdict, row }) => verdict.kind === 'different' && verdict.reason === null && row);
  for (const [table, entries] of Map.groupBy(doubtful, ({ row }) => row!.table)) {
    const others = await expectRows(deps, { table, rows: entries.map(({ row }) => row!) }, true);
    for (const [n, one] of entries.entries()) {
      const { verdict, expected } = one;
      if (verdict.kind !== 'different' || expected?.kind !== 'document') continue;
      const fields = volatileFields(expected.body, others[n]!);
      if (fields === undefined || fields.size === 0) continue;
      deps.onVolatile(fields);
      const left = verdict.fields.filter((field) => !fields.has(field));
      one.verdict = left.length === 0 ? { kind: 'fine' } : { ...verdict, fields: left };
    }
  }
}
