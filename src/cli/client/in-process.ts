/** The client that does in this process what a route does, on DATABASE_URL or the embedded server of this folder. */
import { randomUUID } from 'node:crypto';
import { refuseBadFunctions } from '../../admin/check-functions.ts';
import { examine } from '../../admin/doctor/examine.ts';
import { exportConfig } from '../../admin/export-config.ts';
import { listDatabases } from '../../admin/list-databases.ts';
import { listSinks } from '../../admin/list-sinks.ts';
import { groupMessages } from '../../admin/message-groups.ts';
import { readOverview } from '../../admin/overview.ts';
import { previewReplay } from '../../admin/replay.ts';
import { ackNow, receiveNow } from '../../admin/tail.ts';
import { openTryFunctions, type TryFunctions } from '../../admin/try-functions.ts';
import { bodyOf } from '../../api/body.ts';
import { managementError } from '../../api/errors.ts';
import { textOf } from '../../api/raw-json.ts';
import { replyOf, versionsOf } from '../../api/reply.ts';
import type { ApiDeps, Asking, Route } from '../../api/route.ts';
import { ROUTES } from '../../api/routes.ts';
import { validate } from '../../api/validate.ts';
import { freeStorage } from '../../catalog/apply/remove-sink.ts';
import type { Database } from '../../db/pool.ts';
import { MillraceError } from '../../model/errors.ts';
import { isLoopback } from '../../model/loopback.ts';
import { createLog } from '../../runtime/log.ts';
import { keyRing } from '../../runtime/secret-key.ts';
import type { Settings } from '../../runtime/settings.ts';
import { shownSettings } from '../../runtime/shown-settings.ts';
import { openMessages, operator, told } from '../connect.ts';
import { operatorSettings } from '../settings.ts';
import type { Place } from '../terminal.ts';
import type { Answer, Client, Request } from './client.ts';

/** For transactions that are in the way of freeing the storage of what was removed. */
const FREE_MS = 1_000;
const SILENT = createLog({ level: 'silent', role: 'cli' });
const NEVER = new AbortController().signal;

/** What needs no message database, or must say that there is none. */
const APART = [
  'GET /api/doctor',
  'GET /api/openapi.json',
  'POST /api/change_retentions/sql',
  'POST /api/postgres_databases/setup_sql',
];

export async function withProcess<Result>(place: Place, work: (client: Client) => Promise<Result>): Promise<Result> {
  // Few routes need SECRET_KEY: that it is missing is said by those.
  const settings = await operatorSettings(place.home, place.env).catch((fault: unknown) => ({ fault }));
  const functions = openTryFunctions(SILENT);
  let opening: Promise<Opened> | undefined;
  const opened = (): Promise<Opened> => {
    opening ??= open(place, { settings, functions });
    return opening;
  };
  const ask = async (request: Request): Promise<Answer> => {
    if (APART.includes(request.route)) return await run({ examine: examining(settings, place) } as ApiDeps, request);
    const { deps } = await opened();
    try {
      return (await pulled(deps, request)) ?? (await run(deps, request));
    } catch (error) {
      throw told(error);
    }
  };
  try {
    const exportRevealed = async (): Promise<string> =>
      await exportConfig((await opened()).deps.config, { reveal: true });
    return await work({ where: whereOf(place), isRemote: false, ask, exportRevealed });
  } finally {
    await (await opening?.catch(() => undefined))?.close();
    await functions.close();
  }
}

interface Opened {
  deps: ApiDeps;
  close(): Promise<void>;
}

async function open(
  place: Place,
  { settings, functions }: { settings: Known; functions: TryFunctions },
): Promise<Opened> {
  const db = await openMessages(place);
  const examine = examining(settings, place);
  return { deps: { ...depsOf(db, settings), examine, functions }, close: () => db.close() };
}

const whereOf = ({ env, home }: Place): string =>
  env.DATABASE_URL ? 'the database of DATABASE_URL' : `the embedded server of ${home}`;

/** The pull API, of which a command needs two routes. */
async function pulled({ db }: Pick<ApiDeps, 'db'>, { route, params = {}, body }: Request): Promise<Answer | undefined> {
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

async function run(deps: ApiDeps, request: Request): Promise<Answer> {
  const route = routeOf(request);
  const result = await route.run(deps, inputOf(route, request), asking(request)).catch((error: unknown) => {
    throw withoutPlaces(managementError(error));
  });
  const { status, body, etag } = replyOf(route, result);
  return { status, text: textOf(body), etag };
}

/** Lines are those of a text that a command has made, and that nobody has seen. */
function withoutPlaces(error: unknown): unknown {
  if (!(error instanceof MillraceError) || !error.faults.some(({ line }) => line !== undefined)) return error;
  const { code, message, facts, remedy } = error;
  const faults = error.faults.map(({ line: _, column: __, ...fault }) => fault);
  return new MillraceError(code, message, { faults, facts, ...(remedy === undefined ? {} : { remedy }) });
}

function inputOf(route: Route, { params = {}, query = {}, body = {} }: Request): unknown {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const input = validate(route.input, { ...Object.fromEntries(given), ...params });
  if (route.body === undefined) return input;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...input, body: validate(route.body, bodyOf(text, route.texts), 'invalid') };
}

type Known = Settings | { fault: unknown };

/** @throws MillraceError: they are not known. */
function settingsOf(known: Known): Settings {
  if ('fault' in known) throw known.fault;
  return known;
}

const examining =
  (known: Known, { env }: Place): ApiDeps['examine'] =>
  (request) =>
    examine({ settings: settingsOf(known), log: SILENT, now: Date.now, isEmbedded: !env.DATABASE_URL }, request, NEVER);

function depsOf(db: Database, known: Known): Omit<ApiDeps, 'functions' | 'examine'> {
  const settings = (): Settings => settingsOf(known);
  return {
    db,
    sinks: () => listSinks(db, 'sinks'),
    changeRetentions: () => listSinks(db, 'change_retentions'),
    databases: () => listDatabases(db),
    overview: () => readOverview(db, Date.now),
    settings: () => shownSettings(settings()),
    messageGroups: (sinkNo) => groupMessages(db, sinkNo),
    config: {
      db,
      // Whoever has the address of the message database runs the machine.
      privateOk: true,
      get reach() {
        return { allowed: settings().privateAllowed };
      },
      get keys() {
        return keyRing(settings());
      },
      get loopbackOnly() {
        return isLoopback(settings().host);
      },
      tryFunctions: (functions) => refuseBadFunctions(functions, SILENT),
      freeStorage: async () => void (await freeStorage(db, FREE_MS).catch(() => false)),
    },
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
