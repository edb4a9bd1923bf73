/** What a sink has functions for, and those that are written with it. */
import { nameFrom } from '../../../lib/name.ts';
import { kindOfType } from '../kinds.ts';
import type { SinkEntry } from './entry.ts';

export type Use = 'filter' | 'transform' | 'routing';

interface UseForm {
  label: string;
  /** Functions of these types can be picked; the first one is written. */
  types: readonly [Use, ...string[]];
  /** Without a function. */
  none: string;
  /** Behind the name of its table, in the name that is proposed for it. */
  suffix: string;
}

export const USES: Readonly<Record<Use, UseForm>> = {
  filter: { label: 'Filter', types: ['filter'], none: 'Send every row', suffix: 'filter' },
  transform: { label: 'Transform', types: ['transform', 'path'], none: 'Send the row as it is', suffix: 'document' },
  routing: { label: 'Routing', types: ['routing'], none: 'Send all to the index above', suffix: 'routing' },
};

/** A function that is still being written; it is made with the sink. Without a name it gets the proposed one. */
export interface Written {
  name: string;
  code: string;
}

export type AllWritten = Partial<Record<Use, Written>>;

/** `products-document` */
export function proposedFunction(use: Use, { source, database }: SinkEntry): string {
  const table = source.include_tables?.[0];
  return nameFrom(table?.slice(table.indexOf('.') + 1) ?? database, `-${USES[use].suffix}`);
}

/** Those that such a sink has, each with its name, in the order in which they are made. */
export function functionsOf(entry: SinkEntry, written: AllWritten): readonly (Written & { use: Use })[] {
  return usesOf(entry).flatMap((use) => {
    const one = written[use];
    return one === undefined ? [] : [{ use, code: one.code, name: one.name.trim() || proposedFunction(use, entry) }];
  });
}

/** Only into a search index can a function say where a row goes. */
export const usesOf = ({ destination }: SinkEntry): readonly Use[] =>
  kindOfType(destination.type).isIndex ? ['filter', 'transform', 'routing'] : ['filter', 'transform'];
