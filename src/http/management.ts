/**
 * Mounts the management routes (`api/routes.ts`): the token is looked up and its scope compared before anything is read of
 * the request. Whatever many ask at once is asked of the database once a second.
 */
import type { RequestHandler } from 'express';
import { listSinks } from '../admin/list-sinks.ts';
import type { ApiDeps, Route } from '../api/route.ts';
import { ROUTES } from '../api/routes.ts';
import type { Queryable } from '../db/pool.ts';
import { sendJson } from './answer.ts';
import { type FindToken, identify, requireScope } from './auth.ts';
import { remembered } from './remembered.ts';
import { type Mount, methodNotAllowed } from './route.ts';
import { validate } from './validate.ts';

const KEEP_MS = 1_000;

export interface ManagementDependencies {
  /** So that lists never keep receivers waiting. */
  db: Queryable;
  findToken: FindToken;
  /** How long an answer of the database is given again; 1,000. */
  keepMs?: number | undefined;
}

export function managementRoutes({ db, findToken, keepMs = KEEP_MS }: ManagementDependencies): Mount {
  const deps: ApiDeps = { sinks: remembered(() => listSinks(db), { keepMs }) };
  return (router) => {
    for (const route of ROUTES) {
      router
        .route(route.path)
        .all(tellApart)
        .get(answering(route, { deps, findToken }))
        .all(methodNotAllowed(route.method));
    }
  };
}

/** Its errors have the form of management routes. */
const tellApart: RequestHandler = (_request, response, next) => {
  response.locals.isManagement = true;
  next();
};

function answering(route: Route, { deps, findToken }: { deps: ApiDeps; findToken: FindToken }): RequestHandler {
  return async (request, response) => {
    const { scopes } = await identify(findToken, request);
    requireScope(scopes, route.scope);
    const input = validate(route.input, { ...request.query, ...request.params });
    sendJson(response, 200, await route.run(deps, input, { isAdmin: scopes.includes('admin') }));
  };
}
