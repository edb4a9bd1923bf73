/**
 * The whole service on one machine: the embedded Postgres (without DATABASE_URL), migrations, then each role as a child
 * process. What was started first is stopped last: the playground's changes, the roles, the server, all within ten
 * seconds of the word; a role that has not ended by then is killed. A second start goes on where this one stopped.
 */
import path from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeSetupToken } from '../admin/setup.ts';
import { listUsers } from '../admin/users.ts';
import { ensureDatabase } from '../db/embedded/ensure-database.ts';
import { type Embedded, startEmbedded } from '../db/embedded/server.ts';
import { embeddedService } from '../db/embedded/service.ts';
import { messageDatabase } from '../db/message-database.ts';
import { openPool } from '../db/pool.ts';
import { createPlayground } from '../playground/create.ts';
import { playgroundYaml } from '../playground/declaration.ts';
import { trickle } from '../playground/trickle.ts';
import { commandIn, type Surroundings, welcome } from '../playground/welcome.ts';
import { backoffMs, RECONNECT } from '../runtime/backoff.ts';
import { buildConsole } from '../runtime/build-console.ts';
import { findProgram } from '../runtime/find-program.ts';
import { freePort, freePortFrom, tryPort } from '../runtime/free-port.ts';
import type { Log } from '../runtime/log.ts';
import { roleProcess, runToEnd } from '../runtime/role-process.ts';
import { type Service, supervise } from '../runtime/service.ts';
import { DEFAULT_PORT, type Declared, type Settings, withDatabase } from '../runtime/settings.ts';
import { addressInWords } from '../runtime/shown-settings.ts';
import {
  MESSAGES,
  openState,
  PLAYGROUND,
  passwordOf,
  STATE_FILE,
  type State,
  withKept,
  writePrivate,
  writeState,
} from '../runtime/state.ts';

export interface AllOptions {
  /** The module that runs one role, given as its argument. */
  entry: string;
  /** Where state and data are kept; `.millrace` of the current directory. */
  home: string;
  env: NodeJS.ProcessEnv;
  print: (text: string) => void;
  /** What is printed is read by a person there, and is no log. */
  terminal: boolean;
}

const ROLES = ['capture', 'worker', 'web'];
const POSTGRES_PORT = 7377;
const LAUNCHER = fileURLToPath(new URL('../../bin/millrace', import.meta.url));
const ROLE_GRACE_MS = 7_000;
/** From the word to the end of everything. */
const STOP_MS = 9_000;

/** What is to be stopped, first to last, and what the roles are told. */
interface Plan {
  settings: Settings;
  services: Service[];
  env: NodeJS.ProcessEnv;
  around: Omit<Surroundings, 'answering' | 'command'>;
}

/**
 * Returns when everything has ended after the signal: true; false when the migration failed, which has said why itself.
 * @throws MillraceError before the roles are started.
 */
export async function runAll(
  wanted: Declared,
  deps: { log: Log; signal: AbortSignal },
  options: AllOptions,
): Promise<boolean> {
  const { log, signal } = deps;
  // The roles and whoever looks for them must know it.
  const declared = wanted.port === 0 ? { ...wanted, port: await freePort(wanted.host) } : wanted;
  const backoff = (attempt: number): number => backoffMs(attempt, RECONNECT, Math.random());
  const told = whenTold(signal);
  const services: Service[] = [];
  const built = buildConsole(signal);
  try {
    const plan =
      declared.databaseUrl === null
        ? await planEmbedded(declared, { ...deps, told, services }, options)
        : planGiven(declared);
    if (signal.aborted) return true;
    await tryPort(plan.settings);
    const env = { ...options.env, ...roleEnvironment(plan.settings), ...plan.env };
    const given = { entry: options.entry, env, graceMs: ROLE_GRACE_MS };
    // What it loads ends with it: this process is there as long as the roles.
    const migrated = await runToEnd('migrate', given, signal);
    await built;
    if (signal.aborted) return true;
    if (migrated === 'code 1') return false;
    if (migrated !== 'code 0') throw new Error(`the migration ended by itself (${migrated})`);
    const roles = ROLES.map((role) =>
      roleProcess(role, { ...given, env: { ...env, ...metricsOf(role, plan.settings) } }),
    );
    services.push(sideBySide(roles, { log, backoff }), ...plan.services);
    const running = supervise(services, { log, backoff }, { graceMs: 4 * STOP_MS });
    plan.around.setup = await setupOf(plan.settings, options.terminal);
    const greeted = greet(plan, { signal, print: options.print });
    await running.run(signal);
    await greeted;
    return true;
  } finally {
    for (const service of services.toReversed()) await service.close();
  }
}

/** What makes the first user is for who sits at the terminal: in a log it would stay. Null: there is a user already. */
async function setupOf(settings: Settings, terminal: boolean): Promise<{ token: string | null } | null> {
  const db = openPool({ ...(await messageDatabase(settings, 'setup')), max: 1 });
  try {
    if (!terminal) return (await listUsers(db)).length === 0 ? { token: null } : null;
    const token = await makeSetupToken(db);
    return token === null ? null : { token };
  } finally {
    await db.close();
  }
}

/** Every role under a supervisor of its own, so that all are told to stop at once. */
function sideBySide(roles: Service[], deps: { log: Log; backoff: (attempt: number) => number }): Service {
  return {
    name: 'roles',
    async run(signal) {
      const supervisors = roles.map((role) => supervise([role], deps, { graceMs: STOP_MS }));
      await Promise.all(supervisors.map((supervisor) => supervisor.run(signal)));
    },
    close: async () => undefined,
  };
}

