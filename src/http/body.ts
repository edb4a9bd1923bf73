/**
 * Request bodies: JSON of at most 1 MB (or what a route says), or none. Read behind authentication, so that nobody else makes
 * us do it, and parsed apart from that, because a large one takes a while in which nothing else runs.
 */
import express, { type Request, type RequestHandler } from 'express';
import { bodyOf } from '../api/body.ts';
import { MillraceError } from '../model/errors.ts';

const MAX_BYTES = 1024 * 1024;
const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/** How many bytes the body will have at most. */
export function bodyBytes(request: Request, most = MAX_BYTES): number {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': packed } = request.headers;
  if (chunked !== undefined || packed !== undefined) return most;
  return length === undefined ? 0 : Math.min(Number(length), most);
}

/** Fills `request.body` with the text. No Content-Type at all is taken for JSON. Throws MillraceError, and what express throws. */
export function jsonTextOf(most = MAX_BYTES): RequestHandler {
  const read = express.text({ limit: most, type: () => true, defaultCharset: 'utf-8' });
  return (request, response, next) => {
    refuseOtherTypes(request);
    read(request, response, next);
  };
}

export const jsonText: RequestHandler = jsonTextOf();

function refuseOtherTypes(request: Request): void {
  const type = request.headers['content-type'];
  if (bodyBytes(request) > 0 && type !== undefined) {
    if (!JSON_TYPE.test(type)) {
      throw new MillraceError('unsupported_media_type', 'The body must be JSON (Content-Type: application/json)');
    }
    if (!(CHARSET.exec(type)?.[1] ?? 'utf-8').toLowerCase().startsWith('utf-')) {
      throw new MillraceError('unsupported_media_type', 'The body must be JSON in UTF-8');
    }
  }
}

/**
 * The value of what `jsonText` read: `{}` when there was no body. `texts`: the keys that lead to a list whose items stay texts,
 * with every digit; RawJson each. @throws MillraceError bad_request
 */
export function parsedBody(request: Request, texts?: readonly string[]): unknown {
  const text: unknown = request.body;
  if (typeof text !== 'string' || text === '') return {};
  // `request.body` is not needed again, and may be large.
  request.body = undefined;
  return bodyOf(text, texts);
}
