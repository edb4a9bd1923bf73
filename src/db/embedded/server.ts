/**
 * An embedded Postgres of our own. It listens on 127.0.0.1 only, asks for a password, is UTF8 with C.UTF-8, and has
 * logical decoding on. It runs in its own process group, so that Ctrl-C in a terminal does not reach it: we stop it, last.
 * A guard (a shell that waits for our end) stops it when we die without a word. A start on an existing folder goes on
 * where the last one stopped, also after kill -9. The data folder appears whole or not at all.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { MillraceError } from '../../model/errors.ts';
import { isWrongPassword } from '../../model/sqlstate.ts';
import { freePort, freePortFrom } from '../../runtime/free-port.ts';
import { type Account, plainEnvironment, serverAccount } from './account.ts';
import { startGuard } from './guard.ts';
import { initialise, lastLines } from './initdb.ts';
import { OWNER, readPidFile, stopOrphan } from './orphan.ts';
import { choosePlace, hasData, type Place } from './place.ts';

export interface EmbeddedOptions {
  /** Holds data/ and server.log; made when missing. */
  dir: string;
  /** Wanted port; another one is taken when it is in use. Absent: any free one. */
  port?: number;
  /** Of the superuser `postgres`; an existing data folder must have been made with the same one. */
  password: string;
  /** Server settings by name, over ours. */
  settings?: Record<string, string>;
  /** The bin folder of another Postgres, instead of the embedded one. */
  bin?: string;
  /** Hears what a person should know: the folder moved, a server left over was stopped. */
  log: (line: string) => void;
  /** The folder goes when the server stops, or when we die. */
  temporary?: boolean;
  /** The folder where its data were before: where there are none now, it is not begun from scratch. */
  formerly?: string;
}

export interface Embedded {
  port: number;
  /** The folder that is really used. */
  dir: string;
  /** True when that is not the folder asked for, because the server's account cannot reach it. */
  moved: boolean;
  adminUrl: string;
  pid: number;
  /** Ends when the server ends, whoever stopped it. */
  exited: Promise<void>;
  /** Fast shutdown, after `deadlineMs` (8,000) an immediate one. Safe to call twice. */
  stop(deadlineMs?: number): Promise<void>;
}

const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_level: 'logical',
  max_wal_senders: '20',
  max_replication_slots: '20',
  max_connections: '100',
  password_encryption: 'scram-sha-256',
  log_min_messages: 'warning',
  lc_messages: 'C',
  timezone: 'UTC',
};

const START_DEADLINE_MS = 60_000;

/**
 * Starts the server and returns once it answers a query.
 * @throws MillraceError bad_setting with the server's last log lines.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const account = await serverAccount();
  const place = await choosePlace(account, options.dir, options.bin === undefined ? {} : { bin: options.bin });
  if (place.moved)
    options.log(`the embedded Postgres keeps its data in ${place.dir}: its account cannot reach ${options.dir}`);
  const data = path.join(place.dir, 'data');
  if (await stopOrphan(data, { deadlineMs: 8_000 })) {
    options.log('stopped an embedded Postgres that an earlier run had left over');
  }
  if (!(await hasData(place.dir))) {
    if (options.formerly !== undefined) throw await withoutData(options.formerly, place);
    // What loses its data anyway when the machine goes down need not wait for the disk here.
    const sync = options.temporary !== true && options.settings?.fsync !== 'off';
    await initialise(account, place, { password: options.password, sync });
  }
  const until = Date.now() + START_DEADLINE_MS;
  let wanted = options.port;
  for (;;) {
    const port = wanted === undefined ? await freePort() : await freePortFrom(wanted, '127.0.0.1', 1);
    const attempt = await launch(account, place, { ...options, port });
    if ('embedded' in attempt) return attempt.embedded;
    // The port was taken in between, or backends of a killed server are still letting go of its memory.
    const passing = /could not create any TCP\/IP sockets|pre-existing shared memory block/.test(attempt.failure);
    if (!passing || Date.now() > until) {
      throw new MillraceError('bad_setting', `The embedded Postgres did not start:\n${attempt.failure}`, {
        remedy: attempt.remedy ?? `See ${path.join(place.dir, 'server.log')}, or set DATABASE_URL.`,
      });
    }
    wanted = undefined;
    await within(new Promise(() => undefined), 200);
  }
}

/** The project was moved or copied without them, or they were removed. */
async function withoutData(formerly: string, { dir }: Place): Promise<MillraceError> {
  const isElsewhere = formerly !== dir && (await hasData(formerly));
  const bring = isElsewhere ? `Bring them there: cp -a ${formerly}/data ${dir}/` : 'Bring them back from a copy';
  return new MillraceError('bad_setting', `The embedded Postgres ran before, and its data are not in ${dir}`, {
    remedy: `${bring} (they were in ${formerly}). To start from scratch instead, remove the folder .millrace.`,
  });
}

