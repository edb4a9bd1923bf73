/** A failure in the form of the API: as the service said it, else as the service would. */
import { randomUUID } from 'node:crypto';
import { errorBody } from '../api/errors.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { Refusal } from './client/over-http.ts';

export function errorText(error: unknown): string {
  if (error instanceof Refusal) return error.text;
  const known = error instanceof MillraceError ? error : new MillraceError('internal', messageOf(error));
  return JSON.stringify(errorBody(known, randomUUID()));
}
