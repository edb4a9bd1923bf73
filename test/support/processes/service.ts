/**
 * The service as processes, for tests from end to end: what a user starts, killed as a platform kills. Its processes hang
 * on this one's channel, so that nothing is left running when the test process dies without a word; `stopServices`, for
 * an `after`, ends whatever a failed test has left behind.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../../src/runtime/free-port.ts';
import { until } from '../until.ts';
import { type RunningProcess, signalTo, treeOf, untilGone } from './process-tree.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export const SECRET_KEY = 'hV3kT8qYw1ZsN6rJ0cXgB5mLp9aD2fEu';
/** Of what is printed, the end is kept. */
const PRINTED_MAX = 1_000_000;

export type Word = 'all' | 'web' | 'worker' | 'capture' | 'migrate';

export interface ServiceOptions {
  /** Of the message database. */
  databaseUrl: string;
  /** The text of millrace.yaml; what was applied before stays when it is left out. */
  yaml?: string;
  /** What runs; `all`. */
  word?: Word;
  /** Over the environment of the service. */
  env?: NodeJS.ProcessEnv;
  /** Where the roles listen; a free port. */
  port?: number;
  /** `src/main.ts` of another release; this one's. */
  main?: string;
}

export interface TestService {
  readonly port: number;
  readonly url: string;
  /** Everything that was printed, by every start of it. */
  output(): string;
  /** The process of a role, or the sandbox process, in which functions run; undefined when there is none right now. */
  find(which: 'web' | 'worker' | 'capture' | 'sandbox'): Promise<RunningProcess | undefined>;
  /** All of its processes. */
  processes(): Promise<RunningProcess[]>;
  /** SIGKILL to every process of it at once; returns when none is left. */
  kill(): Promise<void>;
  /** SIGTERM to its first process; returns the milliseconds until none was left, and the exit code. */
  stop(): Promise<{ ms: number; code: number | null }>;
  /** Starts it (again), and waits until it answers and captures. */
  start(options?: StartOptions): Promise<void>;
  /** Waits until its first process has ended by itself: by which signal, or `code 1`. */
  died(deadlineMs?: number): Promise<string>;
}

export interface StartOptions {
  /** Over the environment, for this start alone. */
  env?: NodeJS.ProcessEnv;
  /** False: it may well end before it is ready. */
  wait?: boolean;
}

const running = new Set<ChildProcess>();

/** Starts the service, and returns when /livez answers and every source is captured. */
export async function startService(options: ServiceOptions): Promise<TestService> {
  const service = await createService(options);
  await service.start();
  return service;
}

