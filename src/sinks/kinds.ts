/** Every kind of sink: adding one is a folder here and a line below. */
import { changeTable } from './change-table/kind.ts';
import type { SinkKind } from './contract.ts';
import { pull } from './pull/kind.ts';
import { searchIndex } from './search-index/kind.ts';
import { webhook } from './webhook/kind.ts';

/** In the order in which faults list them. */
export const KINDS: readonly SinkKind[] = [pull, searchIndex, webhook, changeTable];

/** By its type in the catalog. Undefined: this release does not know it. */
export function kindOfType(type: string): SinkKind | undefined {
  return KINDS.find((kind) => kind.type === type);
}

/** By one of its names in `destination.type`. */
export function kindNamed(name: unknown): SinkKind | undefined {
  return KINDS.find((kind) => kind.names.some((one) => one === name));
}
