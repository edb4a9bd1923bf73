/** Debian's pgbouncer before a server of the tests, in the mode of your choice. It asks clients for no password. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../src/runtime/free-port.ts';
import { until } from '../until.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

export const hasPgbouncer = (): boolean => existsSync(PROGRAM);

export interface Pgbouncer {
  /** The server's address, by way of the pooler. */
  url: string;
  /** SIGKILL to it, as a host would lose it. */
  kill(): Promise<void>;
  /** The same address again, after `kill`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** `settings` are lines of its [pgbouncer] section, over ours. */
export async function startPgbouncer(serverUrl: string, settings: Record<string, string> = {}): Promise<Pgbouncer> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-pgbouncer-'));
  await chmod(dir, 0o777);
  const server = new URL(serverUrl);
  const port = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    server_login_retry: '0',
    ...settings,
  };
  const file = path.join(dir, 'pgbouncer.ini');
  const target = `host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}`;
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  await writeFile(file, ['[databases]', `* = ${target}`, '[pgbouncer]', ...lines, ''].join('\n'));
  const url = new URL(serverUrl);
  url.port = String(port);
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const start = async (): Promise<void> => {
    // It refuses to run as root.
    const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    child = spawn(PROGRAM, [...account, file], { stdio: 'ignore' });
    await until('pgbouncer answers', () => listens(port));
  };
  await start();
  return {
    url: url.href,
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).then((answer) => {
    socket.destroy();
    return answer === true;
  });
}
