/** Which other sinks may write into a sink's index: then a document without a row here may well be theirs. */
import type { Catalog, CatalogSink } from '../catalog/store.ts';

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
