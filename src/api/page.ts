/** Lists come in pages: a cursor is the place after which the next page begins, and belongs to the filter it was made with. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { MillraceError } from '../model/errors.ts';
import { int } from '../model/scalars.ts';

const MOST = 1_000;

/** Of the query string of every list of things. */
export const PAGE = { limit: int(1, MOST).default(MOST), cursor: z.string().max(2_000).optional() };

/** Of a list that grows without end: messages, operations. */
export const LONG_PAGE = { limit: int(1, 500).default(50), cursor: z.string().max(2_000).optional() };

export interface PageInput {
  limit: number;
  cursor?: string | undefined;
}

type Filter = Record<string, unknown>;

/**
 * `rows`: those that fit the filter, in the order of `name`, which no two share: a page begins after a name. `next_cursor` is
 * null on the last page. @throws MillraceError bad_request.
 */
export function pageOf<Row extends { name: string }>(
  rows: readonly Row[],
  { limit, cursor }: PageInput,
  filter: Filter,
): { data: readonly Row[]; next_cursor: string | null } {
  if (new Set(rows.map(({ name }) => name)).size < rows.length)
    throw new Error(
      'rows of a list share a name: a page that ends at one would lose the others. Make it of all that tells them apart',
    );
  const names = cursors(z.string(), filter);
  const after = names.read(cursor);
  const left = after === undefined ? rows : rows.filter(({ name }) => name > after);
  const data = left.slice(0, limit);
  return { data, next_cursor: names.write(data.length === left.length ? null : data.at(-1)!.name) };
}

interface Cursors<Place> {
  /** Undefined without one. @throws MillraceError bad_request. */
  read(cursor: string | undefined): Place | undefined;
  /** For the page behind this place; null: there is none. */
  write(place: Place | null): string | null;
}

/** Of a list whose places look like this. */
export function cursors<Place>(schema: z.ZodType<Place>, filter: Filter): Cursors<Place> {
  // As it looks after a way through JSON.
  const plain: unknown = JSON.parse(JSON.stringify(filter));
  const form = z.object({ after: schema, filter: z.unknown() });
  return {
    read(cursor) {
      if (cursor === undefined) return undefined;
      const found = form.safeParse(unpacked(cursor)).data;
      if (found !== undefined && isDeepStrictEqual(found.filter, plain)) return found.after;
      const remedy = 'Take `next_cursor` of an answer to the same query, or leave it out.';
      const message = found === undefined ? 'is not one of ours' : 'was made for another filter';
      throw new MillraceError('bad_request', 'Not valid: cursor', { faults: [{ field: 'cursor', message, remedy }] });
    },
    write: (after) =>
      after === null ? null : Buffer.from(JSON.stringify({ after, filter: plain })).toString('base64url'),
  };
}

function unpacked(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