type Attempt = { embedded: Embedded } | { failure: string; remedy?: string };

async function launch(account: Account, place: Place, options: EmbeddedOptions & { port: number }): Promise<Attempt> {
  const data = path.join(place.dir, 'data');
  const logFile = path.join(place.dir, 'server.log');
  const logHandle = await open(logFile, 'w', 0o600);
  const own = { port: String(options.port), [OWNER]: String(process.pid) };
  const settings = Object.entries({ ...SETTINGS, ...options.settings, ...own });
  const child = spawn(
    path.join(place.bin, 'postgres'),
    ['-D', data, ...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    {
      ...account,
      cwd: '/',
      detached: true,
      env: plainEnvironment(),
      stdio: ['ignore', logHandle.fd, logHandle.fd],
    },
  );
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await logHandle.close();
  if (child.pid === undefined) return { failure: `${place.bin}/postgres cannot be run` };
  const guard = startGuard(child.pid, place.dir, options.temporary === true ? 'remove' : 'keep');
  const stop = once(async (deadlineMs?: number) => {
    await stopServer(child, exited, deadlineMs ?? 8_000);
    guard.end();
    if (options.temporary) await rm(place.dir, { recursive: true, force: true });
  });
  void exited.then(() => guard.end());
  const adminUrl = `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/postgres`;
  const ready = await untilReady({ child, exited, data }, adminUrl);
  if (ready === 'ready') {
    return {
      embedded: { port: options.port, dir: place.dir, moved: place.moved, adminUrl, pid: child.pid, exited, stop },
    };
  }
  await stopServer(child, exited, 5_000);
  if (ready === 'password') {
    const remedy = `Remove ${place.dir} to start from scratch, or bring back the state file that belongs to it.`;
    return { failure: 'its data folder was made with another password', remedy };
  }
  return { failure: lastLines(await readFile(logFile, 'utf8')) || 'it wrote nothing to its log' };
}

interface Running {
  child: ChildProcess;
  exited: Promise<void>;
  data: string;
}

/** Ready is: the server says so in postmaster.pid (so the port is its own), and a query is answered. */
async function untilReady(server: Running, url: string): Promise<'ready' | 'failed' | 'password'> {
  const until = Date.now() + START_DEADLINE_MS;
  while (Date.now() < until) {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return 'failed';
    const file = await readPidFile(server.data);
    if (file?.pid === server.child.pid && file?.ready) {
      const answer = await probe(url);
      if (answer !== 'refused') return answer;
    }
    await within(server.exited, 20);
  }
  return 'failed';
}

async function probe(connectionString: string): Promise<'ready' | 'refused' | 'password'> {
  const client = new pg.Client({ connectionString, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return 'ready';
  } catch (error) {
    return isWrongPassword(error) ? 'password' : 'refused';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function stopServer(child: ChildProcess, exited: Promise<void>, deadlineMs: number): Promise<void> {
  const steps = [
    ['SIGINT', deadlineMs],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 3_000],
  ] as const;
  for (const [signal, waitMs] of steps) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await within(exited, waitMs);
  }
}

function once(act: (deadlineMs?: number) => Promise<void>): (deadlineMs?: number) => Promise<void> {
  let running: Promise<void> | undefined;
  return (deadlineMs) => {
    running ??= act(deadlineMs);
    return running;
  };
}

/** Returns when `event` has happened, or after `ms`; leaves no timer behind. */
async function within(event: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([event, late]);
  clearTimeout(timer);
}
