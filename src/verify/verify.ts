/**
 * Compares the tables of a sink with its index, while both go on changing. Rows are read in key order and their documents
 * fetched by id; then all ids of the index are walked through for those that no row has. What differs is a suspect, and
 * only looking again (recheck.ts) makes it a drift. Nothing is written anywhere.
 *
 * Memory: a page of rows, the suspects (bounded), and 16 bytes a document (id-set.ts).
 */

import type { Catalog, CatalogDatabase, CatalogSink } from '../catalog/store.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { IndexReader } from '../model/index-reader.ts';
import { sameJson } from '../model/json-text.ts';
import { failpoint } from '../runtime/failpoint.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { Drift, Report } from './drift.ts';
import { expectRows, readMessage } from './expect.ts';
import { Findings, type Walked } from './findings.ts';
import { IdSet } from './id-set.ts';
import { functionsOf, rulesOf } from './of-sink.ts';
import type { VerifyOptions } from './options.ts';
import { ensureDelivering, untilPassed } from './passed.ts';
import { KEPT_DRIFTS, type Kept, type Progress } from './progress.ts';
import { type RecheckDeps, type Rechecked, recheck, type Suspect } from './recheck.ts';
import { comeSince, othersIn } from './shared-index.ts';
import { countRows, type RowsPage, readRowsAfter } from './source-rows.ts';
import { findTables, type VerifiedTable } from './tables.ts';

const METADATA = statement('verify/sink-metadata');
const OPEN_BACKFILLS = statement('verify/open-backfills');

export interface VerifyDeps {
  messages: Database;
  source: Database;
  reader: IndexReader;
  sandbox: Pick<Sandbox, 'shape'>;
  catalog: Catalog;
  /** The catalog as it is now. */
  reload(): Promise<Catalog>;
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
  /** Of a verification that ended early: its tables are read, for their ids, and not compared again. */
  kept?: Kept | undefined;
  /** Hears what is done, after each table. */
  onKept?: ((kept: Kept) => void) | undefined;
}

/** Space of ids that are not left over in whatever index they are; no index has this name. */
const ANYWHERE = '*';

export interface Verified {
  report: Report;
  /** To look at drifts once more, after they were repaired. */
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
  verification.goOn();
  await verification.compare();
  await verification.confirmExtra();
  const report = await verification.findings.report();
  return { report, again: (suspects) => verification.again(suspects), tables };
}

interface Plan extends VerifyOptions {
  tables: readonly VerifiedTable[];
  unknown: readonly string[];
  metadata: string;
}

class Verification {
  readonly findings: Findings;
  readonly #deps: VerifyDeps;
  readonly #input: VerifyInput;
  readonly #plan: Plan;
  readonly #recheck: RecheckDeps;
  readonly #ids = new IdSet();
  readonly #indexes: Set<string>;
  /** Compared before. */
  readonly #done = new Set<string>();
  #walked: Walked | undefined;

  constructor(deps: VerifyDeps, input: VerifyInput, plan: Plan) {
    const { sink, signal } = input;
    const { settings } = sink;
    this.#deps = deps;
    this.#input = input;
    this.#plan = plan;
    this.#indexes = new Set([deps.reader.indexName]);
    this.findings = new Findings(
      { messages: deps.messages, recheck: (suspects) => this.#lookAgain(suspects) },
      { sink, tables: plan.tables.map(({ name }) => name), mostDrifts: plan.mostDrifts },
    );
    this.#recheck = {
      ...deps,
      functions: functionsOf(sink, deps.catalog),
      indexName: deps.reader.indexName,
      metadata: plan.metadata,
      tables: plan.tables,
      rules: rulesOf(sink),
      settled: () => this.#settled(),
      onVolatile: (fields) => {
        for (const field of fields) this.findings.volatile.add(field);
      },
      signal,
    };
    const left = (['insert', 'update', 'delete'] as const).filter((action) => !settings.actions.includes(action));
    if (left.length > 0)
      this.findings.notes.push(`the sink leaves out ${left.join(' and ')}: what differs because of that is not drift`);
  }

  async noteBackfills(): Promise<void> {
    const { rows } = await this.#deps.messages.query<{ count: number }>(OPEN_BACKFILLS, [this.#input.sink.no]);
    const count = rows[0]!.count;
    if (count === 0) return;
    this.findings.notes.push(`${count} backfills of this sink have not ended: what they are still to send is missing`);
  }

