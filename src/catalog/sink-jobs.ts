/** What kinds of sinks do on a clock, for the sinks that the catalog has of them. */
import type { Jobs } from '../db/jobs.ts';
import type { SinkJobs } from '../sinks/contract.ts';
import { KINDS } from '../sinks/kinds.ts';
import { openDatabaseOf } from './open-database.ts';
import { entryOf, type OpenSinkDeps } from './open-sink.ts';
import type { Catalog } from './store.ts';

export interface SinkJobsDeps extends OpenSinkDeps {
  jobs: () => Jobs;
  load(): Promise<Catalog>;
}

/** One service for each kind that has jobs. */
export async function openSinkJobs({ load, ...deps }: SinkJobsDeps): Promise<SinkJobs[]> {
  const opened = KINDS.map(async ({ type, jobs }) =>
    jobs?.({
      ...deps,
      async load() {
        const catalog = await load();
        const own = catalog.sinks.filter(({ kind, status }) => kind === type && status !== 'disabled');
        return { sinks: own.map((sink) => entryOf(sink, catalog)), openDatabase: openDatabaseOf(deps, catalog) };
      },
    }),
  );
  return (await Promise.all(opened)).filter((jobs) => jobs !== undefined);
}
