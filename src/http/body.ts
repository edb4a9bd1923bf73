/**
 * Request bodies: JSON of at most 1 MB, or none. Used behind authentication, so that nobody else makes us read them.
 */
import express, { type RequestHandler } from 'express';
import { MillraceError } from '../model/errors.ts';

const parse = express.json({ limit: 1024 * 1024, type: () => true });
const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i;

/** Fills `request.body`; with `{}` when the body is empty. No Content-Type at all is taken for JSON. */
export const jsonBody: RequestHandler = (request, response, next) => {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  const empty = chunked === undefined && (length === undefined || length === '0');
  if (!empty && type !== undefined && !JSON_TYPE.test(type)) {
    throw new MillraceError('unsupported_media_type', 'The body must be JSON (Content-Type: application/json)');
  }
  parse(request, response, (error?: unknown) => {
    request.body ??= {};
    next(error);
  });
};
