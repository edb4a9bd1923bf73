/**
 * Mounts the management routes (`api/routes.ts`): the token is looked up and its scope compared before anything is read of
 * the request. Whatever many ask at once is asked of the database once a second.
 */
import type { Request, RequestHandler, Response } from 'express';
import { refuseBadFunctions } from '../admin/check-functions.ts';
import { listDatabases } from '../admin/list-databases.ts';
import { listSinks } from '../admin/list-sinks.ts';
import { groupMessages } from '../admin/message-groups.ts';
import { readOverview } from '../admin/overview.ts';
import { readLetters } from '../admin/setup.ts';
import type { TryFunctions } from '../admin/try-functions.ts';
import { managementError } from '../api/errors.ts';
import { notValid } from '../api/not-valid.ts';
import { versionsOf } from '../api/reply.ts';
import type { ApiDeps, Asking, Route } from '../api/route.ts';
import { ROUTES } from '../api/routes.ts';
import { validate } from '../api/validate.ts';
import { actingSql } from '../catalog/audit.ts';
import { openSessions } from '../catalog/sessions.ts';
import { limitSql } from '../db/deadline.ts';
import type { Database, Transacting } from '../db/pool.ts';
import { allows } from '../model/scope.ts';
import type { Notifications } from '../receive/consumer.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { Resolver } from '../runtime/checked-lookup.ts';
import type { Places } from '../runtime/concurrency/places.ts';
import { createSemaphore } from '../runtime/concurrency/semaphore.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { ShownSetting } from '../runtime/shown-settings.ts';
import { type Admission, type AdmissionOptions, createAdmission } from './admission.ts';
import { sendText } from './answer.ts';
import type { Caller, FindToken } from './auth.ts';
import { bodyBytes, jsonTextOf, parsedBody } from './body.ts';
import { type Callers, openCallers } from './callers.ts';
import { clientOf } from './client-address.ts';
import { type Examine, rememberedExaminations } from './examinations.ts';
import { freeing } from './freeing.ts';
import { reachingOut } from './outside.ts';
import { previewing } from './previewing.ts';
import { remembered, rememberedBy } from './remembered.ts';
import { type Mount, methodNotAllowed } from './route.ts';
import type { ServerLog } from './server.ts';
import { acceptedMs, ageOf, answerOf, sharedAnswers } from './shared-answers.ts';

const KEEP_MS = 1_000;
const OVERVIEW_MS = 2_000;
const GROUPS_MS = 10_000;
const STATEMENT_MS = 5_000;

export interface ManagementDependencies {
  db: Database;
  /** Shares the connections of `db`, so that lists never keep receivers waiting. */
  places: Places;
  findToken: FindToken;
  /** Says when sessions have changed. */
  listener: Notifications;
  /** What sealed the secrets. */
  keys: KeyRing;
  log: ServerLog;
  /** Only this machine reaches the port. */
  loopbackOnly: boolean;
  examine: Examine;
  privateAllowed: PrivateAllowed;
  /** Of the names of servers; by the system, if absent. */
  resolver?: Resolver | undefined;
  functions: TryFunctions;
  settings: readonly ShownSetting[];
}

export interface ManagementOptions {
  /** TRUST_PROXY; 0. */
  proxies?: number | undefined;
  /** How long an answer of the database is given again; 1,000. */
  keepMs?: number | undefined;
  admission?: AdmissionOptions | undefined;
}

interface Handling {
  /** What is changed with it is recorded in the name of the caller. */
  depsOf(caller: Caller, requestId: string): ApiDeps;
  sharedAnswer: ReturnType<typeof sharedAnswers>;
  callers: Callers;
  /** Before us, which say where a request comes from. */
  proxies: number;
  admission: Admission;
}

export function managementRoutes(given: ManagementDependencies, options: ManagementOptions = {}): Mount {
  const db = inPlaces(given);
  const { keepMs = KEEP_MS } = options;
  const deps: ApiDeps = {
    db,
    sinks: remembered(() => listSinks(db, 'sinks'), { keepMs }),
    changeRetentions: remembered(() => listSinks(db, 'change_retentions'), { keepMs }),
    databases: remembered(() => listDatabases(db), { keepMs }),
    config: configOf(given, db),
    examine: rememberedExaminations(given.examine),
    previewReplay: previewing(db, given),
    messageGroups: rememberedBy((sinkNo: number) => groupMessages(db, sinkNo), {
      keyOf: (sinkNo) => sinkNo,
      keepMs: Math.min(10 * keepMs, GROUPS_MS),
    }),
    outside: reachingOut({ ...given, db, messages: given.db }),
    functions: given.functions,
    settings: () => given.settings,
    overview: remembered(() => readOverview(db, Date.now), { keepMs: Math.min(2 * keepMs, OVERVIEW_MS) }),
  };
  const handling: Handling = {
    depsOf({ by }, requestId) {
      const acting = inPlaces(given, actingSql(by, requestId));
      return { ...deps, db: acting, config: { ...deps.config, db: acting } };
    },
    sharedAnswer: sharedAnswers(deps),
    callers: openCallers({
      findToken: given.findToken,
      sessions: openSessions({ db, listener: given.listener }),
      letters: lettersOf(db),
    }),
    proxies: options.proxies ?? 0,
    admission: createAdmission(options.admission),
  };
  return (router) => {
    for (const [path, routes] of Map.groupBy(ROUTES.toSorted(literalFirst), (route) => route.path)) {
      const mounted = router.route(path).all(tellApart);
      for (const route of routes) {
        const verb = route.method.toLowerCase() as Lowercase<Route['method']>;
        mounted[verb](
          admitting(route, handling),
          ...(route.body ? [jsonTextOf(route.maxBytes)] : []),
          answering(route, handling),
        );
      }
      mounted.all(methodNotAllowed(...routes.map(({ method }) => method)));
    }
  };
}

