/** Reads a table page by page, in key order. */
import type pg from 'pg';
import type { LoadedRelation } from '../capture/relation.ts';
import { quoteTable } from '../model/quote.ts';
import { estimateRows, type PageBudget, type PageRequest, readPage } from './read.ts';
import { type Part, type Reader, ReloadError } from './reader.ts';
import { putRows } from './rows.ts';
import { fingerprintSql, type SourceTable, type TableColumn } from './table.ts';

export interface TableInput {
  table: SourceTable;
  relation: LoadedRelation;
  sort: TableColumn | undefined;
  from: string | undefined;
  budget: PageBudget;
}

interface Position {
  after: string[];
}

export function openTableReader(input: TableInput, now: () => number): Reader {
  const { table, relation, budget } = input;
  const requestAt = (position: unknown): PageRequest => {
    const after = (position as Position | null)?.after;
    return { table, sort: input.sort, from: input.from, after };
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
        position: page.last === undefined ? position : ({ after: page.last } satisfies Position),
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

/** Keeps the table as it is until the transaction ends, after the watermark. @throws ReloadError when it has changed. */
export async function holdTable(client: pg.ClientBase, table: SourceTable): Promise<void> {
  // One round trip: LOCK takes no snapshot, so the fingerprint is of a snapshot behind it.
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(
    `lock table ${quoteTable(table)} in access share mode; ${fingerprintSql(table.oid)}`,
  );
  const last = Array.isArray(result) ? result.at(-1) : result;
  if (last?.rows[0]?.fingerprint !== table.fingerprint) throw new ReloadError();
}
