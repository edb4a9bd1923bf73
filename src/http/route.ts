/** What every route needs: methods that are not there, and the shape of a part of the API. */
import type { IRouter, RequestHandler } from 'express';
import { MillraceError } from '../model/errors.ts';

/** Adds a part of the API to the server. */
export type Mount = (router: IRouter) => void;

/** Answers 405 and names the methods that are there. */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    throw new MillraceError('method_not_allowed', `This path understands ${allowed.join(' and ')}`);
  };
}
