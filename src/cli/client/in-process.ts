/** The client that does in this process what a route does, on DATABASE_URL or the embedded server of this folder. */
import { randomUUID } from 'node:crypto';
import { refuseBadFunctions } from '../../admin/check-functions.ts';
import { examine } from '../../admin/doctor/examine.ts';
import { listDatabases } from '../../admin/list-databases.ts';
import { listSinks } from '../../admin/list-sinks.ts';
import { groupMessages } from '../../admin/message-groups.ts';
import { readOverview } from '../../admin/overview.ts';
import { previewReplay } from '../../admin/replay.ts';
import { ackNow, receiveNow } from '../../admin/tail.ts';
import { openTryFunctions } from '../../admin/try-functions.ts';
import { bodyOf } from '../../api/body.ts';
import { managementError } from '../../api/errors.ts';
import { textOf } from '../../api/raw-json.ts';
import { replyOf, versionsOf } from '../../api/reply.ts';
import type { ApiDeps, Asking, Route } from '../../api/route.ts';
import { ROUTES } from '../../api/routes.ts';
import { refuseUnstorable, validate } from '../../api/validate.ts';
import { freeStorage } from '../../catalog/apply/remove-sink.ts';
import type { Database } from '../../db/pool.ts';
import { MillraceError } from '../../model/errors.ts';
import { isLoopback } from '../../model/loopback.ts';
import { createLog } from '../../runtime/log.ts';
import { keyRing } from '../../runtime/secret-key.ts';
import type { Settings } from '../../runtime/settings.ts';
import { operator, withMessages } from '../connect.ts';
import { operatorSettings } from '../settings.ts';
import type { Place } from '../terminal.ts';
import type { Answer, Client, Request } from './client.ts';

/** For transactions that are in the way of freeing the storage of what was removed. */
const FREE_MS = 1_000;
const SILENT = createLog({ level: 'silent', role: 'cli' });
const NEVER = new AbortController().signal;

export async function withProcess<Result>(place: Place, work: (client: Client) => Promise<Result>): Promise<Result> {
  // Few routes need SECRET_KEY: that it is missing is said by those.
  const settings = await operatorSettings(place.home, place.env).catch((fault: unknown) => ({ fault }));
  const functions = openTryFunctions(SILENT);
  try {
    return await withMessages(
      place,
      async (db) => await work(clientOf({ ...depsOf(db, settings), functions }, whereOf(place))),
    );
  } finally {
    await functions.close();
  }
}

const whereOf = ({ env, home }: Place): string =>
  env.DATABASE_URL ? 'the database of DATABASE_URL' : `the embedded server of ${home}`;

function clientOf(deps: ApiDeps, where: string): Client {
  const ask = async (request: Request): Promise<Answer> =>
    (await pulled(deps, request)) ?? (await run(routeOf(request), deps, request));
  return { where, isRemote: false, ask };
}

/** What needs no database. @throws MillraceError of the route. */
export async function askWithoutDatabase(request: Request): Promise<Answer> {
  return await run(routeOf(request), {} as ApiDeps, request);
}

/** The pull API, of which a command needs two routes. */
async function pulled({ db }: ApiDeps, { route, params = {}, body }: Request): Promise<Answer | undefined> {
  const verb = /^POST \/api\/http_pull_consumers\/:consumer\/(receive|ack)$/.exec(route)?.[1];
  if (verb === undefined) return undefined;
  const { consumer = '' } = params;
  const { batch_size = 1, ack_ids = [] }: { batch_size?: number; ack_ids?: string[] } = Object(body);
  const text = verb === 'ack' ? await ackNow(db, consumer, ack_ids) : await receiveNow(db, consumer, batch_size);
  return { status: 200, text, etag: undefined };
}

function routeOf({ route: wanted }: Request): Route {
  const found = ROUTES.find(({ method, path }) => `${method} ${path}` === wanted);
  if (found === undefined) throw new MillraceError('not_found', `this release has no route ${wanted}`);
  return found;
}

/** Whoever has the message database's password may everything. */
const asking = ({ ifMatch }: Request): Asking => ({
  ...{ by: operator(), requestId: randomUUID(), ifMatch: versionsOf(ifMatch) },
  ...{ token: '', scopes: ['admin'], may: () => true },
  client: { address: 'this machine', userAgent: null },
});

async function run(route: Route, deps: ApiDeps, request: Request): Promise<Answer> {
  const result = await route.run(deps, inputOf(route, request), asking(request)).catch((error: unknown) => {
    throw managementError(error);
  });
  const { status, body, etag } = replyOf(route, result);
  return { status, text: textOf(body), etag };
}

function inputOf(route: Route, { params = {}, query = {}, body = {} }: Request): unknown {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const input = validate(route.input, { ...Object.fromEntries(given), ...params });
  refuseUnstorable(input, 'bad_request');
  if (route.body === undefined) return input;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const read = validate(route.body, bodyOf(text, route.texts), 'invalid');
  refuseUnstorable(read, 'invalid');
  return { ...input, body: read };
}

function depsOf(db: Database, known: Settings | { fault: unknown }): Omit<ApiDeps, 'functions'> {
  const settings = (): Settings => {
    if ('fault' in known) throw known.fault;
    return known;
  };
  return {
    db,
    sinks: () => listSinks(db, 'sinks'),
    changeRetentions: () => listSinks(db, 'change_retentions'),
    databases: () => listDatabases(db),
    overview: () => readOverview(db, Date.now),
    messageGroups: (sinkNo) => groupMessages(db, sinkNo),
    config: {
      db,
      // Whoever has the address of the message database runs the machine.
      privateOk: true,
      get keys() {
        return keyRing(settings());
      },
      get loopbackOnly() {
        return isLoopback(settings().host);
      },
      tryFunctions: (functions) => refuseBadFunctions(functions, SILENT),
      freeStorage: async () => void (await freeStorage(db, FREE_MS).catch(() => false)),
    },
    examine: (request) => examine({ settings: settings(), log: SILENT, now: Date.now }, request, NEVER),
    async outside(work) {
      const { privateAllowed, ...rest } = settings();
      const allowed = privateAllowed === 'declared' ? true : privateAllowed;
      return await work({ db, messages: db, keys: keyRing(rest), privateAllowed: allowed }, NEVER);
    },
    previewReplay(options) {
      const { privateAllowed, ...rest } = settings();
      return previewReplay({ db, keys: keyRing(rest), privateAllowed }, options, NEVER);
    },
  };
}
