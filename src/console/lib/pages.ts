/** Lists that come page by page. */

/** All of it: `read` asks for a page, the first one without a cursor. */
export async function allPages<Row>(
  read: (cursor: string | undefined) => Promise<{ data: readonly Row[]; next_cursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await read(cursor);
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}

/**
 * Pages with newer rows on top. No more than `most` rows are kept: the oldest pages go, and are read again by whoever comes to the
 * end. The first one stays whole, since only a page's end is a place that one can go on from.
 */
export function withNewer<Row, Page extends { data: Row[] }>(
  pages: readonly Page[],
  newer: readonly Row[],
  { most, order }: { most: number; order: (one: Row, other: Row) => number },
): Page[] {
  const [first, ...rest] = pages;
  if (first === undefined) return [];
  const kept = [{ ...first, data: [...newer, ...first.data].sort(order) }];
  let rows = kept[0]!.data.length;
  for (const page of rest) {
    rows += page.data.length;
    if (rows > most) break;
    kept.push(page);
  }
  return kept;
}
