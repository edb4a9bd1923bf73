/** What a verification needs to know of a sink: its functions, and how it treats rows. */
import type { Catalog, CatalogSink } from '../catalog/store.ts';
import type { FunctionSet } from '../transform/shape.ts';
import type { Rules } from './look.ts';

export function functionsOf({ settings }: CatalogSink, catalog: Catalog): FunctionSet {
  const set: FunctionSet = {};
  for (const use of ['filter', 'transform', 'routing'] as const) {
    const found = catalog.functions.find(({ name }) => name === settings[use]);
    if (found) set[use] = found;
  }
  return set;
}

export const rulesOf = ({ settings: { actions, filter_leave } }: CatalogSink): Rules => ({
  deleteOnLeave: filter_leave === 'delete',
  inserts: actions.includes('insert'),
  updates: actions.includes('update'),
  deletes: actions.includes('delete'),
});
