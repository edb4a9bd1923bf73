/** Reads a table page by page, in key order. */
import type pg from 'pg';
import type { LoadedRelation } from '../capture/relation.ts';
import { estimateRows, type PageBudget, type PageRequest, readPage } from './read.ts';
import { type Part, type Reader, ReloadError } from './reader.ts';
import { putRows } from './rows.ts';
import { fingerprintOf, type SourceTable, sqlName, type TableColumn } from './table.ts';

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
  return {
    oid: table.oid,
    actions: relation.routes[0]!.actions,
    total: (client) => estimateRows(client, requestAt(null)),
    async read(client, position): Promise<Part> {
      await holdTable(client, table);
      const page = await readPage({ client, now }, requestAt(position), budget);
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
  await client.query(`lock table ${sqlName(table)} in access share mode`);
  const asked = {
    query: async <Row>(statement: { text: string } | string, values: readonly unknown[] = []) => {
      const text = typeof statement === 'string' ? statement : statement.text;
      const { rows, rowCount } = await client.query({ text, values: [...values] });
      return { rows: rows as Row[], rowCount: rowCount ?? 0 };
    },
  };
  if ((await fingerprintOf(asked, table.oid)) !== table.fingerprint) throw new ReloadError();
}
