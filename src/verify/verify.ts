/**
 * Compares the tables of a sink with its index, while both go on changing. Rows are read in key order and their documents
 * fetched by id; then all ids of the index are walked through for those that no row has. What differs is a suspect, and
 * only looking again (recheck.ts) makes it a drift. Nothing is written anywhere.
 *
 * Memory: a page of rows, the suspects (bounded), and 16 bytes a document (id-set.ts).
 */
import { estimateRows } from '../backfill/read.ts';
import type { Catalog, CatalogDatabase, CatalogSink } from '../catalog/store.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { IndexReader } from '../model/index-reader.ts';
import { sameJson } from '../model/json-text.ts';
import type { FunctionSet, Sandbox } from '../transform/sandbox.ts';
import type { Drift, Report } from './drift.ts';
import { expectRows } from './expect.ts';
import { IdSet } from './id-set.ts';
import { ensureDelivering, untilPassed } from './passed.ts';
import { type RecheckDeps, recheck, type Suspect } from './recheck.ts';
import { sharers } from './shared-index.ts';
import { type RowsPage, readRowsAfter } from './source-rows.ts';
import { findTables, type VerifiedTable } from './tables.ts';

const METADATA = statement('verify/sink-metadata');
const PARKED = statement('verify/parked');
const OPEN_BACKFILLS = statement('verify/open-backfills');

export interface Progress {
  phase: 'rows' | 'index' | 'recheck' | 'repair';
  /** The table or index. */
  name: string;
  /** 0..1; undefined when it cannot be told. */
  part: number | undefined;
  /** Rows or documents. */
  count: number;
}

export interface VerifyDeps {
  messages: Database;
  source: Database;
  reader: IndexReader;
  sandbox: Pick<Sandbox, 'shape'>;
  catalog: Catalog;
  /** Rejects when the signal says so. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds. */
  now(): number;
  onProgress(progress: Progress): void;
}

export interface VerifyInput {
  sink: CatalogSink;
  database: CatalogDatabase;
  signal: AbortSignal;
}

export interface VerifyOptions {
  /** What was written is found by a search after so long. */
  refreshMs: number;
  /** A sink that makes no progress for so long is given up. */
  patienceMs: number;
  /** With so many drifts the search for more ends. */
  mostDrifts: number;
}

export const VERIFY: VerifyOptions = { refreshMs: 1_500, patienceMs: 60_000, mostDrifts: 100_000 };

/** Suspects of one recheck. */
const SUSPECTS = 5_000;
/** Space of ids that are not left over in whatever index they are; no index has this name. */
const ANYWHERE = '*';

export interface Verified {
  report: Report;
  /** To look at drifts once more, after they were mended. */
  again: (suspects: readonly Suspect[]) => Promise<readonly Drift[]>;
  tables: readonly VerifiedTable[];
}

/** @throws MillraceError when something cannot be compared at all, with the remedy. */
export async function verifySink(deps: VerifyDeps, input: VerifyInput, options: VerifyOptions): Promise<Verified> {
  const { sink, database } = input;
  await ensureDelivering(deps.messages, sink);
  const { tables, unknown } = await findTables(deps, { sink, database });
  if (tables.length === 0) {
    throw new MillraceError(
      'bad_request',
      `sink ${sink.name} has no table to compare: ${unknown.join('; ') || 'none is published'}`,
      {
        remedy: `A table is compared when the sink's source takes it in, it has a primary key, and publication ${database.settings.publication.name} lists it.`,
      },
    );
  }
  const metadata = await deps.messages.query<{ metadata: string }>(METADATA, [sink.no]);
  const verification = new Verification(deps, input, {
    ...options,
    tables,
    unknown,
    metadata: metadata.rows[0]!.metadata,
  });
  await verification.noteBackfills();
  // What was written into the index before we came is seen from here on.
  await deps.sleep(options.refreshMs, input.signal);
  for (const table of tables) await verification.compareTable(table);
  await verification.compareIndexes();
  const report = await verification.report();
  return { report, again: (suspects) => verification.again(suspects), tables };
}

interface Plan extends VerifyOptions {
  tables: readonly VerifiedTable[];
  unknown: readonly string[];
  metadata: string;
}

class Verification {
  readonly #deps: VerifyDeps;
  readonly #input: VerifyInput;
  readonly #plan: Plan;
  readonly #recheck: RecheckDeps;
  readonly #ids = new IdSet();
  readonly #indexes: Set<string>;
  readonly #notes: string[] = [];
  readonly #volatile = new Set<string>();
  readonly #drifts: Drift[] = [];
  #suspects: Suspect[] = [];
  #rows = 0;
  #listed: number | null = 0;
  #changing = 0;
  #unknown = 0;
  #sharedIds = 0;
  #unkept = 0;

