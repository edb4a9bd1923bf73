/**
 * The service as it really runs: migrations, then the roles capture and worker as child processes, with one search sink
 * that reads from the slot given and sends to a receiver that is a process of its own.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ROLE_FLAGS } from '../src/runtime/role-process.ts';
import { PUBLICATION } from './changes.ts';

/** As `bin/millrace` says it. */
const COMPILED = path.resolve(import.meta.dirname, '../node_modules/.cache/node');
const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
const BATCH_SIZE = 1_000;
const STOP_MS = 10_000;

export interface Stats {
  requests: number;
  operations: number;
  /** Of all bodies. */
  bytes: number;
  /** Milliseconds since 1970. */
  firstAt: number;
  lastAt: number;
}

export interface Receiver {
  url: string;
  stats(): Promise<Stats>;
  /** Pairs of `sent_at` and its arrival, microseconds on the machine's monotonic clock. */
  arrivals(): Promise<[sent: number, arrived: number][]>;
  stop(): Promise<void>;
}

/** `delayMs`: it answers each bulk request only after so long. */
export async function startReceiver(options: { arrivals: boolean; delayMs?: number }): Promise<Receiver> {
  const child = fork(path.join(import.meta.dirname, 'bulk-receiver.ts'), {
    env: {
      ...process.env,
      ...(options.arrivals ? { ARRIVALS: '1' } : {}),
      ...(options.delayMs ? { DELAY_MS: String(options.delayMs) } : {}),
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [port] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const url = `http://127.0.0.1:${port}`;
  const get = async (what: string) => await (await fetch(`${url}/${what}`)).json();
  return {
    url,
    stats: () => get('stats') as Promise<Stats>,
    arrivals: () => get('arrivals') as Promise<[number, number][]>,
    stop: () => end(child),
  };
}

export interface ServiceOptions {
  /** The database for the messages, made by the caller. */
  messagesUrl: string;
  sourceUrl: string;
  slot: string;
  receiverUrl: string;
  /** What is declared besides the database, instead of one search sink. */
  declared?: string;
  /** What runs a role that is named to it, instead of `src/main.ts`. */
  main?: string;
  /** Between the migration and the start of the roles. */
  prepare?: () => Promise<void>;
}

export interface RunningService {
  pids: number[];
  /** Rejects when a role ends by itself. */
  failed: Promise<never>;
  stop(): Promise<void>;
}

/** `MILLRACE_BENCH_PROFILE=<folder>` writes a CPU profile of each role there. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? COMPILED,
    DATABASE_URL: options.messagesUrl,
    SECRET_KEY: 't5KzQw8RyB1nVh4Xc7LsJf0Gd3MpUa6E',
    CONFIG_FILE_YAML: Buffer.from(declaration(options)).toString('base64'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  };
  const migrate = spawn(process.execPath, [MAIN, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(migrate, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate ended with ${code}`);
  await options.prepare?.();
  const profile = process.env.MILLRACE_BENCH_PROFILE;
  const execArgv = [...ROLE_FLAGS, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])];
  const roles = ['worker', 'capture'].map((role) =>
    fork(options.main ?? MAIN, [role], { env, execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  let stopping = false;
  const failed = Promise.race(
    roles.map(async (role) => {
      const [ending] = await once(role, 'exit');
      if (stopping) await new Promise(() => undefined);
      throw new Error(`a role ended by itself (${ending})`);
    }),
  );
  failed.catch(() => undefined);
  return {
    pids: roles.map((role) => role.pid!),
    failed: failed as Promise<never>,
    async stop() {
      stopping = true;
      await Promise.all(roles.map(end));
    },
  };
}

/** Our children end when their channel closes, and are killed when they do not. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

function declaration(options: ServiceOptions): string {
  return `
databases:
  - name: bench
    url: ${JSON.stringify(options.sourceUrl)}
    ssl: false
    slot: { name: ${options.slot}, create_if_not_exists: true }
    publication: { name: ${PUBLICATION} }

${options.declared ?? searchSink(options.receiverUrl)}`;
}

/** One sink to the receiver; `more`: further keys, from the margin. */
export function searchSink(receiverUrl: string, more = ''): string {
  return `sinks:
  - name: bench
    database: bench
${more}    destination:
      type: elasticsearch
      endpoint_url: ${receiverUrl}
      index_name: bench
      auth_type: none
      batch_size: ${BATCH_SIZE}
`;
}
