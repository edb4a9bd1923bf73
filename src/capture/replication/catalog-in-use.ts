/**
 * The catalog as a stream has it. Whoever persists with an older one is refused; then it is looked at again, and the stream
 * goes on with it, unless the database itself is another one.
 */
import { staleCatalog } from '../../model/sqlstate.ts';
import type { SinkEntry } from '../../routing/match.ts';
import type { CapturedDatabase } from '../method.ts';

/** A newer catalog. `isMatched`: it makes the same messages of the same changes. */
export interface Newer {
  database: CapturedDatabase;
  isMatched: boolean;
}

export class CatalogInUse {
  database: CapturedDatabase;
  readonly #current: () => Promise<CapturedDatabase | undefined>;

  constructor(database: CapturedDatabase, current: () => Promise<CapturedDatabase | undefined>) {
    this.database = database;
    this.#current = current;
  }

  /** The catalog of now. @throws what `isStaleCatalog` knows when only another stream, or none, can go on with it. */
  async look(): Promise<Newer> {
    const database = await this.#current();
    if (!database || streamOf(database) !== streamOf(this.database)) throw staleCatalog();
    return { database, isMatched: matchingOf(database) === matchingOf(this.database) };
  }

  /** How changes become messages of this sink, to be compared. Undefined: there is no such sink. */
  matchingOf(sinkNo: number): string | undefined {
    const sink = this.database.sinks.find(({ no }) => no === sinkNo);
    return sink && JSON.stringify([sinkMatching(sink), [...this.database.changeTables]]);
  }
}

/** What a stream was opened with. */
function streamOf({ settings, address, reach }: CapturedDatabase): string {
  const { annotations: _, ...used } = settings;
  return JSON.stringify([used, address, reach]);
}

const matchingOf = ({ sinks, changeTables }: CapturedDatabase): string =>
  JSON.stringify([sinks.map(sinkMatching), [...changeTables].toSorted()]);

/** Everything but what is looked at when messages are delivered. */
function sinkMatching({ no, traits, lanes, settings }: SinkEntry): unknown[] {
  const {
    destination: _d,
    filter: _f,
    transform: _t,
    routing: _r,
    annotations: _a,
    max_retry_count: _m,
    ...rest
  } = settings;
  const { status, initial_backfill: _i, ...matched } = rest;
  return [no, traits, lanes, status === 'disabled', matched];
}