  /** From where an earlier one ended, if that was of this catalog. */
  goOn(): void {
    const { kept } = this.#input;
    if (kept?.generation !== this.#deps.catalog.generation) return;
    this.findings.restore(kept.gathered, kept.walked);
    for (const name of kept.tables) this.#done.add(name);
    this.#walked = kept.walked;
  }

  async compare(): Promise<void> {
    if (this.#walked !== undefined) return;
    for (const table of this.#plan.tables) await this.compareTable(table);
    const before = this.findings.notes.length;
    await this.compareIndexes();
    this.#walked = { listed: this.findings.listed, notes: this.findings.notes.slice(before) };
    this.#keep();
  }

  #keep(): void {
    const { gathered } = this.findings;
    if (gathered.drifts.length > KEPT_DRIFTS) return;
    const { generation } = this.#deps.catalog;
    this.#input.onKept?.({ generation, tables: [...this.#done], gathered, walked: this.#walked });
  }

  async compareTable(table: VerifiedTable): Promise<void> {
    const { source } = this.#deps;
    const maxRowBytes = this.#input.database.settings.max_row_bytes;
    const total = await countRows(source, table.source);
    const read = (from?: RowsPage): Promise<RowsPage> =>
      readRowsAfter(source, { table: table.source, after: from?.next, narrow: from?.narrow ?? false }, maxRowBytes);
    let count = 0;
    // The next page is read while this one is compared.
    let reading: Promise<RowsPage> | undefined = read();
    while (reading && !this.findings.isFull) {
      this.#input.signal.throwIfAborted();
      const page: RowsPage = await reading;
      reading = page.next && read(page);
      reading?.catch(() => undefined);
      await this.#comparePage(table, page);
      count += page.rows.length;
      const part = reading === undefined ? 1 : total > 0 ? Math.min(0.99, count / total) : undefined;
      this.#deps.onProgress({ phase: 'rows', name: table.name, part, count });
    }
    await reading?.catch(() => undefined);
    await this.findings.flush();
    if (this.#done.has(table.name)) return;
    this.#done.add(table.name);
    failpoint('verify/after-table');
    this.#keep();
  }

  async #comparePage(table: VerifiedTable, page: RowsPage): Promise<void> {
    const { reader } = this.#deps;
    const { findings } = this;
    for (const [index, documents] of await this.#expected(table, page)) {
      this.#indexes.add(index);
      if (this.#done.has(table.name)) continue;
      const found = await reader.fetch(index, [...documents.keys()], this.#input.signal);
      for (const [id, { key, body }] of documents) {
        const document = found.get(id);
        if (document && document.source === undefined) findings.unkept += 1;
        else if (!document || !sameJson(document.source ?? '', body))
          findings.suspect({ index, id, row: { table, key } });
      }
    }
    if (findings.isLoaded) await findings.flush();
  }

  /** The documents that a page's rows should have, by index and id; all of them are remembered. */
  async #expected(table: VerifiedTable, page: RowsPage): Promise<Map<string, Map<string, Wanted>>> {
    const { reader } = this.#deps;
    const isDone = this.#done.has(table.name);
    const expected = await expectRows(this.#recheck, { table, rows: page.rows });
    const byIndex = new Map<string, Map<string, Wanted>>();
    if (!isDone) this.findings.rows += page.rows.length;
    for (const [n, row] of page.rows.entries()) {
      const key = table.codec.key(readMessage(table.source.oid, row)) ?? [];
      const id = reader.documentId(key);
      const wanted = expected[n]!;
      if (wanted.kind !== 'document') {
        if (wanted.kind === 'fault' && !isDone)
          this.findings.suspect({ index: reader.indexName, id, row: { table, key } });
        if (wanted.kind === 'fault' || !this.#recheck.rules.deleteOnLeave) this.#ids.add(ANYWHERE, id);
      } else if (!this.#ids.add(wanted.index, id)) this.findings.sharedIds += isDone ? 0 : 1;
      else {
        const beside = byIndex.get(wanted.index) ?? new Map<string, Wanted>();
        byIndex.set(wanted.index, beside.set(id, { key, body: wanted.body }));
      }
    }
    return byIndex;
  }

  /** Walks through each index for documents that no row has. */
  async compareIndexes(): Promise<void> {
    const { sink, signal } = this.#input;
    const { findings } = this;
    const why = [
      ...othersIn(this.#deps.catalog, sink),
      ...this.#plan.unknown,
      ...(this.#recheck.rules.deletes ? [] : ['the sink takes no delete']),
      ...(findings.isFull ? ['too much differs already'] : []),
    ];
    if (why.length > 0) return findings.leaveExtra(why);
    let listed = 0;
    for (const index of this.#indexes) {
      for await (const { documents, part } of this.#deps.reader.list(index, signal)) {
        listed += documents.length;
        for (const { id, version } of documents) {
          if (this.#ids.has(index, id) || this.#ids.has(ANYWHERE, id)) continue;
          findings.suspect({ index, id, seen: version });
        }
        if (findings.isLoaded) await findings.flush();
        this.#deps.onProgress({ phase: 'index', name: index, part, count: listed });
        if (findings.isFull) break;
      }
      await findings.flush();
    }
    findings.listed = listed;
  }

  /** What has come into the index of others since, or of tables that were not compared, is not extra. */
  async confirmExtra(): Promise<void> {
    if (!this.findings.hasOrphans) return;
    const why = await comeSince(this.#deps, { ...this.#input, compared: this.#done });
    if (why.length > 0) this.findings.leaveExtra(why);
  }

  async again(suspects: readonly Suspect[]): Promise<readonly Drift[]> {
    const { drifts } = await recheck(this.#recheck, suspects);
    return await this.findings.explained(drifts);
  }

  async #lookAgain(suspects: readonly Suspect[]): Promise<Rechecked> {
    this.#deps.onProgress({ phase: 'recheck', name: '', part: undefined, count: suspects.length });
    return await recheck(this.#recheck, suspects);
  }

  async #settled(): Promise<void> {
    const { sink, signal } = this.#input;
    await untilPassed(this.#deps, { sink, signal }, this.#plan);
    await this.#deps.sleep(this.#plan.refreshMs, signal);
  }
}

interface Wanted {
  key: string[];
  body: string;
}
