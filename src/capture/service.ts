/**
 * One capture for each database that some sink reads from: started when the catalog declares it, ended when it does not
 * any more. One that fails touches no other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Catalog, changeTablesIn } from '../catalog/store.ts';
import type { Database } from '../db/pool.ts';
import type { Gathered } from '../routing/pending.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { captureDatabase } from './database.ts';
import type { CaptureDeps, CapturedDatabase } from './method.ts';

export interface CapturesDeps {
  messages: Database;
  load(): Promise<Catalog>;
  log: Log;
  onPersisted(sinks: ReadonlyMap<number, Gathered>): void;
  beside?: NonNullable<CaptureDeps['beside']>;
  stages?: NonNullable<CaptureDeps['stages']>;
}

const RECHECK_MS = 3_000;

export function openCaptures(deps: CapturesDeps): Service {
  const running = new Map<number, Promise<void>>();

  const current = async (databaseNo: number): Promise<CapturedDatabase | undefined> =>
    capturedOf(await deps.load(), databaseNo);

  const startMissing = async (signal: AbortSignal): Promise<void> => {
    const catalog = await deps.load();
    for (const { no, settings } of catalog.databases) {
      if (running.has(no) || !isRead(catalog, no)) continue;
      const log = deps.log.child({ database: settings.name });
      const capture = captureDatabase({ ...deps, log, current: () => current(no) }, no, signal).finally(() =>
        running.delete(no),
      );
      running.set(no, capture);
    }
  };

  return {
    name: 'captures',
    async run(signal) {
      while (!signal.aborted) {
        await startMissing(signal);
        await sleep(RECHECK_MS, undefined, { signal }).catch(() => undefined);
      }
      await Promise.all(running.values());
    },
    close: async () => {
      await Promise.all(running.values());
    },
  };
}

/** A database that is only a destination gets no slot. */
const isRead = (catalog: Catalog, databaseNo: number): boolean =>
  catalog.sinks.some((sink) => sink.databaseNo === databaseNo);

/** Undefined when no sink reads from it. @throws MillraceError when its address does not open. */
function capturedOf(catalog: Catalog, databaseNo: number): CapturedDatabase | undefined {
  const database = catalog.databases.find((one) => one.no === databaseNo);
  const sinks = catalog.sinks
    .filter((sink) => sink.databaseNo === databaseNo)
    .map((sink) => {
      const { filter, routing } = sink.settings;
      return { ...sink, judges: catalog.functions.filter(({ name }) => name === filter || name === routing) };
    });
  if (!database || sinks.length === 0) return undefined;
  return {
    no: database.no,
    settings: database.settings,
    address: database.address(),
    reach: database.reach,
    sinks,
    changeTables: changeTablesIn(catalog, database.settings.name),
    catalogGeneration: catalog.generation,
  };
}
