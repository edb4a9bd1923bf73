/** What else writes into a sink's index, or may: then a document without a row here may well be of it. */
import type { Catalog, CatalogDatabase, CatalogSink } from '../catalog/store.ts';
import { MillraceError } from '../model/errors.ts';
import { findTables, type TablesDeps } from './tables.ts';

/** Names of the sinks that write, or that a routing function may let write, into an index of this sink. */
export function sharers(catalog: Pick<Catalog, 'sinks'>, sink: CatalogSink): string[] {
  return catalog.sinks
    .filter((other) => {
      if (other.no === sink.no || !sink.index || other.index?.endpoint !== sink.index.endpoint) return false;
      const isRouted = sink.settings.routing !== null || other.settings.routing !== null;
      return isRouted || other.index.name === sink.index.name;
    })
    .map(({ name }) => name);
}

/** In words. */
export const othersIn = (catalog: Pick<Catalog, 'sinks'>, sink: CatalogSink): string[] =>
  sharers(catalog, sink).map((name) => `sink ${name} writes into the same index, or may`);

/** What was not there when it was found out what to compare. @throws MillraceError not_found */
export async function comeSince(
  deps: Omit<TablesDeps, 'catalog'> & { reload(): Promise<Catalog> },
  of: { sink: CatalogSink; database: CatalogDatabase; compared: ReadonlySet<string> },
): Promise<string[]> {
  const catalog = await deps.reload();
  const sink = catalog.sinks.find(({ no }) => no === of.sink.no);
  if (!sink) throw new MillraceError('not_found', `sink ${of.sink.name} was removed meanwhile`);
  const { tables, unknown } = await findTables({ ...deps, catalog }, { sink, database: of.database });
  const come = tables.filter(({ name }) => !of.compared.has(name)).map(({ name }) => `the sink takes in ${name} now`);
  return [...othersIn(catalog, sink), ...unknown, ...come];
}
