/**
 * For platforms and load balancers, without a token: /livez (this process), /readyz (the message database and its
 * schema), /healthz (sinks and sources). They show names and states; a destination's answers, which may hold values, are
 * in the views and the API.
 */
import type { Queryable } from '../../db/pool.ts';
import { isReady, readHealth } from '../../messages/health.ts';
import { MillraceError } from '../../model/errors.ts';
import { sendJson } from '../answer.ts';
import { type Mount, methodNotAllowed } from '../route.ts';

/** States of a source in which nobody has to do anything. */
const WELL = new Set<string | null>(['starting', 'streaming', 'standby', null]);
const PATIENCE_MS = 3_000;

export function healthRoutes(deps: { db: Queryable }): Mount {
  return (app) => {
    app
      .route('/livez')
      .get((_request, response) => sendJson(response, 200, { status: 'ok' }))
      .all(methodNotAllowed('GET'));
    app
      .route('/readyz')
      .get(async (_request, response) => {
        if (!(await soon(isReady(deps.db)))) {
          throw new MillraceError('unavailable', 'The schema of the message database is missing', {
            remedy: 'Run `bin/millrace migrate`, or `bin/millrace start`, which does.',
          });
        }
        sendJson(response, 200, { status: 'ok' });
      })
      .all(methodNotAllowed('GET'));
    app
      .route('/healthz')
      .get(async (_request, response) => {
        const { sinks, databases } = await soon(readHealth(deps.db));
        const well =
          databases.every(({ state }) => WELL.has(state)) &&
          sinks.every(({ status, health }) => status !== 'active' || health === 'ok');
        if (!well) response.setHeader('Retry-After', '30');
        sendJson(response, well ? 200 : 503, { status: well ? 'ok' : 'failing', databases, sinks });
      })
      .all(methodNotAllowed('GET'));
  };
}

/** Who asks for health wants an answer, also from a database that gives none. */
async function soon<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new MillraceError('unavailable', `The message database did not answer for ${PATIENCE_MS} ms`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
