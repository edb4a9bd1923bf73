/**
 * For platforms and load balancers, without a token: /livez (this process), /readyz (the message database and its
 * schema), /healthz (sinks and sources); and / with the same in a line, where no browser asks. They show names, states and codes; a destination's
 * answers, which may hold values, are in the views and the API. What is asked of the database is asked once a second at most, however many look.
 */
import { type BaseUrl, databasePage, sinkPage } from '../../admin/pages.ts';
import type { Queryable } from '../../db/pool.ts';
import { readSchemaFault } from '../../db/schema-version.ts';
import { type DatabaseHealth, readHealth, type SinkHealth, worstOf } from '../../messages/health.ts';
import { MillraceError } from '../../model/errors.ts';
import { sendJson } from '../answer.ts';
import { remembered } from '../remembered.ts';
import { type Mount, methodNotAllowed } from '../route.ts';

/** Nobody knows, when the message database does not say. */
const UNREACHABLE = { status: 'unknown', reasons: ['message_database'] };
const PATIENCE_MS = 3_000;

export interface HealthDependencies {
  /** A connection that no request can keep busy. */
  db: Queryable;
  /** How long an answer is given again; 1,000. */
  keepMs?: number | undefined;
  /** Null, if absent. */
  baseUrl?: BaseUrl;
}

export function healthRoutes(deps: HealthDependencies): Mount {
  const { keepMs = 1_000, baseUrl = null } = deps;
  const schemaFault = remembered(() => readSchemaFault(deps.db), { keepMs });
  const health = remembered(async () => withLinks(await readHealth(deps.db), baseUrl), { keepMs });
  return (router) => {
    router
      .route('/livez')
      .get((_request, response) => sendJson(response, 200, { status: 'ok' }))
      .all(methodNotAllowed('GET'));
    router
      .route('/readyz')
      .get(async (_request, response) => {
        const fault = await soon(schemaFault());
        if (fault) throw fault;
        sendJson(response, 200, { status: 'ok' });
      })
      .all(methodNotAllowed('GET'));
    router
      .route('/healthz')
      .get(async (_request, response) => {
        const found = await soon(health()).catch(() => undefined);
        const { status, reasons } = found ? worstOf([...found.databases, ...found.sinks]) : UNREACHABLE;
        const works = status === 'ok' || status === 'warning';
        if (!works) response.setHeader('Retry-After', found ? '30' : '1');
        const { databases, sinks } = found ?? { databases: [], sinks: [] };
        sendJson(response, works ? 200 : 503, { status, reasons, databases, sinks });
      })
      .all(methodNotAllowed('GET'));
    router
      .route('/')
      .get(async (request, response, next) => {
        // A browser gets the console; curl and its like take anything, and get a line.
        if (request.accepts(['text/plain', 'text/html']) === 'text/html') return next('route');
        response.writeHead(200, {
          'Content-Type': 'text/plain; charset=utf-8',
          'Cache-Control': 'no-store',
          Vary: 'Accept',
        });
        // Without the database there is still something to say.
        response.end(`Millrace. ${summary(await soon(health()).catch(() => undefined))} See /healthz\n`);
      })
      .all(methodNotAllowed('GET'));
  };
}

/** With BASE_URL: each with its page in the console. */
function withLinks({ sinks, databases }: Awaited<ReturnType<typeof readHealth>>, baseUrl: BaseUrl) {
  if (baseUrl === null) return { sinks, databases };
  return {
    sinks: sinks.map((sink) => ({ ...sink, link: sinkPage(baseUrl, sink) })),
    databases: databases.map((database) => ({ ...database, link: databasePage(baseUrl, database.name) })),
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

/** All of it in one sentence. `health`: undefined where the message database did not say. */
function summary(health: { databases: readonly DatabaseHealth[]; sinks: readonly SinkHealth[] } | undefined): string {
  if (health === undefined) return 'The message database cannot be reached, or has no schema yet.';
  const all = [...health.databases, ...health.sinks];
  const ill = all.filter(({ level }) => level !== 'ok').length;
  if (all.length === 0) return 'Nothing is declared yet.';
  if (ill === 0) return `All is well: ${count(health.databases, 'database')}, ${count(health.sinks, 'sink')}.`;
  return `${ill} of ${all.length} databases and sinks ${ill === 1 ? 'needs' : 'need'} attention.`;
}

const count = (list: readonly unknown[], name: string): string =>
  `${list.length} ${name}${list.length === 1 ? '' : 's'}`;