function planGiven(declared: Declared): Plan {
  const settings = withDatabase(declared);
  const messages = addressInWords(settings.databaseUrl);
  return { settings, services: [], env: {}, around: { baseUrl: baseUrl(settings), messages } };
}

interface EmbeddedDependencies {
  log: Log;
  told: () => number;
  /** Receives the server as soon as it runs, so that it is stopped whatever happens next. */
  services: Service[];
}

async function planEmbedded(declared: Declared, deps: EmbeddedDependencies, options: AllOptions): Promise<Plan> {
  const { log, told } = deps;
  const state = await openState(options.home);
  const dir = path.join(options.home, 'postgres');
  const formerly = state.postgresDir ?? (state.postgresPort === undefined ? undefined : dir);
  const start = (port: number): Promise<Embedded> =>
    startEmbedded({
      ...{ dir, ...(formerly === undefined ? {} : { formerly }) },
      port,
      password: state.postgresPassword,
      log: (line) => log.info(line),
    });
  const server = await start(await freePortFrom(state.postgresPort ?? POSTGRES_PORT));
  const stopMs = (): number => Math.max(STOP_MS - told(), 1_000);
  deps.services.push(embeddedService({ first: server, restart: () => start(server.port), stopMs }));

  const port = declared.portGiven ? declared.port : await freePortFrom(state.httpPort ?? DEFAULT_PORT, declared.host);
  await writeState(options.home, { ...state, httpPort: port, postgresPort: server.port, postgresDir: server.dir });
  const passfile = await writePassfile(options.home, server.port, state);
  const settings: Settings = {
    ...declared,
    port,
    databaseUrl: await ensureDatabase(server.adminUrl, {
      name: MESSAGES,
      password: passwordOf(state, MESSAGES),
      reader: 'millrace_reader',
    }),
    ...withKept(declared, state.secretKey),
  };
  const around: Plan['around'] = {
    baseUrl: baseUrl(settings),
    messages: {
      port: server.port,
      dataDir: server.dir,
      moved: server.moved,
      ...(passfile === undefined ? {} : { passfile }),
    },
  };
  if (declared.configFilePath !== null || declared.configFileYaml !== null)
    return { settings, services: [], env: {}, around };
  const playground = options.terminal ? { apiToken: state.apiToken } : { tokenIn: path.join(options.home, STATE_FILE) };
  return await withPlayground({ settings, services: [], env: {}, around: { ...around, playground } }, server, state);
}

async function withPlayground(plan: Plan, server: Embedded, state: State): Promise<Plan> {
  const password = passwordOf(state, PLAYGROUND);
  const url = await ensureDatabase(server.adminUrl, { name: PLAYGROUND, password, replication: true });
  const db = openPool({ address: url, max: 1, applicationName: 'millrace playground' });
  await createPlayground(db);
  const yaml = playgroundYaml({ url, apiToken: state.apiToken });
  return {
    settings: { ...plan.settings, configFileYaml: yaml },
    services: [...plan.services, trickle(db)],
    env: { ...plan.env, CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64') },
    around: plan.around,
  };
}

/** On one machine no two have the same port. */
function metricsOf(role: string, { metricsPort }: Settings): NodeJS.ProcessEnv {
  if (!metricsPort || role !== 'worker') return {};
  return { METRICS_PORT: String(Math.min(metricsPort + 1, 65_535)) };
}

/** What every role must be told beyond our own environment. */
function roleEnvironment(settings: Settings): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: settings.databaseUrl,
    ALLOW_PRIVATE_DESTINATIONS: String(settings.privateAllowed),
    SECRET_KEY: settings.secretKey,
    SECRET_KEY_PREVIOUS: settings.previousKeys.join(','),
    PORT: String(settings.port),
    ...(settings.host === null ? {} : { HOST: settings.host }),
  };
}

/** Prints the welcome once the HTTP role answers, or after 10 s, saying so. */
async function greet(plan: Plan, deps: { signal: AbortSignal; print: (text: string) => void }): Promise<void> {
  const answering = await answers(`${plan.around.baseUrl}/livez`, deps.signal);
  if (!deps.signal.aborted)
    deps.print(welcome({ ...plan.around, answering, command: commandIn(process.cwd(), LAUNCHER) }));
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  for (let tries = 0; tries < 100 && !signal.aborted; tries += 1) {
    const answered = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) }).then(
      async (response) => {
        await response.body?.cancel();
        return true;
      },
      () => false,
    );
    if (answered) return true;
    await sleepFor(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** psql's password file; undefined where there is no psql, or no shell that the printed command would suit. */
async function writePassfile(home: string, port: number, state: State): Promise<string | undefined> {
  const file = path.join(home, 'pgpass');
  const passwords = [MESSAGES, PLAYGROUND].map((role) => [role, passwordOf(state, role)]);
  const lines = [...passwords, ['postgres', state.postgresPassword]];
  await writePrivate(file, lines.map(([role, password]) => `127.0.0.1:${port}:*:${role}:${password}\n`).join(''));
  return process.platform !== 'win32' && (await findProgram('psql'))
    ? path.relative(process.cwd(), file) || file
    : undefined;
}

function baseUrl(settings: Settings): string {
  const host =
    settings.host === null || settings.host === '0.0.0.0' || settings.host === '::' ? '127.0.0.1' : settings.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
}

/** Milliseconds since the word to stop; 0 before. */
function whenTold(signal: AbortSignal): () => number {
  let at: number | undefined;
  signal.addEventListener('abort', () => {
    at = performance.now();
  });
  return () => (at === undefined ? 0 : performance.now() - at);
}
