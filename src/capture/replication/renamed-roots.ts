/**
 * Partitioned tables that have got another name. Their partitions have not changed by that, so Postgres does not announce them anew, and
 * tells their changes under the former name for as long as the stream lasts. Another stream has the name of now.
 */
import type { PublishedTable } from '../../model/published-table.ts';
import type { LoadedRelation } from '../../routing/relation.ts';

/** Of one stream. */
export class RenamedRoots {
  /** As each was called when the stream saw it first: only what was renamed since is told wrongly. */
  readonly #first = new Map<number, string>();

  constructor(tables: readonly PublishedTable[]) {
    this.#renamed(tables);
  }

  /** Does the stream tell changes of one of these under a name that it does not have any more? */
  areToldAsBefore(tables: readonly PublishedTable[], relations: Iterable<LoadedRelation>): boolean {
    const renamed = this.#renamed(tables);
    if (renamed.size === 0) return false;
    for (const relation of relations) {
      const now = renamed.get(relation.oid);
      if (now !== undefined && now !== nameOf(relation)) return true;
    }
    return false;
  }

  #renamed(tables: readonly PublishedTable[]): Map<number, string> {
    const renamed = new Map<number, string>();
    for (const table of tables) {
      if (!table.partitioned) continue;
      const now = nameOf(table);
      const first = this.#first.get(table.oid);
      if (first === undefined) this.#first.set(table.oid, now);
      else if (first !== now) renamed.set(table.oid, now);
    }
    return renamed;
  }
}

const nameOf = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`;
