/** Which other sinks may write into a sink's index: then a document without a row here may well be theirs. */
import type { Catalog, CatalogSink } from '../catalog/store.ts';
import { withoutTrailing } from '../model/trailing.ts';

/** Names of the sinks that write, or that a routing function may let write, into an index of this sink. */
export function sharers(catalog: Pick<Catalog, 'sinks'>, sink: CatalogSink): string[] {
  const { destination } = sink.settings;
  if (destination.type !== 'elasticsearch') return [];
  return catalog.sinks
    .filter((other) => {
      const theirs = other.settings.destination;
      if (other.no === sink.no || theirs.type !== 'elasticsearch') return false;
      if (endpointOf(theirs.endpoint_url) !== endpointOf(destination.endpoint_url)) return false;
      const isRouted = sink.settings.routing !== null || other.settings.routing !== null;
      return isRouted || theirs.index_name === destination.index_name;
    })
    .map(({ name }) => name);
}

/** One cluster by one name is one; two names of it cannot be told. */
function endpointOf(endpointUrl: string): string {
  return URL.canParse(endpointUrl) ? withoutTrailing(new URL(endpointUrl).href, '/') : endpointUrl;
}
