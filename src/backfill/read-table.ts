/** Reads a table page by page, in key order. */

import type { LoadedRelation } from '../routing/relation.ts';
import type { TableColumn, TableDescription } from '../source/describe-table.ts';
import { holdTable } from '../source/hold-table.ts';
import type { PageRequest } from '../source/page-sql.ts';
import { estimateRows, type PageBudget, readPage } from '../source/read-page.ts';
import { putRows } from './put-rows.ts';
import type { Part, Reader } from './reader.ts';

export interface TableInput {
  table: TableDescription;
  relation: LoadedRelation;
  sort: TableColumn | undefined;
  from: string | undefined;
  budget: PageBudget;
}

interface Position {
  after: string[];
  /** In which order it is a place; absent: a release before has written it. */
  order?: string;
  /** Of which table; absent: a release before has written it. */
  oid?: number;
}

export function openTableReader(input: TableInput, now: () => number): Reader {
  const { table, relation, budget } = input;
  const order = `${input.sort?.typeOid ?? ''} ${table.keyOrder}`;
  const requestAt = (position: unknown): PageRequest => {
    const { after, order: of = order, oid = table.oid } = (position ?? {}) as Partial<Position>;
    // In another order, or another table, it is no place: the backfill begins again.
    return { table, sort: input.sort, from: input.from, after: of === order && oid === table.oid ? after : undefined };
  };
  let fresh = true;
  /** Bytes of a row of the page before: the next ones are hardly twice as large. */
  let rowBytes: number | undefined;
  return {
    oid: table.oid,
    actions: relation.routes[0]!.actions,
    total: (client) => estimateRows(client, requestAt(null)),
    async read(client, position): Promise<Part> {
      await holdTable(client, table);
      const page = await readPage({ client, now }, requestAt(position), { ...budget, rowBytes });
      if (page.rows.length > 0) rowBytes = page.bytes / page.rows.length;
      return {
        position: page.last === undefined ? position : ({ after: page.last, order, oid: table.oid } satisfies Position),
        ended: page.ended,
        read: page.rows.length,
        put(pending, place) {
          const count = putRows(pending, place, { relation, rows: page.rows, as: 'read', fresh });
          fresh = false;
          return count;
        },
      };
    },
  };
}
