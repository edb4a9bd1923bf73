/** Lists come in pages: a cursor is the place after which the next page begins, and belongs to the filter it was made with. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { MillraceError } from '../model/errors.ts';
import { int } from '../model/scalars.ts';

const MOST = 1_000;

/** Of the query string of every list. */
export const PAGE = { limit: int(1, MOST).default(MOST), cursor: z.string().max(2_000).optional() };

export interface PageInput {
  limit: number;
  cursor?: string | undefined;
}

const Cursor = z.object({ after: z.string(), filter: z.record(z.string(), z.unknown()) });

/** `rows` by name, those that fit the filter. `next_cursor` is null on the last page. @throws MillraceError bad_request. */
export function pageOf<Row extends { name: string }>(
  rows: readonly Row[],
  { limit, cursor }: PageInput,
  filter: Record<string, unknown>,
): { data: readonly Row[]; next_cursor: string | null } {
  const plain = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const after = cursor === undefined ? undefined : placeOf(cursor, plain);
  const left = after === undefined ? rows : rows.filter(({ name }) => name > after);
  const data = left.slice(0, limit);
  if (data.length === left.length) return { data, next_cursor: null };
  const place: z.infer<typeof Cursor> = { after: data.at(-1)!.name, filter: plain };
  return { data, next_cursor: Buffer.from(JSON.stringify(place)).toString('base64url') };
}

function placeOf(cursor: string, filter: object): string {
  const place = read(cursor);
  if (place !== undefined && isDeepStrictEqual(place.filter, filter)) return place.after;
  const remedy = 'Take `next_cursor` of an answer to the same query, or leave it out.';
  const message = place === undefined ? 'is not one of ours' : 'was made for another filter';
  throw new MillraceError('bad_request', 'Not valid: cursor', { faults: [{ field: 'cursor', message, remedy }] });
}

function read(cursor: string): z.infer<typeof Cursor> | undefined {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
