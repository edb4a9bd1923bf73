/**
 * The limit of capture: how fast the server decodes the same WAL for a receiver that does nothing. pg_recvlogical where the
 * machine has one, else our own receive loop with the bytes thrown away. Run as a process it is that loop.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, globSync } from 'node:fs';
import path from 'node:path';
import { openStream } from '../src/capture/replication/connection.ts';
import { parseLsn } from '../src/model/lsn.ts';
import { PUBLICATION } from './changes.ts';

export interface LimitOptions {
  sourceUrl: string;
  slot: string;
  /** Ends when the stream has come this far. */
  endLsn: string;
  deadlineMs: number;
}

/** Undefined: not on this machine. */
export function findReceiver(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const candidates = [
    ...globSync('/usr/lib/postgresql/*/bin/pg_recvlogical').sort().reverse(),
    ...folders.map((folder) => path.join(folder, 'pg_recvlogical')),
  ];
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export const limitName = (): string =>
  findReceiver() === undefined ? 'our receive loop, bytes thrown away' : '`pg_recvlogical -f /dev/null`';

/** Seconds. Throws when it takes longer than the deadline. */
export async function measureLimit(options: LimitOptions): Promise<number> {
  const begun = performance.now();
  const child = start(options);
  const timer = setTimeout(() => child.kill('SIGKILL'), options.deadlineMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(`the receiver that sets the limit ended with ${code ?? 'a signal'}`);
  return (performance.now() - begun) / 1000;
}

function start({ sourceUrl, slot, endLsn }: LimitOptions): ChildProcess {
  const program = findReceiver();
  if (program === undefined) {
    const env = { ...process.env, SOURCE_URL: sourceUrl, SLOT: slot, END_LSN: endLsn };
    return spawn(process.execPath, [import.meta.filename], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const url = new URL(sourceUrl);
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(url.password) };
  url.password = '';
  const plugin = ['proto_version=1', `publication_names=${PUBLICATION}`, 'messages=true'];
  return spawn(
    program,
    [
      ...['--start', '--no-loop', '--file=/dev/null', `--dbname=${url.href}`, `--slot=${slot}`, `--endpos=${endLsn}`],
      ...plugin.map((option) => `--option=${option}`),
    ],
    { env, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

async function receive(): Promise<void> {
  const end = parseLsn(process.env.END_LSN!);
  const over = Promise.withResolvers<void>();
  const stream = openStream(
    {
      onMessage: () => undefined,
      onKeepAlive(walEnd, replyRequested) {
        if (walEnd >= end) over.resolve();
        else if (replyRequested) stream.confirm(1n);
      },
    },
    {
      source: { address: process.env.SOURCE_URL!, max: 1, applicationName: 'bench' },
      slot: process.env.SLOT!,
      publication: PUBLICATION,
      raw: false,
    },
  );
  await Promise.race([over.promise, stream.ended]);
  await stream.close();
}

if (import.meta.main) {
  await receive();
  process.exit(0);
}
