/**
 * The sinks of the catalog, opened for delivery. How one is opened is handed in.
 */
import type { Catalog, CatalogSink } from '../catalog/store.ts';
import type { Sink } from '../model/sink.ts';
import type { Log } from '../runtime/log.ts';
import type { FunctionSet } from '../transform/shape.ts';
import { hasFunctions } from './prepare.ts';
import { refusedSink } from './refused.ts';

import type { LaneSink, Targets } from './target.ts';

export type OpenSink = (entry: CatalogSink, catalog: Catalog) => Promise<Sink>;

export interface TargetsDeps {
  load(): Promise<Catalog>;
  open: OpenSink;
  log: Log;
}

interface Opened {
  fingerprint: string;
  target: Promise<LaneSink>;
}

export function openTargets(deps: TargetsDeps): Targets {
  const opened = new Map<number, Opened>();
  let catalog: Promise<Catalog> | undefined;

  const close = (entry: Opened): void => {
    entry.target
      .then((target) => target.sink.close())
      .catch((error: unknown) => deps.log.warn({ err: error }, 'closing a sink failed'));
  };

  /** The catalog; what it has no more is closed. */
  const load = async (): Promise<Catalog> => {
    const loaded = await deps.load();
    for (const [no, entry] of opened) {
      if (loaded.sinks.some((sink) => sink.no === no)) continue;
      opened.delete(no);
      close(entry);
    }
    return loaded;
  };

  const find = async (sinkNo: number) => {
    catalog ??= load();
    const loaded = await catalog.catch((error: unknown) => {
      catalog = undefined;
      throw error;
    });
    const entry = loaded.sinks.find((sink) => sink.no === sinkNo);
    return { loaded, entry, fingerprint: entry && fingerprintOf(entry, loaded) };
  };

  return {
    async get(sinkNo) {
      const { loaded, entry, fingerprint } = await find(sinkNo);
      const before = opened.get(sinkNo);
      if (before && before.fingerprint !== fingerprint) {
        opened.delete(sinkNo);
        close(before);
      }
      if (!entry || fingerprint === undefined || entry.status !== 'active') return undefined;
      const known = opened.get(sinkNo);
      if (known) return await known.target;
      const target = open(deps, entry, loaded);
      opened.set(sinkNo, { fingerprint, target });
      const forget = (): void => void (opened.get(sinkNo)?.target === target && opened.delete(sinkNo));
      return await target.catch(async (error: unknown) => {
        forget();
        const sink = refusedSink(error);
        if (!sink) throw error;
        return laneSink(entry, loaded, sink);
      });
    },
    async isCurrent(target) {
      const { fingerprint } = await find(target.no);
      const known = opened.get(target.no);
      return known !== undefined && known.fingerprint === fingerprint && (await known.target) === target;
    },
    refresh() {
      catalog = undefined;
    },
    async close() {
      const all = [...opened.values()];
      opened.clear();
      await Promise.allSettled(all.map(async ({ target }) => await (await target).sink.close()));
    },
  };
}

async function open(deps: TargetsDeps, entry: CatalogSink, catalog: Catalog): Promise<LaneSink> {
  return laneSink(entry, catalog, await deps.open(entry, catalog));
}

function laneSink(entry: CatalogSink, catalog: Catalog, sink: Sink): LaneSink {
  const { settings } = entry;
  const functions = functionsOf(entry, catalog);
  return {
    no: entry.no,
    name: entry.name,
    sink,
    functions,
    replaces: entry.traits.replaces,
    shapes: entry.traits.receivable,
    deleteOnLeave: settings.filter_leave === 'delete',
    maxRetryCount: settings.max_retry_count,
    // Of two lanes one reads while the other sends, unless both wait for functions.
    readsAhead: sink.within === undefined && (entry.lanes === 1 || hasFunctions(functions)),
    tested: false,
    crashes: new Set(),
    sampledAt: 0,
    failures: 0,
  };
}

function functionsOf({ settings }: CatalogSink, catalog: Catalog): FunctionSet {
  const set: FunctionSet = {};
  for (const use of ['filter', 'transform', 'routing'] as const) {
    const name = settings[use];
    const found = name === null ? undefined : catalog.functions.find((fn) => fn.name === name);
    if (found) set[use] = found;
  }
  return set;
}

/** What does not open is the same as long as it does not. */
function shown(secret: () => unknown): unknown {
  try {
    return [secret()];
  } catch {
    return null;
  }
}

/** Everything that a sink was opened with. */
function fingerprintOf(entry: CatalogSink, catalog: Catalog): string {
  const database = catalog.databases.find((one) => one.settings.name === entry.into?.database);
  const secrets = [shown(entry.secret), database && shown(database.address)];
  return JSON.stringify([entry.status, entry.settings, functionsOf(entry, catalog), database?.settings, secrets]);
}
