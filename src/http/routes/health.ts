/**
 * For platforms and load balancers, without a token: /livez (this process), /readyz (the message database and its
 * schema), /healthz (sinks and sources); and / with the same for people. They show names and states; a destination's answers, which may hold values, are
 * in the views and the API. What is asked of the database is asked once a second at most, however many look.
 */
import type { Queryable } from '../../db/pool.ts';
import { type DatabaseHealth, isReady, readHealth, type SinkHealth } from '../../messages/health.ts';
import { MillraceError } from '../../model/errors.ts';
import { sendJson } from '../answer.ts';
import { homePage, PAGE_HEADERS, summary } from '../home-page.ts';
import { remembered } from '../remembered.ts';
import { type Mount, methodNotAllowed } from '../route.ts';

/** States of a source in which nobody has to do anything. */
const WELL = new Set<string | null>(['starting', 'streaming', 'standby', null]);
const PATIENCE_MS = 3_000;

export interface HealthDependencies {
  /** A connection that no request can keep busy. */
  db: Queryable;
  /** How long an answer is given again; 1,000. */
  keepMs?: number | undefined;
}

export function healthRoutes(deps: HealthDependencies): Mount {
  const { keepMs = 1_000 } = deps;
  const ready = remembered(() => isReady(deps.db), { keepMs });
  const health = remembered(() => readHealth(deps.db), { keepMs });
  return (app) => {
    app
      .route('/livez')
      .get((_request, response) => sendJson(response, 200, { status: 'ok' }))
      .all(methodNotAllowed('GET'));
    app
      .route('/readyz')
      .get(async (_request, response) => {
        if (!(await soon(ready()))) {
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
        const { sinks, databases } = await soon(health());
        const well = [...databases, ...sinks].every(isWell);
        if (!well) response.setHeader('Retry-After', '30');
        sendJson(response, well ? 200 : 503, { status: well ? 'ok' : 'failing', databases, sinks });
      })
      .all(methodNotAllowed('GET'));
    app
      .route('/')
      .get(async (request, response) => {
        // Without the database there is still something to say.
        const home = { health: await soon(health()).catch(() => undefined), isWell, at: new Date() };
        // curl and its like take anything, and get a line.
        if (request.accepts(['text/plain', 'text/html']) === 'text/html') {
          response.writeHead(200, PAGE_HEADERS).end(homePage(home));
        } else {
          response.writeHead(200, {
            'Content-Type': 'text/plain; charset=utf-8',
            'Cache-Control': 'no-store',
            Vary: 'Accept',
          });
          response.end(`Millrace. ${summary(home)} See /healthz\n`);
        }
      })
      .all(methodNotAllowed('GET'));
  };
}

/** Has nobody to do anything about it? */
const isWell = (one: DatabaseHealth | SinkHealth): boolean =>
  'kind' in one ? one.status !== 'active' || one.health === 'ok' : WELL.has(one.state);

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