/** Read once: it never changes. */
function lettersOf(db: Transacting): () => Promise<string> {
  let letters: Promise<string> | undefined;
  return () => {
    letters ??= readLetters(db).catch((error: unknown) => {
      letters = undefined;
      throw error;
    });
    return letters;
  };
}

/** `/messages/retry` is no message of that name. */
function literalFirst(one: Route, other: Route): number {
  const [a, b] = [one, other].map(({ path }) => path.replaceAll(/:\w+/g, '~'));
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}

/** One sandbox at a time: each is a process of its own. */
function configOf(
  { db, keys, log, loopbackOnly, ...given }: ManagementDependencies,
  turns: Transacting,
): ApiDeps['config'] {
  const alone = createSemaphore(1);
  return {
    ...{
      db: turns,
      keys,
      loopbackOnly,
      reach: { allowed: given.privateAllowed, ...(given.resolver && { resolver: given.resolver }) },
    },
    tryFunctions: (functions) => alone(() => refuseBadFunctions(functions, log)),
    freeStorage: freeing(db, log),
  };
}

/** Takes its turn with the consumers, two at a time, and gives up where a statement takes too long. */
function inPlaces({ db, places }: ManagementDependencies, acting?: string): Transacting {
  const transaction: Transacting['transaction'] = (work) =>
    places.take(['management'], () =>
      db.transaction(work, [limitSql({ statementMs: STATEMENT_MS }), ...(acting ? [acting] : [])].join('; ')),
    );
  return { transaction, query: (statement, values) => transaction((tx) => tx.query(statement, values)) };
}

/** Its errors have the form of management routes. */
const tellApart: RequestHandler = (_request, response, next) => {
  response.locals.isManagement = true;
  next();
};

/** Before the body is read. */
function admitting(route: Route, { callers, admission, proxies }: Handling): RequestHandler {
  return async (request, response, next) => {
    const caller = await callers.of(request, route);
    response.locals.caller = caller;
    // What needs no token is counted by where it comes from: nobody keeps others from logging in.
    const name = route.scope === 'none' ? `client ${clientOf(request, proxies).address}` : `token ${caller.token}`;
    response.once('close', admission.enter([name], route.body ? bodyBytes(request, route.maxBytes) : 0));
    next();
  };
}

function answering(route: Route, { depsOf, sharedAnswer, callers, proxies }: Handling): RequestHandler {
  return async (request, response) => {
    // Once more: it sent its body meanwhile.
    const caller = await callers.of(request, route, response.locals.caller as Caller);
    const requestId = String(response.locals.requestId);
    const ifMatch = versionsOf(request.headers['if-match']);
    const client = clientOf(request, proxies);
    const asking: Asking = { ...caller, requestId, client, may: (scope) => allows(caller.scopes, scope), ifMatch };
    const question = { route, input: inputOf(route, request), asking };
    const asked = route.isShared
      ? sharedAnswer(question, { acceptMs: acceptedMs(request.headers['cache-control']) })
      : answerOf(depsOf(caller, requestId), question);
    const answer = await asked.catch((error: unknown) => {
      throw managementError(error);
    });
    const { status, text, location, etag, signed } = answer;
    if (signed !== undefined) await callers.sign(response, signed);
    if (location !== undefined) response.setHeader('Location', location);
    if (etag !== undefined) response.setHeader('ETag', etag);
    if (route.isShared) response.setHeader('Age', ageOf(answer));
    linkNext(request, response, answer.next);
    sendText(response, status, text);
  };
}

function inputOf(route: Route, request: Request): unknown {
  const { query, params } = request;
  const doubled = Object.keys(query).filter((name) => Object.hasOwn(params, name));
  if (doubled.length > 0) {
    const said = { message: 'stands in the path', remedy: 'Leave it out of the query.' };
    throw notValid(
      'bad_request',
      doubled.map((field) => ({ field, ...said })),
    );
  }
  const input = validate(route.input, { ...query, ...params });
  if (route.body === undefined) return input;
  return { ...input, body: validate(route.body, parsedBody(request, route.texts), 'invalid') };
}

/** The next page of a list, for clients that follow links. */
function linkNext(request: Request, response: Response, next: string | null): void {
  if (next === null) return;
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', next);
  response.setHeader('Link', `<${url.pathname}${url.search}>; rel="next"`);
}