/** As `startService`, without starting it. */
export async function createService(options: ServiceOptions): Promise<TestService> {
  const word = options.word ?? 'all';
  const port = options.port ?? (await freePort());
  let child: ChildProcess | undefined;
  let printed = '';

  const tree = async (): Promise<RunningProcess[]> => (child?.pid === undefined ? [] : await treeOf(child.pid));
  const self: TestService = {
    port,
    url: `http://127.0.0.1:${port}`,
    output: () => printed,
    processes: tree,
    async find(which) {
      const found = await tree();
      // It is told where its addon is.
      if (which === 'sandbox') return found.find(({ args }) => /[/]process[/]main[.]ts( |$)/.test(args));
      return found.find(({ args }) => args.endsWith(`main.ts ${which}`));
    },
    async kill() {
      const pids = (await tree()).map(({ pid }) => pid);
      for (const pid of pids) signalTo(pid, 'SIGKILL');
      await untilGone(pids);
      child = undefined;
    },
    async stop() {
      if (child?.pid === undefined) return { ms: 0, code: null };
      const pids = (await tree()).map(({ pid }) => pid);
      const begun = performance.now();
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : [child.exitCode];
      child.kill('SIGTERM');
      const [code] = await exited;
      await untilGone(pids);
      child = undefined;
      return { ms: performance.now() - begun, code };
    },
    async start({ env, wait = true } = {}) {
      const before = await generations(options.databaseUrl);
      const printedBefore = printed.length;
      child = launch(word, { ...environment({ ...options, port }), ...env }, options.main);
      const hear = (chunk: Buffer): void => {
        printed = (printed + chunk.toString()).slice(-PRINTED_MAX);
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', hear);
      if (wait) await untilReady(child, self, { word, databaseUrl: options.databaseUrl, before, printedBefore });
    },
    async died(deadlineMs = 20_000) {
      const ended = (): string | false => endOf(child) ?? false;
      const how = await until(`${word} ends by itself`, ended, deadlineMs).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${printed.slice(-4_000)}`);
      });
      child = undefined;
      return how;
    },
  };
  return self;
}

/** Ends every service that is still there. */
export async function stopServices(): Promise<void> {
  const left = await Promise.all([...running].map(async (child) => await treeOf(child.pid!)));
  const pids = left.flat().map(({ pid }) => pid);
  for (const pid of pids) signalTo(pid, 'SIGKILL');
  await untilGone(pids);
}

/** Runs `node src/main.ts <word>` to its end, for what is expected to end by itself. */
export async function runMain(
  word: string,
  env: NodeJS.ProcessEnv,
  deadlineMs = 20_000,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = launch(word, { ...cleanEnvironment(), ...env });
  const texts = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk));
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk));
  let code: number | null | undefined;
  child.once('close', (ended) => {
    code = ended;
  });
  try {
    await until(`\`${word}\` ends by itself`, () => code !== undefined, deadlineMs);
  } finally {
    child.kill('SIGKILL');
  }
  return { code: code ?? null, ...texts };
}

function launch(word: string, env: NodeJS.ProcessEnv, main = MAIN): ChildProcess {
  const child = fork(main, [word], { cwd: os.tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ours without the settings of a service. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const settings =
    /^(PORT|HOST|DATABASE_|SECRET_KEY|ADMIN_PASSWORD|ALLOW_PRIVATE_|LOG_LEVEL|CONFIG_FILE_|NODE_OPTIONS|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.test(name)));
}

function environment(options: ServiceOptions & { port: number }): NodeJS.ProcessEnv {
  return {
    ...cleanEnvironment(),
    DATABASE_URL: options.databaseUrl,
    SECRET_KEY,
    HOST: '127.0.0.1',
    PORT: String(options.port),
    LOG_LEVEL: process.env.TEST_LOG ?? 'info',
    ...(options.yaml === undefined ? {} : { CONFIG_FILE_YAML: Buffer.from(options.yaml).toString('base64') }),
    ...options.env,
  };
}

function endOf(child: ChildProcess | undefined): string | undefined {
  if (child === undefined || (child.exitCode === null && child.signalCode === null)) return undefined;
  return child.signalCode ?? `code ${child.exitCode}`;
}

interface Expected {
  word: Word;
  /** Characters printed by earlier starts. */
  printedBefore: number;
  databaseUrl: string;
  before: Map<number, number>;
}

async function untilReady(child: ChildProcess, service: TestService, expected: Expected): Promise<void> {
  const { word, databaseUrl, before, printedBefore } = expected;
  const alive = (): void => {
    if (endOf(child) === undefined) return;
    throw new Error(`the service ended:\n${service.output().slice(-4_000)}`);
  };
  const late = (error: unknown): never => {
    throw new Error(`${String(error)}\n${service.output().slice(-4_000)}`);
  };
  if (word === 'all' || word === 'web') {
    const answering = async (): Promise<boolean> => {
      alive();
      return await answers(`${service.url}/livez`);
    };
    await until('/livez answers', answering, 30_000).catch(late);
  }
  if (word === 'all' || word === 'capture') {
    const captured = async (): Promise<boolean> => {
      alive();
      const now = await generations(databaseUrl);
      return now.size > 0 && [...now].every(([no, generation]) => generation > (before.get(no) ?? 0));
    };
    await until('every source is captured', captured, 30_000).catch(late);
  }
  if (word === 'worker') {
    const started = (): boolean => {
      alive();
      return service.output().slice(printedBefore).includes('"started"');
    };
    await until('the worker says that it runs', started, 30_000).catch(late);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** How often each source was taken over by a capture that streams; empty before there is a schema. */
async function generations(databaseUrl: string): Promise<Map<number, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ no: number; generation: string; state: string }>(
      'select database_no as no, generation, state from millrace_private.positions',
    );
    return new Map(rows.map((row) => [row.no, row.state === 'streaming' ? Number(row.generation) : 0]));
  } catch (error) {
    if (error instanceof pg.DatabaseError && ['42P01', '3F000'].includes(error.code ?? '')) return new Map();
    throw error;
  } finally {
    await client.end();
  }
}
