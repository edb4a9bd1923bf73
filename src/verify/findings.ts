/**
 * What a verification gathers: suspects until they are looked at again, drifts, counts, and what it could not compare.
 * Suspects are bounded, and so are drifts: beyond `mostDrifts` the search ends.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Drift, Report } from './drift.ts';
import type { Rechecked, Suspect } from './recheck.ts';

const PARKED = statement('verify/parked');

/** Suspects of one recheck. */
const SUSPECTS = 5_000;

export interface FindingsDeps {
  messages: Database;
  recheck(suspects: readonly Suspect[]): Promise<Rechecked>;
}

export interface FindingsOf {
  sink: { no: number; name: string };
  tables: readonly string[];
  mostDrifts: number;
}

/** What was gathered of tables that are done, for whoever goes on from there. */
export interface Gathered {
  rows: number;
  sharedIds: number;
  unkept: number;
  changing: number;
  volatile: readonly string[];
  drifts: readonly Drift[];
}

/** Of the indexes. */
export interface Walked {
  /** Null: extra documents were not looked for. */
  listed: number | null;
  /** Why not. */
  notes: readonly string[];
}

const isOrphan = ({ kind, table }: Drift): boolean => kind === 'extra' && table === null;

export class Findings {
  readonly notes: string[] = [];
  /** Fields that a transform makes of more than the row. */
  readonly volatile = new Set<string>();
  rows = 0;
  /** Null: extra documents were not looked for. */
  listed: number | null = 0;
  /** Rows whose _id another row has. */
  sharedIds = 0;
  /** Documents whose text the index does not keep. */
  unkept = 0;
  readonly #deps: FindingsDeps;
  readonly #of: FindingsOf;
  #drifts: Drift[] = [];
  #suspects: Suspect[] = [];
  #changing = 0;

  constructor(deps: FindingsDeps, of: FindingsOf) {
    this.#deps = deps;
    this.#of = of;
  }

  /** No more is looked for. */
  get isFull(): boolean {
    return this.#drifts.length >= this.#of.mostDrifts;
  }

  /** It is time for `flush`. */
  get isLoaded(): boolean {
    return this.#suspects.length >= SUSPECTS;
  }

  suspect(suspect: Suspect): void {
    this.#suspects.push(suspect);
  }

  /** Looks at the suspects again. */
  async flush(): Promise<void> {
    const suspects = this.#suspects;
    this.#suspects = [];
    if (suspects.length === 0) return;
    const { drifts, changing } = await this.#deps.recheck(suspects);
    this.#drifts.push(...drifts);
    this.#changing += changing;
  }

  /** Documents without a row are among what differs. */
  get hasOrphans(): boolean {
    return this.#drifts.some(isOrphan);
  }

  /** Documents without a row are not looked for, or not believed. */
  leaveExtra(why: readonly string[]): void {
    this.listed = null;
    this.notes.push(`extra documents were not looked for: ${why.join('; ')}`);
    this.#drifts = this.#drifts.filter((drift) => !isOrphan(drift));
  }

  /** As it is after `flush`. */
  get gathered(): Gathered {
    const { rows, sharedIds, unkept } = this;
    return { rows, sharedIds, unkept, changing: this.#changing, volatile: [...this.volatile], drifts: this.#drifts };
  }

  /** Goes on from what was gathered before. */
  restore(gathered: Gathered, walked: Walked | undefined): void {
    const { rows, sharedIds, unkept, changing, volatile, drifts } = gathered;
    Object.assign(this, { rows, sharedIds, unkept });
    this.#changing = changing;
    this.#drifts.push(...drifts);
    for (const field of volatile) this.volatile.add(field);
    if (walked === undefined) return;
    this.listed = walked.listed;
    this.notes.push(...walked.notes);
  }

  async report(): Promise<Report> {
    const drifts = await this.explained(this.#drifts);
    const count = (kind: Drift['kind']): number => drifts.filter((drift) => drift.kind === kind).length;
    const { sink, tables } = this.#of;
    return {
      sink: sink.name,
      tables,
      rows: this.rows,
      listed: this.listed,
      missing: count('missing'),
      extra: count('extra'),
      different: count('different'),
      changing: this.#changing,
      drifts,
      notes: [...this.notes, ...this.#lastNotes()],
    };
  }

  /** With the reason of a parked message, where there is one. */
  async explained(drifts: readonly Drift[]): Promise<Drift[]> {
    const keys = [...new Set(drifts.flatMap(({ key }) => (key ? [JSON.stringify(key)] : [])))];
    const reasons = new Map<string, string | null>();
    for (let from = 0; from < keys.length; from += SUSPECTS) {
      const { rows } = await this.#deps.messages.query<{
        table_name: string;
        record_pks: string;
        error: string | null;
      }>(PARKED, [this.#of.sink.no, keys.slice(from, from + SUSPECTS)]);
      for (const row of rows) reasons.set(`${row.table_name} ${row.record_pks}`, row.error);
    }
    return drifts.map((drift) => {
      const name = drift.table && drift.key && `${drift.table} ${JSON.stringify(drift.key)}`;
      if (!name || !reasons.has(name)) return drift;
      const reason = drift.reason ?? `its message is parked: ${reasons.get(name) ?? 'no reason given'}`;
      return { ...drift, reason };
    });
  }

  #lastNotes(): string[] {
    const notes: string[] = [];
    const fields = [...this.volatile].toSorted().join(', ');
    if (fields !== '') notes.push(`not compared, because the transform makes them of more than the row: ${fields}`);
    if (this.sharedIds > 0) notes.push(`${this.sharedIds} rows have the _id of another row: only one can be there`);
    if (this.unkept > 0) notes.push(`${this.unkept} documents have no _source, and were only looked for`);
    if (this.isFull) notes.push(`it ended early, after ${this.#drifts.length} drifts: a backfill fixes so many sooner`);
    return notes;
  }
}
