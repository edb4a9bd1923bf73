/** The functions that a sink uses. */
import type { Catalog, CatalogSink } from '../catalog/store.ts';
import type { FunctionSet } from '../transform/shape.ts';

export function functionsOf({ settings }: CatalogSink, catalog: Catalog): FunctionSet {
  const set: FunctionSet = {};
  for (const use of ['filter', 'transform', 'routing'] as const) {
    const found = catalog.functions.find(({ name }) => name === settings[use]);
    if (found) set[use] = found;
  }
  return set;
}