  constructor(deps: VerifyDeps, input: VerifyInput, plan: Plan) {
    const { sink, signal } = input;
    const { settings } = sink;
    this.#deps = deps;
    this.#input = input;
    this.#plan = plan;
    this.#indexes = new Set([deps.reader.indexName]);
    this.#recheck = {
      ...deps,
      functions: functionsOf(sink, deps.catalog),
      indexName: deps.reader.indexName,
      metadata: plan.metadata,
      tables: plan.tables,
      rules: {
        deleteOnLeave: settings.filter_leave === 'delete',
        inserts: settings.actions.includes('insert'),
        updates: settings.actions.includes('update'),
        deletes: settings.actions.includes('delete'),
      },
      settled: () => this.#settled(),
      onVolatile: (fields) => {
        for (const field of fields) this.#volatile.add(field);
      },
      signal,
    };
    const left = (['insert', 'update', 'delete'] as const).filter((action) => !settings.actions.includes(action));
    if (left.length > 0) this.#notes.push(`the sink takes no ${left.join(', no ')}: what comes of that is no drift`);
  }

  async noteBackfills(): Promise<void> {
    const { rows } = await this.#deps.messages.query<{ count: number }>(OPEN_BACKFILLS, [this.#input.sink.no]);
    const count = rows[0]!.count;
    if (count > 0)
      this.#notes.push(`${count} backfills of this sink have not ended: what they are still to send is missing`);
  }

  async compareTable(table: VerifiedTable): Promise<void> {
    const { source } = this.#deps;
    const maxRowBytes = this.#input.database.settings.max_row_bytes;
    const request = { table: table.source, sort: undefined, after: undefined, from: undefined };
    const total = await source.session((client) => estimateRows(client, request));
    const read = (after: readonly string[] | undefined): Promise<RowsPage> =>
      readRowsAfter(source, { table: table.source, after }, maxRowBytes);
    let count = 0;
    // The next page is read while this one is compared.
    let reading: Promise<RowsPage> | undefined = read(undefined);
    while (reading && !this.#isFull()) {
      this.#input.signal.throwIfAborted();
      const page: RowsPage = await reading;
      reading = page.next && read(page.next);
      reading?.catch(() => undefined);
      await this.#comparePage(table, page);
      count += page.rows.length;
      this.#deps.onProgress({
        phase: 'rows',
        name: table.name,
        part: total > 0 ? Math.min(1, count / total) : undefined,
        count,
      });
    }
    await reading?.catch(() => undefined);
    await this.#flush();
  }

  async #comparePage(table: VerifiedTable, page: RowsPage): Promise<void> {
    const { reader } = this.#deps;
    const expected = await expectRows(this.#recheck, { table, rows: page.rows });
    const byIndex = new Map<string, Map<string, { key: string[]; body: string }>>();
    for (const [n, { texts }] of page.rows.entries()) {
      const key = table.codec.keyIndexes.map((index) => texts[index] ?? '');
      const id = reader.documentId(key);
      const wanted = expected[n]!;
      this.#rows += 1;
      if (wanted.kind !== 'document') {
        if (wanted.kind === 'fault') this.#suspect({ index: reader.indexName, id, row: { table, key } });
        if (wanted.kind === 'fault' || !this.#recheck.rules.deleteOnLeave) this.#ids.add(ANYWHERE, id);
      } else if (!this.#ids.add(wanted.index, id)) this.#sharedIds += 1;
      else {
        const beside = byIndex.get(wanted.index) ?? new Map<string, { key: string[]; body: string }>();
        byIndex.set(wanted.index, beside.set(id, { key, body: wanted.body }));
      }
    }
    for (const [index, documents] of byIndex) {
      this.#indexes.add(index);
      const found = await reader.fetch(index, [...documents.keys()], this.#input.signal);
      for (const [id, { key, body }] of documents) {
        const document = found.get(id);
        if (document && document.source === undefined) this.#unkept += 1;
        else if (!document || !sameJson(document.source ?? '', body)) this.#suspect({ index, id, row: { table, key } });
      }
    }
    if (this.#suspects.length >= SUSPECTS) await this.#flush();
  }

  async compareIndexes(): Promise<void> {
    const { sink, signal } = this.#input;
    const others = sharers(this.#deps.catalog, sink);
    const why = [
      ...others.map((name) => `sink ${name} writes into the same index, or may`),
      ...this.#plan.unknown,
      ...(this.#recheck.rules.deletes ? [] : ['the sink takes no delete']),
      ...(this.#isFull() ? ['too much differs already'] : []),
    ];
    if (why.length > 0) {
      this.#listed = null;
      this.#notes.push(`extra documents were not looked for: ${why.join('; ')}`);
      return;
    }
    let listed = 0;
    for (const index of this.#indexes) {
      for await (const { documents, part } of this.#deps.reader.list(index, signal)) {
        listed += documents.length;
        for (const { id, version } of documents) {
          if (this.#ids.has(index, id) || this.#ids.has(ANYWHERE, id)) continue;
          this.#suspect({ index, id, seen: version });
        }
        if (this.#suspects.length >= SUSPECTS) await this.#flush();
        this.#deps.onProgress({ phase: 'index', name: index, part, count: listed });
        if (this.#isFull()) break;
      }
      await this.#flush();
    }
    this.#listed = listed;
  }

  async again(suspects: readonly Suspect[]): Promise<readonly Drift[]> {
    const { drifts } = await recheck(this.#recheck, suspects);
    return await this.#explained(drifts);
  }

  async report(): Promise<Report> {
    if (this.#volatile.size > 0) {
      const fields = [...this.#volatile].toSorted().join(', ');
      this.#notes.push(`not compared, because the transform makes them of more than the row: ${fields}`);
    }
    if (this.#sharedIds > 0)
      this.#notes.push(`${this.#sharedIds} rows have the _id of another row: only one can be there`);
    if (this.#unkept > 0) this.#notes.push(`${this.#unkept} documents have no _source, and were only looked for`);
    if (this.#unknown > 0) this.#notes.push(`${this.#unknown} documents have an _id that could be too many keys`);
    if (this.#isFull())
      this.#notes.push(`it ended early, after ${this.#drifts.length} drifts: a backfill mends them sooner`);
    const drifts = await this.#explained(this.#drifts);
    const count = (kind: Drift['kind']): number => drifts.filter((drift) => drift.kind === kind).length;
    return {
      sink: this.#input.sink.name,
      tables: this.#plan.tables.map(({ name }) => name),
      rows: this.#rows,
      listed: this.#listed,
      missing: count('missing'),
      extra: count('extra'),
      different: count('different'),
      changing: this.#changing,
      drifts,
      notes: this.#notes,
    };
  }

  #suspect(suspect: Suspect): void {
    this.#suspects.push(suspect);
  }

  #isFull(): boolean {
    return this.#drifts.length >= this.#plan.mostDrifts;
  }

  async #flush(): Promise<void> {
    const suspects = this.#suspects;
    this.#suspects = [];
    if (suspects.length === 0) return;
    this.#deps.onProgress({ phase: 'recheck', name: '', part: undefined, count: suspects.length });
    const { drifts, changing, unknown } = await recheck(this.#recheck, suspects);
    this.#drifts.push(...drifts);
    this.#changing += changing;
    this.#unknown += unknown;
  }

  async #settled(): Promise<void> {
    const { sink, signal } = this.#input;
    await untilPassed(this.#deps, { sink, signal }, this.#plan);
    await this.#deps.sleep(this.#plan.refreshMs, signal);
  }

  /** With the reason of a parked message, where there is one. */
  async #explained(drifts: readonly Drift[]): Promise<Drift[]> {
    const keys = [...new Set(drifts.flatMap(({ key }) => (key ? [JSON.stringify(key)] : [])))];
    const reasons = new Map<string, string | null>();
    for (let from = 0; from < keys.length; from += SUSPECTS) {
      const { rows } = await this.#deps.messages.query<{
        table_name: string;
        record_pks: string;
        error: string | null;
      }>(PARKED, [this.#input.sink.no, keys.slice(from, from + SUSPECTS)]);
      for (const row of rows) reasons.set(`${row.table_name} ${row.record_pks}`, row.error);
    }
    return drifts.map((drift) => {
      const name = drift.table && drift.key && `${drift.table} ${JSON.stringify(drift.key)}`;
      if (!name || !reasons.has(name)) return drift;
      const reason = drift.reason ?? `its message is parked: ${reasons.get(name) ?? 'no reason given'}`;
      return { ...drift, reason };
    });
  }
}

function functionsOf({ settings }: CatalogSink, catalog: Catalog): FunctionSet {
  const set: FunctionSet = {};
  for (const use of ['filter', 'transform', 'routing'] as const) {
    const found = catalog.functions.find(({ name }) => name === settings[use]);
    if (found) set[use] = found;
  }
  return set;
}
