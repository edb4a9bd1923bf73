/** What a route answered, as HTTP says it; and which versions of a thing a request is about. */
import { MillraceError } from '../model/errors.ts';
import { Begun } from './begun.ts';
import { Created } from './created.ts';
import type { Route } from './route.ts';
import { Signed } from './signed.ts';

export interface Reply {
  status: number;
  body: unknown;
  /** Where what was made or begun is found. */
  location?: string;
  /** The version of a thing, for whoever changes it: `If-Match`. */
  etag?: string;
}

/** `result`: of the route's `run`. */
export function replyOf({ creates }: Pick<Route, 'creates'>, result: unknown): Reply {
  if (result instanceof Begun) return { status: 202, location: result.location, ...tagged(result.body) };
  if (result instanceof Created) return { status: creates ?? 201, location: result.location, ...tagged(result.body) };
  return { status: 200, ...tagged(result instanceof Signed ? result.body : result) };
}

function tagged(body: unknown): Pick<Reply, 'body' | 'etag'> {
  if (typeof body !== 'object' || body === null || !('version' in body)) return { body };
  return typeof body.version === 'number' ? { body, etag: `"${body.version}"` } : { body };
}

/** @throws MillraceError bad_request for what we never gave as `ETag`. */
export function versionsOf(header: string | undefined): number[] | null {
  if (header === undefined || header.trim() === '*') return null;
  const tags = header.split(',').map((tag) => /^(?:W\/)?"?(\d{1,9})"?$/.exec(tag.trim())?.[1]);
  if (tags.every((tag) => tag !== undefined)) return tags.map(Number);
  const message = 'must be the `ETag` of an answer, as "7", or *';
  throw new MillraceError('bad_request', 'If-Match cannot be read', { faults: [{ field: 'If-Match', message }] });
}
