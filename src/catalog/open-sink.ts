/** Opens what the catalog says of a sink, by its kind. */
import type { Answered, Finding } from '../checks/finding.ts';
import type { Database } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import type { IndexReader } from '../model/index-reader.ts';
import type { Sink } from '../model/sink.ts';
import type { Log } from '../runtime/log.ts';
import type { SinkEntry, SinkKind } from '../sinks/contract.ts';
import { kindOfType } from '../sinks/kinds.ts';
import { openDatabaseOf } from './open-database.ts';
import type { Catalog, CatalogSink } from './store.ts';

export interface OpenSinkDeps {
  /** The message database. */
  messages: Database;
  log: Log;
}

/** For delivery. @throws MillraceError, DestinationDown: why it cannot be delivered to for now. */
export async function openSink(deps: OpenSinkDeps, sink: CatalogSink, catalog: Catalog): Promise<Sink> {
  const openDatabase = openDatabaseOf(deps, catalog);
  return await kindOf(sink).open(entryOf(sink, catalog), { ...deps, openDatabase });
}

/** How its destination is, without changing it; undefined: its kind cannot be looked at. @throws what `openSink` throws. */
export async function lookAtDestination(
  deps: OpenSinkDeps,
  { sink, catalog }: { sink: CatalogSink; catalog: Catalog },
  signal: AbortSignal,
): Promise<(Finding | Answered)[] | undefined> {
  const openDatabase = openDatabaseOf(deps, catalog);
  return await kindOf(sink).look?.(entryOf(sink, catalog), { ...deps, openDatabase }, signal);
}

/** Test Connection; undefined: there is nothing to connect to. @throws what `openSink` throws. */
export async function tryDestination(
  deps: OpenSinkDeps,
  { kind, entry, catalog }: { kind: SinkKind; entry: SinkEntry; catalog: Catalog },
  signal: AbortSignal,
): Promise<(Finding | Answered)[] | undefined> {
  const given = { ...deps, openDatabase: openDatabaseOf(deps, catalog) };
  return await (kind.tryOut ?? kind.look)?.(entry, given, signal);
}

/** To read back what it holds. @throws MillraceError, bad_request where it cannot be read. */
export async function openReader(sink: CatalogSink, catalog: Catalog): Promise<IndexReader> {
  const kind = kindOf(sink);
  if (!kind.openReader) throw new MillraceError('bad_request', `${kind.title} cannot be read`);
  return await kind.openReader(entryOf(sink, catalog));
}

/** The sink as its kind is given it. */
export function entryOf(sink: CatalogSink, catalog: Catalog): SinkEntry {
  const { id, no, name, settings, secret, reach, databaseNo } = sink;
  const sourceId = catalog.databases.find((one) => one.no === databaseNo)!.id;
  return { id, no, name, settings, secret, reach, sourceId };
}

/** @throws MillraceError bad_destination: this release does not know it. */
export function kindOf({ name, kind }: Pick<CatalogSink, 'name' | 'kind'>): SinkKind {
  const found = kindOfType(kind);
  if (found) return found;
  throw new MillraceError('bad_destination', `sink ${name} is of kind ${kind}, which this release does not know`, {
    remedy: 'Run the release that made it, or remove the sink.',
  });
}
