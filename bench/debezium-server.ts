/**
 * Debezium Server of Maven Central beside us: fetched once into the user's cache (about 780 MB), run by a Java of the machine
 * that is new enough, sending rows in HTTP batches to the same kind of receiver. It keeps no changes of its own.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { PUBLICATION, TABLE } from './changes.ts';

export const DEBEZIUM = '3.6.0.Final';
const OLDEST_JAVA = 21;
const ARCHIVE = `https://repo1.maven.org/maven2/io/debezium/debezium-server-dist/${DEBEZIUM}/debezium-server-dist-${DEBEZIUM}.tar.gz`;
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'millrace-bench');
const BATCH_SIZE = 1_000;
const STOP_MS = 10_000;

const run = promisify(execFile);

export interface DebeziumServer {
  /** The program, and the folder that it is in. */
  java: string;
  folder: string;
}

/** Fetches it unless it is there. `why`: why it cannot be run here, in one line. */
export async function findDebezium(): Promise<DebeziumServer | { why: string }> {
  const java = await findJava();
  if (java === undefined) return { why: `no Java ${OLDEST_JAVA} or newer on this machine` };
  const folder = path.join(CACHE, `debezium-server-${DEBEZIUM}`);
  try {
    if (!existsSync(folder)) await fetchInto(folder);
  } catch (error) {
    return { why: `it cannot be fetched: ${error instanceof Error ? error.message : String(error)}` };
  }
  return { java, folder };
}

async function findJava(): Promise<string | undefined> {
  const { JAVA_HOME } = process.env;
  const homes = [...(JAVA_HOME ? [JAVA_HOME] : []), ...globSync('/usr/lib/jvm/*')];
  for (const java of ['java', ...homes.map((home) => path.join(home, 'bin/java'))]) {
    const said = await run(java, ['-version']).catch(() => undefined);
    if (Number(said?.stderr.match(/version "(\d+)/)?.[1]) >= OLDEST_JAVA) return java;
  }
  return undefined;
}

async function fetchInto(folder: string): Promise<void> {
  console.error(`fetching ${ARCHIVE} (780 MB) into ${folder}`);
  await mkdir(CACHE, { recursive: true });
  const part = await mkdtemp(path.join(CACHE, 'part-'));
  try {
    const answer = await fetch(ARCHIVE);
    if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`);
    const archive = path.join(part, 'archive.tar.gz');
    await pipeline(Readable.fromWeb(answer.body), createWriteStream(archive));
    await run('tar', ['-xzf', archive, '-C', part]);
    await rename(path.join(part, 'debezium-server'), folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

export interface RunningDebezium {
  pid: number;
  /** Rejects when it ends by itself. */
  failed: Promise<never>;
  stop(): Promise<void>;
}

export async function startDebezium(
  { java, folder }: DebeziumServer,
  given: { sourceUrl: string; slot: string; receiverUrl: string },
): Promise<RunningDebezium> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-debezium-'));
  await mkdir(path.join(dir, 'config'));
  await writeFile(path.join(dir, 'config/application.properties'), propertiesOf({ ...given, dir }));
  const classPath = [
    ...globSync(path.join(folder, 'debezium-server-*runner.jar')),
    path.join(folder, 'config/lib'),
    path.join(folder, 'lib/*'),
  ].join(path.delimiter);
  const child = spawn(
    java,
    ['--add-opens=java.base/java.lang=ALL-UNNAMED', '-cp', classPath, 'io.debezium.server.Main'],
    {
      cwd: dir,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let stopping = false;
  const failed = once(child, 'exit').then(async ([code]) => {
    if (stopping) await new Promise(() => undefined);
    throw new Error(`Debezium Server ended by itself (${code})`);
  });
  failed.catch(() => undefined);
  return {
    pid: child.pid!,
    failed: failed as Promise<never>,
    async stop() {
      stopping = true;
      await end(child);
      process.off('exit', kill);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

function propertiesOf(given: { sourceUrl: string; slot: string; receiverUrl: string; dir: string }): string {
  const { hostname, port, pathname, username, password } = new URL(given.sourceUrl);
  return Object.entries({
    'debezium.sink.type': 'http',
    'debezium.sink.http.url': `${given.receiverUrl}/rows`,
    'debezium.sink.http.batch.enabled': true,
    'debezium.sink.http.batch.max-size': BATCH_SIZE,
    'debezium.source.connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'debezium.source.database.hostname': hostname,
    'debezium.source.database.port': port,
    'debezium.source.database.user': decodeURIComponent(username),
    'debezium.source.database.password': decodeURIComponent(password),
    'debezium.source.database.dbname': decodeURIComponent(pathname.slice(1)),
    'debezium.source.topic.prefix': 'bench',
    'debezium.source.plugin.name': 'pgoutput',
    'debezium.source.slot.name': given.slot,
    'debezium.source.publication.name': PUBLICATION,
    'debezium.source.publication.autocreate.mode': 'disabled',
    'debezium.source.table.include.list': `public.${TABLE}`,
    'debezium.source.snapshot.mode': 'no_data',
    'debezium.source.poll.interval.ms': 10,
    'debezium.source.offset.storage.file.filename': path.join(given.dir, 'offsets.dat'),
    'debezium.source.offset.flush.interval.ms': 1_000,
    'debezium.transforms': 'unwrap',
    'debezium.transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
    'debezium.transforms.unwrap.delete.tombstone.handling.mode': 'rewrite',
    'debezium.format.value': 'json',
    'debezium.format.value.schemas.enable': false,
    'debezium.format.key.schemas.enable': false,
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': 0,
    'quarkus.log.level': 'WARN',
  })
    .map(([key, value]) => `${key}=${String(value).replaceAll('\\', '\\\\')}\n`)
    .join('');
}
